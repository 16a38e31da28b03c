//! What a walk shows of a request, as text, so that two readers can be compared.

use firstcall::otlp::{
    DecodeError, Format, Outline, ResourceView, ScopeView, SpanView, Value, Visitor, walk,
};

/// Which spans are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// All that have a name, or an attribute with a key: everything that can be read is.
    All,
    /// Those with an attribute that has a `w` in its key and is not the text `no`, or with the
    /// name `w`: most are skipped.
    Some,
}

/// What was shown.
#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    wanted: Wanted,
    /// Each resource's name and number of spans.
    pub resources: Vec<(String, u64)>,
    /// Each span with its scope and resource.
    pub spans: Vec<String>,
}

impl Shown {
    /// Nothing yet.
    pub const fn new(wanted: Wanted) -> Self {
        Self { wanted, resources: Vec::new(), spans: Vec::new() }
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

    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        // Not every way of writing asks for the text, and a key that stands twice in one pair
        // asks twice: a span that was read and need not have been is no fault.
        let decides = |(key, value): &(_, Value<'_>)| {
            let key: &std::borrow::Cow<'_, str> = key;
            self.wants_key(key.as_bytes())
                && value.as_str().is_none_or(|text| self.wants_text(text.as_bytes()))
        };
        if self.wants_name(span.name.as_bytes()) || span.attributes.iter().any(decides) {
            self.spans.push(format!("{span:?} {scope:?} {resource:?}"));
        }
    }
}
