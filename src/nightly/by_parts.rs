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
use super::join::{By, Layers, join};
use super::judge::{Judged, Terms, is_near, judge_calls};
use super::names::Names;
use super::packed::Packed;
use super::parts::{Adder, Part, Parts, Scratch};
use super::seen::Seen;
use super::summarise::Tally;
use crate::call::{Day, Sighting, TraceId};
use crate::figures::DayFigures;

/// A day whose sightings are being gathered.
#[derive(Debug)]
pub(super) struct Gathering<'p, 's> {
    day: Day,
    names: Names,
    adder: Adder<'p, 's, Seen>,
    failed: Option<io::Error>,
    count: u64,
}

impl<'p, 's> Gathering<'p, 's> {
    /// Nothing gathered yet.
    pub(super) fn new(day: Day, parts: &'p Parts<'s, Seen>) -> Self {
        Self { day, names: Names::new(), adder: parts.adder(), failed: None, count: 0 }
    }

    /// Takes in a sighting of the day or its margins.
    pub(super) fn add(&mut self, sighting: &Sighting) {
        if !is_near(self.day, sighting.start) || self.failed.is_some() {
            return;
        }
        let seen = Seen::new(sighting, &mut self.names);
        self.count += 1;
        self.failed = self.adder.add(of_trace(seen.trace_id), seen).err();
    }

    /// How many sightings were taken in.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// All names, once everything is gathered.
    pub(super) fn finish(self) -> io::Result<Names> {
        self.failed.map_or(Ok(()), Err)?;
        self.adder.finish()?;
        Ok(self.names)
    }
}

/// The calls of what was gathered, by session key.
pub(super) fn calls<'s>(
    terms: Terms,
    gathered: Parts<'_, Seen>,
    names: &Names,
    scratch: &'s Scratch,
) -> io::Result<Parts<'s, Call>> {
    let layers = Mutex::new(Layers::default());
    let folded = Parts::new(scratch, "calls");
    each_part(gathered.into_parts()?, |seen| {
        let calls = fold(seen, names);
        layers.lock().unwrap_or_else(PoisonError::into_inner).note(&calls);
        add_all(calls, &folded, |call| of_session(terms, call))
    })?;
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
    let tally = Mutex::new(Tally::new(day, terms));
    each_part(calls.into_parts()?, |calls| {
        let mut mine = Tally::new(day, terms);
        mine.add(&judge_calls(terms, day, calls, names), names);
        tally.lock().unwrap_or_else(PoisonError::into_inner).merge(mine);
        Ok(())
    })?;
    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(tally.figures(names))
}

/// Judges these calls and hands them to `visit`, part by part and always in the same order.
pub(super) fn each_judged(
    terms: Terms,
    day: Day,
    calls: Parts<'_, Call>,
    names: &Names,
    visit: &mut dyn FnMut(&Judged),
) -> io::Result<()> {
    for part in calls.into_parts()? {
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
    each_part(calls.into_parts()?, |calls| {
        let (mut through, mut waiting) = (joined.adder(), keyed.adder());
        for call in calls {
            match by.key(&call.joint) {
                Some(key) => waiting.add(key, call)?,
                None => through.add(of_session(terms, &call), call)?,
            }
        }
        through.finish()?;
        waiting.finish()
    })?;
    each_part(keyed.into_parts()?, |calls| {
        add_all(join(calls, by, names), &joined, |call| of_session(terms, call))
    })?;
    Ok(joined)
}

fn add_all<T: Packed>(
    items: Vec<T>,
    parts: &Parts<'_, T>,
    key: impl Fn(&T) -> u64,
) -> io::Result<()> {
    let mut adder = parts.adder();
    for item in items {
        adder.add(key(&item), item)?;
    }
    adder.finish()
}

/// Works on every part, on as many threads as there are processors, four at most: a part per
/// thread is in memory.
fn each_part<T: Packed + Send>(
    parts: Vec<Part<T>>,
    work: impl Fn(Vec<T>) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(4).min(parts.len());
    let waiting = Mutex::new(parts);
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let work_off = || {
        while let Some(part) = next() {
            work(part.load()?)?;
        }
        Ok(())
    };
    if threads <= 1 {
        return work_off();
    }
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work_off)).collect();
        let mine = work_off();
        others.into_iter().fold(mine, |before, other| match other.join() {
            Ok(result) => before.and(result),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

fn of_trace(trace: TraceId) -> u64 {
    first_eight(trace.as_bytes())
}

/// A number that all calls of one session key have in common.
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
        Some(first) => u64::from_le_bytes(*first),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::arbitrary::plain_sighting;
    use crate::call::{ArgsHash, Arguments, SessionClaim, SessionKey};
    use crate::nightly::fold::tests::{day, sightings_of, traces};
    use crate::nightly::judge_day;

    fn by_parts(sightings: &[Sighting], in_memory: usize) -> DayFigures {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::at(folder.path().join("parts"), in_memory, 5).unwrap();
        let parts = Parts::new(&scratch, "sightings");
        let mut gathering = Gathering::new(day(), &parts);
        for sighting in sightings {
            gathering.add(sighting);
        }
        let names = gathering.finish().unwrap();
        let terms = Terms::default();
        let calls = calls(terms, parts, &names, &scratch).unwrap();
        figures(terms, day(), calls, &names).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn the_parts_do_not_change_the_figures(
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
            prop_assert_eq!(&by_parts(&sightings, 0), &whole);
            prop_assert_eq!(&by_parts(&sightings, usize::MAX), &whole);
        }
    }
}
