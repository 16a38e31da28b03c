//! A day of any size is judged part by part: its traces are folded, the calls joined, and its
//! sessions judged, each in parts of bounded size and on several threads.
//!
//! The figures are those of [`judge_day`](super::judge_day), whatever the parts: a trace lies in
//! one part, a session key lies in one part, and figures are sums.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::call::Call;
use super::fold::fold;
use super::gathered::Gathered;
use super::join::{By, Layers, join};
use super::judge::{Judged, Terms, is_near, judge_as_they_come, judge_calls};
use super::names::{NameId, Names};
use super::packed::Packed;
use super::parts::{Adder, Part, Parts, Reading, Scratch};
use super::seen::Seen;
use super::summarise::Tally;
use crate::call::{Attempt, Day, TraceId};
use crate::figures::DayFigures;
use crate::store::StoredSighting;

/// How many sightings or calls are worked on at a time, whole traces or sessions as they are.
const PIECE: usize = 1024;

/// Gathers a day's sightings, one for each thread that does.
#[derive(Debug)]
pub(super) struct Gathering<'p, 's> {
    day: Day,
    unknown: NameId,
    adder: Adder<'p, 's, Gathered>,
    failed: Option<io::Error>,
}

impl<'p, 's> Gathering<'p, 's> {
    /// Nothing gathered yet. `unknown` is the number of the client that telemetry does not name.
    pub(super) fn new(day: Day, unknown: NameId, parts: &'p Parts<'s, Gathered>) -> Self {
        Self { day, unknown, adder: parts.adder(), failed: None }
    }

    /// Takes in a sighting of the day or its margins. Answers whether it was one.
    pub(super) fn add(&mut self, stored: &StoredSighting<'_, NameId>) -> bool {
        if !is_near(self.day, stored.start) || self.failed.is_some() {
            return false;
        }
        let seen = Seen::new(stored, self.unknown);
        let key = of_trace(seen.trace_id);
        self.failed = self.adder.add(key, &Gathered::Seen(seen)).err();
        true
    }

    /// Takes in a client span that may be below a call of the day or its margins.
    pub(super) fn add_attempt(&mut self, attempt: Attempt<NameId>) {
        if is_near(self.day, attempt.start) && self.failed.is_none() {
            let key = of_trace(attempt.trace_id);
            self.failed = self.adder.add(key, &Gathered::Attempt(attempt)).err();
        }
    }

    /// Hands over what is left; an error where anything could not be kept.
    pub(super) fn finish(self) -> io::Result<()> {
        self.failed.map_or(Ok(()), Err)?;
        self.adder.finish()
    }
}

/// The calls of what was gathered, by session key.
pub(super) fn calls<'s>(
    terms: Terms,
    gathered: Parts<'_, Gathered>,
    names: &Names,
    scratch: &'s Scratch,
) -> io::Result<Parts<'s, Call>> {
    let layers = Mutex::new(Layers::default());
    let folded = Parts::new(scratch, "calls");
    let begin = || folded.adder();
    let work = |adder: &mut Adder<'_, 's, Call>, gathered: &mut Vec<Gathered>| {
        let (seen, attempts) = Gathered::apart(gathered);
        let calls = fold(&seen, &attempts, names);
        layers.lock().unwrap_or_else(PoisonError::into_inner).note(&calls);
        calls.iter().try_for_each(|call| adder.add(of_session(terms, call), call))
    };
    each_part(gathered, begin, work, Adder::finish)?;
    let layers = layers.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut calls = folded;
    for by in By::BOTH.into_iter().filter(|by| layers.may_meet(*by)) {
        calls = join_parts(terms, calls, by, names, scratch)?;
    }
    Ok(calls)
}

/// The figures of these calls.
pub(super) fn figures(
    terms: Terms,
    day: Day,
    calls: Parts<'_, Call>,
    names: &Names,
) -> io::Result<DayFigures> {
    let whole = Mutex::new(Tally::new(day, terms));
    let begin = || Tally::new(day, terms);
    let work = |tally: &mut Tally, calls: &mut Vec<Call>| {
        let judged = judge_as_they_come(terms, day, std::mem::take(calls), names);
        tally.add(&judged, names);
        *calls = judged.calls;
        Ok(())
    };
    each_part(calls, begin, work, |tally| {
        whole.lock().unwrap_or_else(PoisonError::into_inner).merge(tally, names);
        Ok(())
    })?;
    let whole = whole.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(whole.figures(names))
}

/// Judges these calls and hands them to `visit`, part by part and always in the same order.
pub(super) fn each_judged(
    terms: Terms,
    day: Day,
    calls: Parts<'_, Call>,
    names: &Names,
    visit: &mut dyn FnMut(&Judged),
) -> io::Result<()> {
    for part in calls.into_parts() {
        visit(&judge_calls(terms, day, part.load()?, names));
    }
    Ok(())
}

