//! A downstream attempt as a row of `attempts`: as it is written and as it is read.

use clickhouse::Row;
use serde::{Deserialize, Serialize};

use super::sighting_row::{stored, word};
use crate::call::{
    Attempt, AttemptEnd, AttemptKind, CallDuration, Name, SpanId, TraceId, UnixNanos,
};
use crate::store::batch::day_of;

/// One row; the columns are those of `schema/attempts.sql`.
#[derive(Debug, Row, Serialize, Deserialize)]
pub(super) struct AttemptRow<'a> {
    day: u32,
    trace_id: [u8; 16],
    span_id: [u8; 8],
    parent_span_id: [u8; 8],
    #[serde(borrow)]
    emitter: Option<&'a str>,
    kind: i8,
    dependency: &'a str,
    operation: [u8; 4],
    start: u64,
    duration: u64,
    ended: i8,
    resends: u32,
    received: u64,
}

impl<'a> AttemptRow<'a> {
    /// The row of an attempt that was received then.
    pub(super) fn of(attempt: &'a Attempt, received: UnixNanos) -> Self {
        Self {
            day: day_of(attempt.start).number(),
            trace_id: *attempt.trace_id.as_bytes(),
            span_id: *attempt.span_id.as_bytes(),
            parent_span_id: *attempt.parent_span_id.as_bytes(),
            emitter: attempt.emitter.as_ref().map(Name::as_str),
            kind: stored(attempt.kind.index()),
            dependency: attempt.dependency.as_str(),
            operation: attempt.operation,
            start: attempt.start.get(),
            duration: duration(attempt.start, attempt.end),
            ended: stored(attempt.ended.index()),
            resends: attempt.resends,
            received: received.get(),
        }
    }

    /// The attempt, each name as what `name` makes of it; none where a value is none that firstcall
    /// writes.
    pub(super) fn attempt<N>(&self, name: &mut dyn FnMut(&str) -> N) -> Option<Attempt<N>> {
        Some(Attempt {
            trace_id: TraceId::from_bytes(&self.trace_id)?,
            span_id: SpanId::from_bytes(&self.span_id)?,
            parent_span_id: SpanId::from_bytes(&self.parent_span_id)?,
            emitter: self.emitter.map(&mut *name),
            kind: word(self.kind, AttemptKind::from_index)?,
            dependency: name(self.dependency),
            operation: self.operation,
            start: UnixNanos::new(self.start),
            end: UnixNanos::new(self.start.checked_add(self.duration)?),
            ended: word(self.ended, AttemptEnd::from_index)?,
            resends: self.resends,
        })
    }
}

/// Nanoseconds from start to end; none where the end comes first.
pub(super) fn duration(start: UnixNanos, end: UnixNanos) -> u64 {
    end.since(start).map_or(0, CallDuration::as_nanos)
}
