//! What both encodings show of a request.

use std::borrow::Cow;

use super::DecodeError;
use super::log_view::LogView;
use super::span_view::{ResourceView, ScopeView, SpanView};

/// Takes what a request tells beside its items, which are spans or log records.
pub trait Outline {
    /// The request is JSON that holds something, and no member of it is one of the request's.
    fn nothing_known(&mut self) {}

    /// A resource begins: its `service.name` as sent, empty where it has none, and how many
    /// items it holds, wanted or not.
    fn resource(&mut self, service_name: &str, items: u64);

    /// A scope of that resource begins: its name as sent, empty where it has none, and how many
    /// items it holds, wanted or not. One of which none is wanted is shown before the others.
    fn scope(&mut self, _name: &str, _items: u64) {}
}

/// Decides which spans are read, and takes them.
pub trait Visitor: Outline {
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

    /// A wanted span, in the order sent within its resource.
    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>);

    /// A client span that has a parent and is not wanted for itself, after the wanted spans of its
    /// resource. Events and attributes of other keys may be left out of it.
    fn child(&mut self, _span: &SpanView<'_>) {}
}

/// What a span or a log record is looked at for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// It is read whole.
    Whole,
    /// It is a client span below another one, which may be wanted as such.
    Child,
    /// Only its framing is checked.
    Nothing,
}

impl Wish {
    pub(super) const fn of(is_wanted: bool, is_child: bool) -> Self {
        match (is_wanted, is_child) {
            (true, _) => Self::Whole,
            (false, true) => Self::Child,
            (false, false) => Self::Nothing,
        }
    }
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

    /// Shows the scopes, those that are not told apart without a name.
    pub(super) fn show(&self, mut scope: impl FnMut(&str, u64)) {
        self.scopes.iter().for_each(|(name, items)| scope(name, *items));
        if self.others > 0 {
            scope("", self.others);
        }
    }
}

/// Decides which log records are read, and takes them.
pub trait LogVisitor: Outline {
    /// Whether a record of an event of this name is wanted. The name is the text under the
    /// attribute [`EVENT_NAME`](super::EVENT_NAME), the body, or the record's own field.
    fn is_deciding_event(&self, name: &[u8]) -> bool;

    /// A wanted record, in the order sent within its resource.
    fn log(&mut self, log: LogView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>);
}
