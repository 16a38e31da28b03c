//! What a walk shows of a request, as text, so that two readers can be compared.

use std::borrow::Cow;
use std::collections::BTreeSet;

use firstcall::call::SpanKind;
use firstcall::otlp::{
    DecodeError, EVENT_NAME, Format, LogView, LogVisitor, Outline, ResourceView, ScopeView,
    SpanView, Value, Visitor, walk, walk_logs,
};

/// Which spans or log records are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// All that have a name, or, of spans, an attribute with a key: everything that can be read
    /// is.
    All,
    /// Spans with an attribute that has a `w` in its key and is not the text `no`, or with the
    /// name `w`, and log records of an event with that name: most are skipped.
    Some,
}

/// What was shown.
#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    wanted: Wanted,
    /// Each resource's name and number of spans or log records.
    pub resources: Vec<(String, u64)>,
    /// Each span or log record with its scope and resource.
    pub items: Vec<String>,
    /// Client spans below others that are not wanted for themselves, in no order.
    children: BTreeSet<String>,
}

impl Shown {
    /// Nothing yet.
    pub const fn new(wanted: Wanted) -> Self {
        Self { wanted, resources: Vec::new(), items: Vec::new(), children: BTreeSet::new() }
    }

    /// Whether every item was shown, and with each resource one: nothing was left unread.
    pub fn is_all_read(&self) -> bool {
        let items: u64 = self.resources.iter().map(|(_, items)| items).sum();
        items == self.items.len() as u64 && self.resources.iter().all(|(_, items)| *items > 0)
    }

    fn wants_key(&self, key: &[u8]) -> bool {
        match self.wanted {
            Wanted::All => !key.is_empty(),
            Wanted::Some => key.contains(&b'w'),
        }
    }

    fn wants_name(&self, name: &[u8]) -> bool {
        match self.wanted {
            Wanted::All => !name.is_empty(),
            Wanted::Some => name == b"w",
        }
    }

    fn wants_text(&self, text: &[u8]) -> bool {
        self.wanted == Wanted::All || text != b"no"
    }

    /// What a walk over `request` shows.
    pub fn of(request: &[u8], format: Format, wanted: Wanted) -> Result<Self, DecodeError> {
        let mut shown = Self::new(wanted);
        walk(request, format, &mut shown).map(|()| shown)
    }

    /// What a walk over a request of log records shows.
    pub fn of_logs(request: &[u8], format: Format, wanted: Wanted) -> Result<Self, DecodeError> {
        let mut shown = Self::new(wanted);
        walk_logs(request, format, &mut shown).map(|()| shown)
    }
}

impl Outline for Shown {
    fn resource(&mut self, service_name: &str, items: u64) {
        self.resources.push((service_name.to_owned(), items));
    }
}

impl Visitor for Shown {
    fn is_deciding_key(&self, key: &[u8]) -> bool {
        self.wants_key(key)
    }

    fn is_deciding_text(&self, _key: &[u8], text: &[u8]) -> bool {
        self.wants_text(text)
    }

    fn is_deciding_name(&self, name: &[u8]) -> bool {
        self.wants_name(name)
    }

    fn wants_children(&self) -> bool {
        true
    }

    fn is_child_key(&self, key: &[u8]) -> bool {
        is_child_key(key)
    }

    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        // Not every way of writing asks for the text, and a key that stands twice in one pair
        // asks twice: a span that was read and need not have been is no fault.
        let decides = |(key, value): &(Cow<'_, str>, Value<'_>)| {
            self.wants_key(key.as_bytes())
                && value.as_str().is_none_or(|text| self.wants_text(text.as_bytes()))
        };
        if self.wants_name(span.name.as_bytes()) || span.attributes.iter().any(decides) {
            self.items.push(format!("{span:?} {scope:?} {resource:?}"));
        } else if span.kind == SpanKind::Client && span.parent_span_id.len() == 8 {
            self.child(span);
        }
    }

    fn child(&mut self, span: &SpanView<'_>) {
        let SpanView { trace_id, span_id, parent_span_id, name, kind, status, .. } = span;
        let times = (span.start_unix_nanos, span.end_unix_nanos);
        let pairs: Vec<_> =
            span.attributes.iter().filter(|(key, _)| is_child_key(key.as_bytes())).collect();
        self.children.insert(format!(
            "{trace_id:?} {span_id:?} {parent_span_id:?} {name:?} {kind:?} {times:?} {status:?} {pairs:?}"
        ));
    }
}

/// Which attributes are read of a client span below another.
fn is_child_key(key: &[u8]) -> bool {
    key.len() % 2 == 1
}

impl LogVisitor for Shown {
    fn is_deciding_event(&self, name: &[u8]) -> bool {
        self.wants_name(name)
    }

    fn log(&mut self, log: LogView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        // A record is wanted for any place in which its event may be named, and one that was read
        // and need not have been is no fault.
        let named = log.attributes.iter().filter(|(key, _)| key == EVENT_NAME);
        let mut names = named.map(|(_, value)| value).chain([&log.body]).filter_map(Value::as_str);
        if names.any(|name| self.wants_name(name.as_bytes()))
            || self.wants_name(log.event_name.as_bytes())
        {
            self.items.push(format!("{log:?} {scope:?} {resource:?}"));
        }
    }
}
