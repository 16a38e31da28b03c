//! What both encodings show of a request.

use std::borrow::Cow;

use super::DecodeError;
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

    /// Whether client spans below other spans are wanted of the resource that was begun last.
    /// Asked after its wanted spans were shown.
    fn wants_children(&self) -> bool {
        false
    }

    /// Whether an attribute of this key is read of a client span that is wanted as a child alone.
    fn is_child_key(&self, _key: &[u8]) -> bool {
        false
    }

    /// A resource begins: its `service.name` as sent, empty where it has none, and how many
    /// spans it holds, wanted or not.
    fn resource(&mut self, service_name: &str, spans: u64);

    /// A scope of that resource begins: its name as sent, empty where it has none, and how many
    /// spans it holds, wanted or not.
    fn scope(&mut self, _name: &str, _spans: u64) {}

    /// A wanted span, in the order sent within its resource.
    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>);

    /// A client span that has a parent and is not wanted for itself, after the wanted spans of its
    /// resource. Events and attributes of other keys may be left out of it.
    fn child(&mut self, _span: &SpanView<'_>) {}
}

/// Scopes of a resource of which no span is wanted.
#[derive(Debug, Default)]
pub(super) struct Unread<'a> {
    scopes: Vec<(Cow<'a, str>, u64)>,
    others: u64,
}

impl<'a> Unread<'a> {
    /// Scopes that are told apart; a scope takes six bytes to send and ten times that to keep.
    const MAX: usize = 1000;

    /// Adds a scope with its spans. Nothing of it is read, so a name that is none does no harm.
    pub(super) fn add(
        &mut self,
        spans: u64,
        name: impl FnOnce() -> Result<Cow<'a, str>, DecodeError>,
    ) {
        if self.scopes.len() < Self::MAX && spans > 0 {
            self.scopes.push((name().unwrap_or_default(), spans));
        } else {
            self.others += spans;
        }
    }

    /// Shows the scopes to `visitor`, those that are not told apart without a name.
    pub(super) fn show_to(&self, visitor: &mut impl Visitor) {
        self.scopes.iter().for_each(|(name, spans)| visitor.scope(name, *spans));
        if self.others > 0 {
            visitor.scope("", self.others);
        }
    }
}
