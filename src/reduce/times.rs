//! When a call was, as far as its span tells, and whether that can be believed.

use super::context::ReduceContext;
use super::repairs::Repairs;
use crate::call::{CallDuration, Repair, UnixNanos};
use crate::figures::Refusal;
use crate::otlp::SpanView;

/// A call's times, `end` never before `start`.
pub(super) struct Times {
    pub(super) start: UnixNanos,
    pub(super) end: UnixNanos,
    /// Whether the span told its start.
    pub(super) is_known: bool,
}

/// The span's times, mended where they can be, refused where no clock can be that wrong.
pub(super) fn times(
    span: &SpanView<'_>,
    context: &ReduceContext<'_>,
    repairs: &mut Repairs,
) -> Result<Times, Refusal> {
    let is_known = span.start_unix_nanos != 0;
    let start = match (span.start_unix_nanos, span.end_unix_nanos) {
        (0, 0) => context.now,
        (0, end) => UnixNanos::new(end),
        (start, _) => UnixNanos::new(start),
    };
    if !is_known {
        repairs.note(Repair::NoStart);
    }
    let mut end = UnixNanos::new(span.end_unix_nanos);
    if end < start {
        end = start;
        if is_known {
            repairs.note(Repair::EndBeforeStart);
        }
    }
    let limits = context.limits;
    if start > context.now.saturating_add(limits.max_future) {
        return Err(Refusal::FarFuture);
    }
    let past = CallDuration::from_secs(u64::from(limits.max_past_days) * 86_400);
    if start < context.now.saturating_sub(past) {
        return Err(Refusal::TooOld);
    }
    Ok(Times { start, end, is_known })
}
