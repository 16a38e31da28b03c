//! A span with its resource and scope, borrowed from the request.

use std::borrow::Cow;

use super::value::Attributes;
use crate::call::SpanKind;

/// The program that sent the spans.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResourceView<'a> {
    /// The resource's attributes.
    pub attributes: Attributes<'a>,
}

/// The instrumentation that made the spans.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScopeView<'a> {
    /// The scope's name.
    pub name: Cow<'a, str>,
    /// The scope's version.
    pub version: Cow<'a, str>,
}

/// A span as it was sent; nothing in it has been checked but its framing.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanView<'a> {
    /// Sixteen bytes where valid.
    pub trace_id: Cow<'a, [u8]>,
    /// Eight bytes where valid.
    pub span_id: Cow<'a, [u8]>,
    /// Eight bytes, or none for a root.
    pub parent_span_id: Cow<'a, [u8]>,
    /// W3C tracestate.
    pub trace_state: Cow<'a, str>,
    /// The span's name.
    pub name: Cow<'a, str>,
    /// The span's kind; unknown numbers read as unspecified.
    pub kind: SpanKind,
    /// Nanoseconds since the epoch; zero where not told.
    pub start_unix_nanos: u64,
    /// Nanoseconds since the epoch; zero where not told.
    pub end_unix_nanos: u64,
    /// The span's attributes.
    pub attributes: Attributes<'a>,
    /// The span's events.
    pub events: Vec<EventView<'a>>,
    /// The span's status.
    pub status: StatusView<'a>,
    /// Whether invalid UTF-8 was replaced anywhere in what is kept here.
    pub is_utf8_repaired: bool,
}

/// Something that happened within a span.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventView<'a> {
    /// The event's name.
    pub name: Cow<'a, str>,
    /// The event's attributes.
    pub attributes: Attributes<'a>,
}

/// How the span says that it ended. Its message may hold content: it is read to classify, in
/// memory only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusView<'a> {
    /// The code.
    pub code: StatusCode,
    /// The description.
    pub message: Cow<'a, str>,
}

/// A span's status code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StatusCode {
    /// Not told.
    #[default]
    Unset,
    /// Told to have gone well.
    Ok,
    /// Told to have failed.
    Error,
}
