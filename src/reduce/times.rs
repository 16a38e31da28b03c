//! When a call was, as far as its span tells, and whether that can be believed.

use super::context::ReduceContext;
use super::repairs::Repairs;
use crate::call::{CallDuration, Repair, UnixNanos};
use crate::figures::Refusal;
use crate::recognise::{Dialect, Key, LogTime, Seen};

/// A call's times, `end` never before `start`.
pub(super) struct Times {
    pub(super) start: UnixNanos,
    pub(super) end: UnixNanos,
    /// Whether the span told its start.
    pub(super) is_known: bool,
}

/// The call's times, mended where they can be, refused where no clock can be that wrong.
pub(super) fn times(
    seen: &Seen<'_>,
    rules: &Dialect,
    context: &ReduceContext<'_>,
    repairs: &mut Repairs,
) -> Result<Times, Refusal> {
    let (told_start, told_end) = match rules.log_time {
        Some(log_time) => of_log(seen, log_time),
        None => (seen.span.start_unix_nanos, seen.span.end_unix_nanos),
    };
    let is_known = told_start != 0;
    let start = match (told_start, told_end) {
        (0, 0) => context.now,
        (0, end) => UnixNanos::new(end),
        (start, _) => UnixNanos::new(start),
    };
    if !is_known {
        repairs.note(Repair::NoStart);
    }
    let mut end = UnixNanos::new(told_end);
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

/// Start and end of the call that a log record tells of, zero where not told. The record's time
/// is one of them, and the call's duration leads to the other; some senders tell only when the
/// record was observed, or write the time as a text.
fn of_log(seen: &Seen<'_>, log_time: LogTime) -> (u64, u64) {
    let (time, observed) = (seen.span.start_unix_nanos, seen.span.end_unix_nanos);
    let told = [time, observed].into_iter().find(|nanos| *nanos != 0);
    let time = told.or_else(|| in_text(seen.text(Key::EventTimestamp)?)).unwrap_or(0);
    let duration = seen.integer(Key::DurationMs).or_else(|| {
        // Some send fractions of a millisecond.
        seen.number(Key::DurationMs).map(f64::round).and_then(whole)
    });
    let duration = duration.and_then(|millis| u64::try_from(millis).ok());
    let Some(duration) = duration.map(|millis| millis.saturating_mul(1_000_000)) else {
        return (0, time);
    };
    match log_time {
        _ if time == 0 => (0, 0),
        LogTime::Start => (time, time.saturating_add(duration)),
        LogTime::End => (time.saturating_sub(duration), time),
    }
}

/// A time in RFC 3339 as nanoseconds since the epoch.
fn in_text(text: &str) -> Option<u64> {
    let time = chrono::DateTime::parse_from_rfc3339(text.trim()).ok()?;
    u64::try_from(time.timestamp_nanos_opt()?).ok()
}

/// A number without a fraction as an integer; none where it is none that matters here.
fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "saturates, and is far beyond any time")]
    (number.is_finite() && number >= 0.0).then_some(number as i64)
}
