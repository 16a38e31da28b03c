//! Looks at the calls that were kept: what their sightings carry, by emitter, scope and dialect.
//!
//! Each sighting is looked at by itself, and then beside the others of its trace: what another
//! one of them carries, the folded call will have (METHOD section 8).

use std::collections::BTreeMap;

use crate::call::{
    Confidence, Emptiness, Name, Outcome, SessionClaim, SessionGrade, Sighting, UnixNanos,
};
use crate::figures::Counts;
use crate::store::{ReceivedRead, Store, StoreError};

/// Sightings that are looked at; of more the latest. Thirty-two bytes are held of each.
const MAX_SIGHTINGS: u64 = 1_000_000;

/// Whose sightings: emitter, scope and dialect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GroupKey {
    pub(super) emitter: Name,
    pub(super) scope: Name,
    pub(super) dialect: Name,
}

/// What the sightings of one emitter, scope and dialect carry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DialectCounts {
    /// Sightings, each counted once.
    pub calls: u64,
    /// The same ones that came again.
    pub duplicates: u64,
    /// With a hash of their arguments.
    pub args_hash: u64,
    /// With neither a hash nor another sighting in their trace that has one.
    pub without_arguments: u64,
    /// With arguments that were cut or redacted.
    pub args_hidden: u64,
    /// That ended well.
    pub ok: u64,
    /// Of these, with it known whether the answer was empty.
    pub emptiness_known: u64,
    /// Of these, without it, here and in the rest of the trace.
    pub without_emptiness: u64,
    /// Of these, by an instrumentation that is known to hide failures.
    pub low_confidence: u64,
    /// By how well the sighting itself tells its session; D is decided at night.
    pub grades: Counts<SessionGrade>,
    /// The same with what another sighting of the trace names.
    pub grades_in_trace: Counts<SessionGrade>,
    /// With a mark of sampling.
    pub sampled: u64,
}

/// What was looked at.
#[derive(Debug, Default)]
pub(super) struct Examined {
    pub(super) groups: BTreeMap<GroupKey, DialectCounts>,
    pub(super) read: ReceivedRead,
    /// A file of sightings that could not be read whole.
    pub(super) damage: Option<StoreError>,
}

const HAS_ARGUMENTS: u16 = 1;
const IS_HIDDEN: u16 = 1 << 1;
const IS_OK: u16 = 1 << 2;
const KNOWS_EMPTINESS: u16 = 1 << 3;
const IS_CONVERSATION: u16 = 1 << 4;
const IS_TRANSPORT: u16 = 1 << 5;
const HAS_PARENT: u16 = 1 << 6;
const IS_SAMPLED: u16 = 1 << 7;
const IS_LOW: u16 = 1 << 8;

/// A sighting, as far as it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    trace: [u8; 16],
    span: [u8; 8],
    group: u32,
    flags: u16,
}

fn flags(sighting: &Sighting) -> u16 {
    let is_ok = sighting.outcome == Outcome::Ok;
    let hides = sighting
        .arguments
        .as_ref()
        .is_some_and(|arguments| arguments.hides || arguments.form == crate::call::ArgsForm::Cut);
    let flag = |holds: bool, flag: u16| if holds { flag } else { 0 };
    flag(sighting.arguments.is_some(), HAS_ARGUMENTS)
        | flag(hides, IS_HIDDEN)
        | flag(is_ok, IS_OK)
        | flag(is_ok && sighting.emptiness != Emptiness::Unknown, KNOWS_EMPTINESS)
        | flag(is_ok && sighting.confidence == Confidence::Low, IS_LOW)
        | flag(matches!(sighting.session, Some(SessionClaim::Conversation(_))), IS_CONVERSATION)
        | flag(matches!(sighting.session, Some(SessionClaim::Transport(_))), IS_TRANSPORT)
        | flag(sighting.parent_span_id.is_some(), HAS_PARENT)
        | flag(sighting.is_sampled, IS_SAMPLED)
}

/// Looks at what `store` received at `since` or later.
pub(super) fn examine(store: &Store, since: UnixNanos) -> Result<Examined, StoreError> {
    let mut numbers: BTreeMap<GroupKey, u32> = BTreeMap::new();
    let mut records = Vec::new();
    let mut visit = |sighting: Sighting| {
        let flags = flags(&sighting);
        let key = GroupKey {
            emitter: sighting.emitter.unwrap_or_else(|| Name::cut("")),
            scope: sighting.scope,
            dialect: sighting.dialect,
        };
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        let group = *numbers.entry(key).or_insert(next);
        let (trace, span) = (*sighting.trace_id.as_bytes(), *sighting.span_id.as_bytes());
        records.push(Record { trace, span, group, flags });
    };
    let (read, damage) = match store.read_received(since, MAX_SIGHTINGS, &mut visit) {
        Ok(read) => (read, None),
        Err(error @ StoreError::Corrupt { .. }) => (ReceivedRead::default(), Some(error)),
        Err(error) => return Err(error),
    };
    let mut counts = vec![DialectCounts::default(); numbers.len()];
    records.sort_unstable();
    for trace in records.chunk_by(|a, b| a.trace == b.trace) {
        add_trace(trace, &mut counts);
    }
    let by_number = |number: u32| {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        counts.get(place).cloned().unwrap_or_default()
    };
    let groups = numbers.into_iter().map(|(key, number)| (key, by_number(number))).collect();
    Ok(Examined { groups, read, damage })
}

