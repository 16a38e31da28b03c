//! Recognise: is a span a tool call, and in whose dialect?
//!
//! A borrowed span comes in; out goes the dialect in which it says that a tool was called, or
//! why it is no call. Nothing is kept here, and no content is looked at beyond what decides.

mod not_a_call;

pub use not_a_call::NotACall;

use crate::otlp::{ResourceView, ScopeView, SpanView};

/// What a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recognition {
    /// A tool call.
    Call(Recognised),
    /// It looks like a tool call and is none.
    NotACall(NotACall),
    /// Nothing about it looks like a tool call.
    Ordinary,
}

/// A span that is a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recognised {
    /// The dialect's stable name, as it is counted and shown.
    pub dialect: &'static str,
}

/// Tells what `span` is.
pub fn recognise(
    _span: &SpanView<'_>,
    _scope: &ScopeView<'_>,
    _resource: &ResourceView<'_>,
) -> Recognition {
    Recognition::Ordinary
}

/// Whether an attribute of this key makes its span worth reading whole.
pub const fn is_deciding_key(_key: &[u8]) -> bool {
    true
}

/// Whether a span of this name is worth reading whole.
pub const fn is_deciding_name(_name: &[u8]) -> bool {
    true
}
