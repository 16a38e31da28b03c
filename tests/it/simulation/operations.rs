//! Generated lists: what is sent, and what happens in between.

use std::fmt;

use firstcall::call::{CallDuration, Sighting, SpanId, TraceId};
use proptest::prelude::*;

use crate::nightly::histories;

/// One thing that happens. Numbers of messages are taken modulo how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A message is sent and answered; sent before or not.
    Send(usize),
    /// A message is sent, and the server is killed before it commits.
    CrashBeforeCommit(usize),
    /// A message is sent, and the server is killed after the commit and before the answer.
    CrashAfterCommit(usize),
    /// The server is killed and starts again.
    Restart,
    /// So many hours go by.
    Advance(u64),
    /// A pass over what is due.
    Pass,
    /// A pass that is killed when it has told of so many steps.
    KilledPass(usize),
    /// The erasure after a pass.
    Erase,
    /// An erasure that is killed after a day was noted and before its file was gone.
    KilledErase,
}

/// What is sent, in messages, and what happens.
#[derive(Clone)]
pub(crate) struct List {
    pub(crate) messages: Vec<Vec<Sighting>>,
    pub(crate) operations: Vec<Operation>,
}

/// The sightings would fill pages; the oracle's messages name those that matter.
impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<usize> = self.messages.iter().map(Vec::len).collect();
        write!(f, "messages of {sizes:?}, {:?}", self.operations)
    }
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        8 => (0..12_usize).prop_map(Operation::Send),
        2 => (0..12_usize).prop_map(Operation::CrashBeforeCommit),
        2 => (0..12_usize).prop_map(Operation::CrashAfterCommit),
        1 => Just(Operation::Restart),
        4 => prop_oneof![Just(7_u64), Just(24), Just(50), Just(74)].prop_map(Operation::Advance),
        4 => Just(Operation::Pass),
        3 => (0..8_usize).prop_map(Operation::KilledPass),
        3 => Just(Operation::Erase),
        1 => Just(Operation::KilledErase),
    ]
}

/// The same history `days` days later, with ids of its own.
fn moved(history: Vec<Sighting>, days: u8) -> Vec<Sighting> {
    let by = CallDuration::from_secs(u64::from(days) * 86_400);
    let span = |id: SpanId| {
        let mut bytes = *id.as_bytes();
        bytes[0] ^= days;
        SpanId::from_bytes(&bytes).unwrap_or(id)
    };
    let one = |mut sighting: Sighting| {
        let mut trace = *sighting.trace_id.as_bytes();
        trace[0] ^= days;
        sighting.trace_id = TraceId::from_bytes(&trace).unwrap();
        sighting.span_id = span(sighting.span_id);
        sighting.parent_span_id = sighting.parent_span_id.map(span);
        sighting.start = sighting.start.saturating_add(by);
        sighting.end = sighting.end.saturating_add(by);
        sighting
    };
    history.into_iter().map(one).collect()
}

/// Up to three histories on days close together, cut into messages, and what happens to them.
pub(crate) fn list() -> impl Strategy<Value = List> {
    let history = (histories::history(), 0..4_u8);
    let histories = prop::collection::vec(history, 1..4).prop_map(|histories| {
        // One history a day at most: two of one day would share their ids.
        let by_day: std::collections::BTreeMap<u8, Vec<Sighting>> =
            histories.into_iter().map(|(history, days)| (days, history)).collect();
        by_day.into_iter().flat_map(|(days, history)| moved(history, days)).collect::<Vec<_>>()
    });
    let operations = prop::collection::vec(operation(), 1..14);
    (histories.prop_shuffle(), 1..9_usize, operations).prop_map(|(all, size, operations)| List {
        messages: all.chunks(size).map(<[Sighting]>::to_vec).collect(),
        operations,
    })
}