/// Adds the sightings of one trace, which stand in the order of their spans.
fn add_trace(trace: &[Record], counts: &mut [DialectCounts]) {
    let spans = trace.chunk_by(|a, b| a.span == b.span);
    let firsts: Vec<&Record> = spans.clone().filter_map(<[Record]>::first).collect();
    let carried = firsts.iter().fold(0, |flags, record| flags | record.flags);
    // The client's and the server's sighting of one call are of two groups as a rule.
    let mut of_groups: BTreeMap<u32, u32> = BTreeMap::new();
    for record in &firsts {
        *of_groups.entry(record.group).or_default() += 1;
    }
    for span in spans {
        let Some(first) = span.first() else { continue };
        let place = usize::try_from(first.group).unwrap_or(usize::MAX);
        let Some(counts) = counts.get_mut(place) else { continue };
        counts.duplicates += span.len() as u64 - 1;
        let is_alone = of_groups.get(&first.group) == Some(&1);
        add(first.flags, carried, is_alone, counts);
    }
}

/// Adds a sighting of which these flags hold; of its trace hold all that are `carried`.
fn add(flags: u16, carried: u16, is_alone: bool, counts: &mut DialectCounts) {
    let has = |flag: u16| flags & flag != 0;
    let trace_has = |flag: u16| carried & flag != 0;
    let count = |to: &mut u64, holds: bool| *to += u64::from(holds);
    counts.calls += 1;
    count(&mut counts.args_hash, has(HAS_ARGUMENTS));
    count(&mut counts.without_arguments, !trace_has(HAS_ARGUMENTS));
    count(&mut counts.args_hidden, has(IS_HIDDEN));
    count(&mut counts.ok, has(IS_OK));
    count(&mut counts.emptiness_known, has(KNOWS_EMPTINESS));
    count(&mut counts.without_emptiness, has(IS_OK) && !trace_has(KNOWS_EMPTINESS));
    count(&mut counts.low_confidence, has(IS_LOW));
    count(&mut counts.sampled, has(IS_SAMPLED));
    let grade = match () {
        () if has(IS_CONVERSATION) => SessionGrade::A,
        () if has(IS_TRANSPORT) => SessionGrade::B,
        () if has(HAS_PARENT) || !is_alone => SessionGrade::C,
        () => SessionGrade::E,
    };
    counts.grades.add(grade, 1);
    let in_trace = match () {
        () if trace_has(IS_CONVERSATION) => SessionGrade::A,
        () if trace_has(IS_TRANSPORT) => SessionGrade::B,
        () => grade,
    };
    counts.grades_in_trace.add(in_trace, 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(span: u8, group: u32, flags: u16) -> Record {
        Record { trace: [1; 16], span: [span; 8], group, flags }
    }

    fn of_trace(records: &[Record], groups: usize) -> Vec<DialectCounts> {
        let mut sorted = records.to_vec();
        sorted.sort_unstable();
        let mut counts = vec![DialectCounts::default(); groups];
        add_trace(&sorted, &mut counts);
        counts
    }

    #[test]
    fn what_another_sighting_of_the_trace_carries_is_not_missing() {
        let agent = record(1, 0, HAS_ARGUMENTS | IS_OK | IS_CONVERSATION);
        let server = record(2, 1, IS_OK | KNOWS_EMPTINESS | HAS_PARENT);
        let counts = of_trace(&[server, agent], 2);
        let of_agent = &counts[0];
        assert_eq!((of_agent.calls, of_agent.args_hash, of_agent.without_arguments), (1, 1, 0));
        assert_eq!((of_agent.emptiness_known, of_agent.without_emptiness), (0, 0));
        assert_eq!(of_agent.grades.get(SessionGrade::A), 1);
        let of_server = &counts[1];
        assert_eq!((of_server.args_hash, of_server.without_arguments), (0, 0));
        assert_eq!(of_server.grades.get(SessionGrade::C), 1);
        assert_eq!(of_server.grades_in_trace.get(SessionGrade::A), 1);
    }

    #[test]
    fn the_same_span_again_is_a_duplicate_and_no_second_call() {
        let counts = of_trace(&[record(1, 0, IS_OK), record(1, 0, IS_OK)], 1);
        assert_eq!((counts[0].calls, counts[0].duplicates), (1, 1));
        // It is alone in its trace and has no parent.
        assert_eq!(counts[0].grades.get(SessionGrade::E), 1);
        assert_eq!((counts[0].without_arguments, counts[0].without_emptiness), (1, 1));
    }

    #[test]
    fn two_calls_of_a_trace_have_a_session_of_grade_c() {
        let counts = of_trace(&[record(1, 0, 0), record(2, 0, IS_SAMPLED)], 1);
        assert_eq!(counts[0].grades.get(SessionGrade::C), 2);
        assert_eq!((counts[0].sampled, counts[0].ok), (1, 0));
    }
}
