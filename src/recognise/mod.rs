//! Recognise: is a span or a log record a tool call, and in whose dialect?
//!
//! A borrowed span comes in; out goes the dialect in which it says that a tool was called, or why
//! it is no call. A log record is looked at as the span of the call that it tells of. The order of
//! rules is fixed: the MCP method, the operation, then the dialects one after the other, the first
//! hit wins, then what is never a call. Nothing is kept here, and no content is looked at beyond
//! what decides.

mod attribute_names;
mod deciding;
mod dialect;
mod dialects;
mod downstream;
mod key_table;
mod lists;
mod log_record;
mod never;
mod not_a_call;
mod seen;

pub use deciding::{is_deciding_event, is_deciding_key, is_deciding_name, is_deciding_text};
pub use downstream::is_downstream_key;
pub use lists::{EVENTS, NAME_ENDS, NAME_STARTS, deciding_keys, deciding_texts, is_known_key};
pub use log_record::as_span;
pub use not_a_call::NotACall;

pub(crate) use attribute_names::{
    EXCEPTION_EVENT, EXCEPTION_MESSAGE, EXCEPTION_TYPE, GIVEN_HASHES, Key, SAMPLING_PREFIX,
    SERVICE_VERSION,
};
pub(crate) use dialect::{ArgumentsFrom, ClientFrom, Dialect, LogTime, ResultFrom, Side, ToolFrom};
pub(crate) use downstream::{Asked, AskedKey, downstream_kind};
pub(crate) use seen::{Seen, word};

use crate::otlp::{ResourceView, ScopeView, SpanView};
pub(crate) use dialects::copilot::{hashed_parts, short_hash};
use dialects::{DIALECTS, LOG_DIALECTS, TOLD_BY_LOG, TOLD_BY_SPAN};
use never::Gate;

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
#[derive(Clone, Copy)]
pub struct Recognised {
    /// The dialect's stable name, as it is counted and shown.
    pub dialect: &'static str,
    /// Where this dialect says what.
    pub(crate) rules: &'static Dialect,
}

impl std::fmt::Debug for Recognised {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Recognised({})", self.dialect)
    }
}

// A dialect's name identifies it: a test keeps the names distinct.
impl PartialEq for Recognised {
    fn eq(&self, other: &Self) -> bool {
        self.dialect == other.dialect
    }
}

impl Eq for Recognised {}

/// Tells what `span` is (dialects.md 11.1).
pub fn recognise(
    span: &SpanView<'_>,
    scope: &ScopeView<'_>,
    resource: &ResourceView<'_>,
) -> Recognition {
    let seen = Seen::new(span, scope, resource);
    match never::gate(&seen) {
        Gate::Open => {}
        Gate::Shut(reason) => return Recognition::NotACall(reason),
        Gate::Ordinary => return Recognition::Ordinary,
    }
    if TOLD_BY_LOG.iter().any(|test| test(&seen)) {
        return Recognition::NotACall(NotACall::ToldByLog);
    }
    let Some(rules) = DIALECTS.iter().copied().find(|dialect| (dialect.test)(&seen)) else {
        return never::part(&seen).map_or(Recognition::Ordinary, Recognition::NotACall);
    };
    recognised(rules, &seen)
}

/// Tells what a log record is, made a span by [`as_span`]. Its event's name and its scope decide.
pub fn recognise_log(
    log: &SpanView<'_>,
    scope: &ScopeView<'_>,
    resource: &ResourceView<'_>,
) -> Recognition {
    let seen = Seen::new(log, scope, resource);
    if TOLD_BY_SPAN.iter().any(|test| test(&seen)) {
        return Recognition::NotACall(NotACall::ToldBySpan);
    }
    match LOG_DIALECTS.iter().copied().find(|dialect| (dialect.test)(&seen)) {
        Some(rules) => recognised(rules, &seen),
        None => Recognition::Ordinary,
    }
}

fn recognised(rules: &'static Dialect, seen: &Seen<'_>) -> Recognition {
    match (rules.never)(seen).or_else(|| never::reason(seen)) {
        Some(reason) => Recognition::NotACall(reason),
        None => Recognition::Call(Recognised { dialect: rules.name, rules }),
    }
}

/// The stable names of every dialect, in the order in which they are asked.
pub fn dialect_names() -> impl Iterator<Item = &'static str> {
    DIALECTS.iter().chain(LOG_DIALECTS).map(|dialect| dialect.name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_dialect_has_a_name_of_its_own() {
        let names: BTreeSet<_> = dialect_names().collect();
        assert_eq!(names.len(), DIALECTS.len() + LOG_DIALECTS.len());
        assert!(!names.contains(""));
    }
}