/// Joins calls of different traces: those that have a key wait by key, the others pass through.
fn join_parts<'s>(
    terms: Terms,
    calls: Parts<'s, Call>,
    by: By,
    names: &Names,
    scratch: &'s Scratch,
) -> io::Result<Parts<'s, Call>> {
    let joined = Parts::new(scratch, "joined");
    let keyed = Parts::new(scratch, "keyed");
    let begin = || (joined.adder(), keyed.adder());
    let work = |(through, waiting): &mut (Adder<'_, 's, Call>, Adder<'_, 's, Call>),
                calls: &mut Vec<Call>| {
        for call in calls.iter() {
            match by.key(&call.joint) {
                Some(key) => waiting.add(key.get(), call)?,
                None => through.add(of_session(terms, call), call)?,
            }
        }
        Ok(())
    };
    let finish = |(through, waiting): (Adder<'_, 's, Call>, Adder<'_, 's, Call>)| {
        through.finish()?;
        waiting.finish()
    };
    each_part(calls, begin, work, finish)?;
    let begin = || joined.adder();
    let work = |adder: &mut Adder<'_, 's, Call>, calls: &mut Vec<Call>| {
        let mut calls = join(std::mem::take(calls), by, names).into_iter();
        calls.try_for_each(|call| adder.add(of_session(terms, &call), &call))
    };
    each_part(keyed, begin, work, Adder::finish)?;
    Ok(joined)
}

/// On how many threads parts are worked on: one for each processor, four at most, for each has a
/// part in memory.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(4)
}

/// Works on every part, piece by piece. Each thread begins with a state of its own and finishes
/// it in the end.
fn each_part<T: Packed + Send, S>(
    parts: Parts<'_, T>,
    begin: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &mut Vec<T>) -> io::Result<()> + Sync,
    finish: impl Fn(S) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let threads = parts.scratch().threads();
    let mut parts = parts.into_parts();
    // The largest first, so that no thread is left alone with it in the end.
    parts.sort_by_key(Part::bytes);
    let count = threads.min(parts.len());
    let waiting = Mutex::new(parts);
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let work_off = || {
        let (mut state, mut reading) = (begin(), Reading::default());
        while let Some(part) = next() {
            part.each_piece(&mut reading, PIECE, |items| work(&mut state, items))?;
        }
        finish(state)
    };
    on_threads(count, &work_off)
}

/// Does the same on `count` threads at once, this one among them.
fn on_threads<E: Send>(count: usize, work: &(impl Fn() -> Result<(), E> + Sync)) -> Result<(), E> {
    thread::scope(|scope| {
        let others: Vec<_> = (1..count).map(|_| scope.spawn(work)).collect();
        let mine = work();
        others.into_iter().fold(mine, |before, other| match other.join() {
            Ok(result) => before.and(result),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

fn of_trace(trace: TraceId) -> u64 {
    first_eight(trace.as_bytes())
}

/// A number that all calls of one session key have in common. Its order is that in which
/// [`session`](super::session) puts keys, and so it finds a piece's calls in order.
fn of_session(terms: Terms, call: &Call) -> u64 {
    if let Some(key) = call.conversation.or(call.transport) {
        return first_eight(key.as_bytes());
    }
    let is_of_trace = call.has_company || call.has_parent;
    if terms.infer_sessions && !is_of_trace {
        return u64::from(call.service.get()) << 32 | u64::from(call.client.get());
    }
    of_trace(call.trace_id)
}

const fn first_eight(bytes: &[u8; 16]) -> u64 {
    match bytes.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::arbitrary::plain_sighting;
    use crate::call::{ArgsHash, Arguments, SessionClaim, SessionKey, Sighting};
    use crate::nightly::fold::shapes_tests::{sightings_of, traces};
    use crate::nightly::fold::tests::day;
    use crate::nightly::judge_day;

    fn by_parts(sightings: &[Sighting], in_memory: usize, threads: usize) -> DayFigures {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::at(folder.path().join("parts"), in_memory, 5, threads).unwrap();
        let parts = Parts::new(&scratch, "sightings");
        let mut names = Names::new();
        let mut gathering = Gathering::new(day(), names.unknown(), &parts);
        let (mut name, mut prints) = (|name: &_| names.id(name), Vec::new());
        for sighting in sightings {
            gathering.add(&StoredSighting::of(sighting, &mut name, &mut prints));
        }
        gathering.finish().unwrap();
        let terms = Terms::default();
        let calls = calls(terms, parts, &names, &scratch).unwrap();
        figures(terms, day(), calls, &names).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn neither_parts_nor_threads_change_the_figures(
            traces in traces(),
            marks in prop::collection::vec((0..3_u8, 0..4_u8), 100),
        ) {
            let mut sightings = sightings_of(&traces);
            for (sighting, (hash, session)) in sightings.iter_mut().zip(marks.iter().cycle()) {
                sighting.arguments = plain_sighting().arguments.map(|arguments| Arguments {
                    hash: ArgsHash::from_bytes([*hash; 6]),
                    ..arguments
                });
                if *session > 0 && sighting.session.is_none() {
                    let key = SessionKey::of(&session.to_string());
                    sighting.session = Some(SessionClaim::Conversation(key));
                }
            }
            let whole = judge_day(day(), sightings.clone());
            prop_assert_eq!(&by_parts(&sightings, 0, 1), &whole);
            prop_assert_eq!(&by_parts(&sightings, 0, 3), &whole);
            prop_assert_eq!(&by_parts(&sightings, usize::MAX, 2), &whole);
        }
    }
}
