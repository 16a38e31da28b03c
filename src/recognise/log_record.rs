//! A log record as the span of the call that it tells of, so that both are read by the same rules.

use std::borrow::Cow;

use crate::call::SpanKind;
use crate::otlp::{LogView, SpanView, StatusView};

/// The record as a span: its name is the event's, without the prefix that Claude Code puts
/// before it in the body; its start is the record's time, its end the time of observation. What
/// these two are of the call, and which call it is, depends on the dialect: reduce tells.
pub fn as_span(log: LogView<'_>) -> SpanView<'_> {
    let event = log.event();
    let name = event.strip_prefix("claude_code.").unwrap_or(event).to_owned();
    SpanView {
        trace_id: log.trace_id,
        span_id: Cow::Borrowed(&[]),
        parent_span_id: Cow::Borrowed(&[]),
        trace_state: Cow::Borrowed(""),
        name: Cow::Owned(name),
        kind: SpanKind::Internal,
        start_unix_nanos: log.time_unix_nanos,
        end_unix_nanos: log.observed_unix_nanos,
        attributes: log.attributes,
        events: Vec::new(),
        status: StatusView::default(),
        is_utf8_repaired: log.is_utf8_repaired,
    }
}
