//! A log record, borrowed from the request.

use std::borrow::Cow;

use super::value::{Attributes, Value};

/// The attribute that names a record's event, asked before the body and the record's own field.
pub const EVENT_NAME: &str = "event.name";

/// A log record as it was sent; nothing in it has been checked but its framing.
#[derive(Debug, Clone, PartialEq)]
pub struct LogView<'a> {
    /// When it happened, in nanoseconds since the epoch; zero where not told.
    pub time_unix_nanos: u64,
    /// When it was observed, in nanoseconds since the epoch; zero where not told.
    pub observed_unix_nanos: u64,
    /// The record's own field for the event's name. Some exporters write a file and a line here.
    pub event_name: Cow<'a, str>,
    /// The body. It may hold content.
    pub body: Value<'a>,
    /// The record's attributes.
    pub attributes: Attributes<'a>,
    /// The trace in which it was written: sixteen bytes where valid.
    pub trace_id: Cow<'a, [u8]>,
    /// Whether invalid UTF-8 was replaced anywhere in what is kept here.
    pub is_utf8_repaired: bool,
}

impl LogView<'_> {
    /// A record of which nothing is told.
    pub(super) const fn empty() -> Self {
        Self {
            time_unix_nanos: 0,
            observed_unix_nanos: 0,
            event_name: Cow::Borrowed(""),
            body: Value::Empty,
            attributes: Attributes::new(Vec::new()),
            trace_id: Cow::Borrowed(&[]),
            is_utf8_repaired: false,
        }
    }

    /// The event's name: under [`EVENT_NAME`], else a body that is a text, else the own field.
    pub fn event(&self) -> &str {
        let body = || self.body.as_str().filter(|body| !body.is_empty());
        self.attributes.text(EVENT_NAME).or_else(body).unwrap_or(&self.event_name)
    }
}
