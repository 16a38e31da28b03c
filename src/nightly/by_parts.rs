//! A day of any size is judged part by part: its traces are folded, the calls joined, and its
//! sessions judged, each in parts of bounded size and on several threads.
//!
//! The figures are those of [`judge_day`](super::judge_day), whatever the parts: a trace lies in
//! one part, a session key lies in one part, and figures are sums.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::call::Call;
use super::divide::divide;
use super::fold::{alone, fold};
use super::gathered::Gathered;
use super::join::{By, join};
use super::judge::{Judged, Terms, judge_as_they_come, judge_calls};
use super::names::{NameId, Names};
use super::packed::Unpack;
use super::part::{Part, Reading};
use super::parts::{Adder, Parts};
use super::seen::Seen;
use super::summarise::Tally;
use super::threads;
use crate::call::{Day, SessionClaim, TraceId};
use crate::figures::DayFigures;
use crate::store::StoredSighting;

/// How many sightings or calls are worked on at a time, whole traces or sessions as they are.
const PIECE: usize = 1024;

/// The calls of what was gathered, by session key: those that are there already, and those that
/// what waits by trace folds into. `rounds` tells by what calls of different traces may be joined;
/// what may be is all among the latter.
pub(super) fn calls<'s>(
    terms: Terms,
    (gathered, calls): (Parts<'s, Gathered>, Parts<'s, Call>),
    rounds: &[By],
    names: &Names,
) -> io::Result<Parts<'s, Call>> {
    let Some((last, before)) = rounds.split_last() else {
        fold_parts(terms, gathered, names, &calls)?;
        return Ok(calls);
    };
    let mut folded = Parts::new(calls.scratch(), "folded");
    fold_parts(terms, gathered, names, &folded)?;
    for by in before {
        let joined = Parts::new(calls.scratch(), "joined");
        join_parts(terms, folded, *by, names, &joined)?;
        folded = joined;
    }
    join_parts(terms, folded, *last, names, &calls)?;
    Ok(calls)
}

fn fold_parts(
    terms: Terms,
    gathered: Parts<'_, Gathered>,
    names: &Names,
    folded: &Parts<'_, Call>,
) -> io::Result<()> {
    let begin = || folded.adder();
    let work = |adder: &mut Adder<'_, '_, Call>, gathered: &mut Vec<Gathered>| {
        let (seen, attempts) = Gathered::apart(gathered);
        let calls = fold(&seen, &attempts, names);
        calls.iter().try_for_each(|call| adder.add(of_session(terms, call), call))
    };
    each_part(gathered, begin, work, Adder::finish)
}

/// The figures of these calls.
pub(super) fn figures(
    terms: Terms,
    day: Day,
    calls: Parts<'_, Call>,
    names: &Names,
) -> io::Result<DayFigures> {
    let whole = Mutex::new(Tally::new(day, terms));
    let scratch = calls.scratch();
    let begin = || Tally::new(day, terms);
    let work = |tally: &mut Tally, calls: &mut Vec<Call>| {
        let judged = judge_as_they_come(terms, day, std::mem::take(calls), names);
        tally.add(&judged, names);
        *calls = judged.calls;
        Ok(())
    };
    let finish = |tally| {
        whole.lock().unwrap_or_else(PoisonError::into_inner).merge(tally, names);
        Ok(())
    };
    let divide = |tally: &mut Tally, part: Part<Call>| {
        if part.bytes() <= scratch.largest() {
            return Ok(vec![part]);
        }
        let divided = divide(&part, scratch, scratch.large())?;
        drop(part);
        for giant in divided.giants {
            giant.judge(terms, day, names, tally)?;
        }
        Ok(divided.parts)
    };
    each_part_divided(calls, begin, divide, work, finish)?;
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
    joined: &Parts<'s, Call>,
) -> io::Result<()> {
    let keyed = Parts::new(calls.scratch(), "keyed");
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
    each_part(keyed, begin, work, Adder::finish)
}

/// Works on every part, piece by piece. Each thread begins with a state of its own and finishes
/// it in the end.
fn each_part<T: Unpack + Send, S>(
    parts: Parts<'_, T>,
    begin: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &mut Vec<T>) -> io::Result<()> + Sync,
    finish: impl Fn(S) -> io::Result<()> + Sync,
) -> io::Result<()> {
    each_part_divided(parts, begin, |_, part| Ok(vec![part]), work, finish)
}

/// Does the same with what `divide` makes of each part.
fn each_part_divided<T: Unpack + Send, S>(
    parts: Parts<'_, T>,
    begin: impl Fn() -> S + Sync,
    divide: impl Fn(&mut S, Part<T>) -> io::Result<Vec<Part<T>>> + Sync,
    work: impl Fn(&mut S, &mut Vec<T>) -> io::Result<()> + Sync,
    finish: impl Fn(S) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let (threads, large) = (parts.scratch().threads(), parts.scratch().large());
    let parts = parts.into_parts();
    let count = threads.min(parts.len());
    let queue = Mutex::new(Queue::of(parts, large));
    let next = |was_large| queue.lock().unwrap_or_else(PoisonError::into_inner).next(was_large);
    let work_off = || {
        let (mut state, mut reading, mut is_large) = (begin(), Reading::default(), false);
        while let Some(part) = next(is_large) {
            is_large = part.bytes() > large;
            for part in divide(&mut state, part)? {
                part.each_piece(&mut reading, PIECE, |items| work(&mut state, items))?;
            }
        }
        finish(state)
    };
    threads::on(count, &work_off)
}

