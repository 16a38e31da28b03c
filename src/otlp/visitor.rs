//! What both encodings show of a request.

use super::log_view::LogView;
use super::span_view::{ResourceView, ScopeView, SpanView};

/// Decides which spans are read, and takes them.
pub trait Visitor {
    /// Whether a span with an attribute of this key is wanted.
    fn is_deciding_key(&self, key: &[u8]) -> bool;

    /// Whether a span whose attribute of a deciding key holds this text is wanted for it. Not
    /// every encoding asks; a span that need not have been read must do no harm.
    fn is_deciding_text(&self, key: &[u8], text: &[u8]) -> bool;

    /// Whether a span of this name is wanted.
    fn is_deciding_name(&self, name: &[u8]) -> bool;

    /// A resource begins: its `service.name` as sent, empty where it has none, and how many
    /// spans it holds, wanted or not.
    fn resource(&mut self, service_name: &str, spans: u64);

    /// A wanted span, in the order sent within its resource.
    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>);
}

/// Decides which log records are read, and takes them.
pub trait LogVisitor {
    /// Whether a record of an event of this name is wanted. The name is the text under the
    /// attribute [`EVENT_NAME`](super::EVENT_NAME), the body, or the record's own field.
    fn is_deciding_event(&self, name: &[u8]) -> bool;

    /// A resource begins: its `service.name` as sent, empty where it has none, and how many
    /// records it holds, wanted or not.
    fn resource(&mut self, service_name: &str, records: u64);

    /// A wanted record, in the order sent within its resource.
    fn log(&mut self, log: LogView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>);
}