/// Parts that wait for a thread.
struct Queue<T> {
    /// In order of size.
    parts: Vec<Part<T>>,
    large: usize,
    is_large_at_work: bool,
}

impl<T: Unpack> Queue<T> {
    fn of(mut parts: Vec<Part<T>>, large: usize) -> Self {
        parts.sort_by_key(Part::bytes);
        Self { parts, large, is_large_at_work: false }
    }

    /// The next one: the largest first, so that no thread is left alone with it in the end, but one
    /// large one at a time. `was_large` tells of the part before, on the same thread. None where
    /// only large ones are left and another thread is at them.
    fn next(&mut self, was_large: bool) -> Option<Part<T>> {
        self.is_large_at_work &= !was_large;
        let small = self.parts.partition_point(|part| part.bytes() <= self.large);
        if self.is_large_at_work {
            return small.checked_sub(1).map(|last| self.parts.remove(last));
        }
        self.is_large_at_work = small < self.parts.len();
        self.parts.pop()
    }
}

pub(super) fn of_trace(trace: TraceId) -> u64 {
    first_eight(trace.as_bytes())
}

/// A number that all calls of one session key have in common. Its order is that in which
/// [`session`](super::session) puts keys, and so it finds a piece's calls in order.
pub(super) fn of_session(terms: Terms, call: &Call) -> u64 {
    if let Some(key) = call.conversation.or(call.transport) {
        return first_eight(key.as_bytes());
    }
    let is_of_trace = call.has_company || call.has_parent;
    if terms.infer_sessions && !is_of_trace {
        return u64::from(call.service.get()) << 32 | u64::from(call.client.get());
    }
    of_trace(call.trace_id)
}

/// The same of a sighting, as the call that it is if it is alone.
pub(super) fn of_sighting(terms: Terms, stored: &StoredSighting<'_, NameId>) -> u64 {
    match stored.session {
        Some(SessionClaim::Conversation(key) | SessionClaim::Transport(key)) => {
            first_eight(key.as_bytes())
        }
        None if terms.infer_sessions && stored.parent_span_id.is_none() => {
            of_session(terms, &alone(Seen::new(stored)))
        }
        None => of_trace(stored.trace_id),
    }
}

const fn first_eight(bytes: &[u8; 16]) -> u64 {
    match bytes.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => 0,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::arbitrary::plain_sighting;
    use crate::call::{ArgsHash, Arguments, SessionKey, Sighting};
    use crate::nightly::fold::shapes_tests::{sightings_of, traces};
    use crate::nightly::fold::tests::day;
    use crate::nightly::gathering::{Gathering, Places, Survey};
    use crate::nightly::judge_day;
    use crate::nightly::scratch::Scratch;

    /// The figures of these sightings by way of parts; `largest` is what a part may have before it
    /// is divided again.
    pub(in crate::nightly) fn by_parts(
        terms: Terms,
        sightings: &[Sighting],
        (in_memory, largest): (usize, usize),
        threads: usize,
    ) -> DayFigures {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::at(folder.path().join("parts"), in_memory, 5, threads).unwrap();
        let scratch = scratch.dividing_above(largest);
        let by_trace = Parts::new(&scratch, "sightings");
        let mut calls = Parts::new(&scratch, "calls");
        let (mut names, survey) = (Names::new(), Survey::default());
        let places = Places { by_trace: &by_trace, calls: &calls };
        let mut gathering = Gathering::new(day(), terms, &survey, places);
        for sighting in sightings {
            let told = sighting.recovery.as_ref();
            let told = told.map(|told| told.with_name(|name| names.id(name)));
            let (mut name, mut prints) = (|name: &_| names.id(name), Vec::new());
            let stored = StoredSighting::of(sighting, &mut name, &mut prints);
            gathering.add(&StoredSighting { recovery: told.as_ref(), ..stored });
        }
        gathering.finish().unwrap();
        survey.part(&mut calls, &by_trace).unwrap();
        let calls = super::calls(terms, (by_trace, calls), &survey.rounds(), &names).unwrap();
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
            let by_parts = |sizes, threads| by_parts(Terms::default(), &sightings, sizes, threads);
            prop_assert_eq!(&by_parts((0, usize::MAX), 1), &whole);
            prop_assert_eq!(&by_parts((0, usize::MAX), 3), &whole);
            prop_assert_eq!(&by_parts((0, 2000), 2), &whole);
            prop_assert_eq!(&by_parts((usize::MAX, usize::MAX), 2), &whole);
        }
    }
}
