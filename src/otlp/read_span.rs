//! Reads a wanted span, its scope and its resource whole, as protobuf merges them: of a repeated
//! scalar the last one holds, a repeated message adds to the one before.
//!
//! Texts borrow from the request unless their UTF-8 had to be mended. Values that nest deeper
//! than [`MAX_DEPTH`] read as [`Value::TooDeep`], so neither depth nor number of values costs
//! stack or memory that a sender could choose.

use std::borrow::Cow;
use std::sync::Once;

use super::DecodeError;
use super::protobuf::plain_pair;
use super::span_view::{EventView, ResourceView, ScopeView, SpanView, StatusCode, StatusView};
use super::value::{Attributes, Value};
use super::wire::{Field, Fields, check};
use crate::call::SpanKind;

/// Levels of lists within lists that are read of one value.
pub const MAX_DEPTH: usize = 64;

/// Values, attributes and list elements that are read of one span; a span of 64 MiB could hold
/// thirty million empty ones. What lies beyond reads as [`Value::TooDeep`] or is left out.
pub const MAX_VALUES: usize = 100_000;

/// Attributes for which room is made at once: most spans of tool calls have no more.
const USUAL_PAIRS: usize = 16;

pub(super) type Pairs<'a> = Vec<(Cow<'a, str>, Value<'a>)>;

/// Reads messages, keeping count of what it has read and whether it had to mend a text.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    pub(super) values_left: usize,
    pub(super) is_utf8_repaired: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Self { values_left: MAX_VALUES, is_utf8_repaired: false }
    }
}

impl Reader {
    /// A resource from the parts in which it was sent.
    pub(super) fn resource<'a>(
        &mut self,
        parts: &[&'a [u8]],
    ) -> Result<ResourceView<'a>, DecodeError> {
        let mut pairs = Vec::new();
        for part in parts {
            let mut fields = Fields::of(part);
            while let Some((number, field)) = fields.next()? {
                if number == 1 {
                    self.attribute(field.bytes()?, &mut pairs, 0)?;
                }
            }
        }
        Ok(ResourceView { attributes: Attributes::new(pairs) })
    }

    /// A scope from the parts in which it was sent.
    pub(super) fn scope<'a>(&mut self, parts: &[&'a [u8]]) -> Result<ScopeView<'a>, DecodeError> {
        let mut scope = ScopeView::default();
        for part in parts {
            let mut fields = Fields::of(part);
            while let Some((number, field)) = fields.next()? {
                match number {
                    1 => scope.name = self.text(field)?,
                    2 => scope.version = self.text(field)?,
                    _ => {}
                }
            }
        }
        Ok(scope)
    }

    /// A span. Marked as mended also where its scope or resource was, for they are kept with it.
    pub(super) fn span(mut self, message: &[u8]) -> Result<SpanView<'_>, DecodeError> {
        self.values_left = MAX_VALUES;
        let mut span = empty_span();
        let mut pairs = Vec::with_capacity(USUAL_PAIRS);
        let mut fields = Fields::of(message);
        while let Some((number, field)) = fields.next()? {
            match number {
                1 => span.trace_id = Cow::Borrowed(field.bytes()?),
                2 => span.span_id = Cow::Borrowed(field.bytes()?),
                3 => span.trace_state = self.text(field)?,
                4 => span.parent_span_id = Cow::Borrowed(field.bytes()?),
                5 => span.name = self.text(field)?,
                6 => span.kind = kind(field.varint()?),
                7 => span.start_unix_nanos = field.fixed64()?,
                8 => span.end_unix_nanos = field.fixed64()?,
                9 => self.attribute(field.bytes()?, &mut pairs, 0)?,
                11 => span.events.extend(self.event(field.bytes()?)?),
                15 => self.status(field.bytes()?, &mut span.status)?,
                _ => {}
            }
        }
        span.attributes = Attributes::new(pairs);
        span.is_utf8_repaired = self.is_utf8_repaired;
        Ok(span)
    }

    fn event<'a>(&mut self, message: &'a [u8]) -> Result<Option<EventView<'a>>, DecodeError> {
        if !self.take_value() {
            return check(message).map(|()| None);
        }
        let mut name = Cow::default();
        let mut pairs = Vec::new();
        let mut fields = Fields::of(message);
        while let Some((number, field)) = fields.next()? {
            match number {
                2 => name = self.text(field)?,
                3 => self.attribute(field.bytes()?, &mut pairs, 0)?,
                _ => {}
            }
        }
        Ok(Some(EventView { name, attributes: Attributes::new(pairs) }))
    }

    pub(super) fn status<'a>(
        &mut self,
        message: &'a [u8],
        status: &mut StatusView<'a>,
    ) -> Result<(), DecodeError> {
        let mut fields = Fields::of(message);
        while let Some((number, field)) = fields.next()? {
            match number {
                2 => status.message = self.text(field)?,
                3 => {
                    status.code = match low_32_bits(field.varint()?) {
                        1 => StatusCode::Ok,
                        2 => StatusCode::Error,
                        _ => StatusCode::Unset,
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn attribute<'a>(
        &mut self,
        message: &'a [u8],
        into: &mut Pairs<'a>,
        depth: usize,
    ) -> Result<(), DecodeError> {
        if !self.take_value() {
            return check(message);
        }
        if let Some((key, value)) = plain_pair(message) {
            let key = self.text(Field::Len(key))?;
            into.push((key, self.plain_value(value, depth + 1)?));
            return Ok(());
        }
        let mut key = Cow::default();
        let mut value = Value::Empty;
        let mut fields = Fields::of(message);
        while let Some((number, field)) = fields.next()? {
            match number {
                1 => key = self.text(field)?,
                2 => self.merge_value(field.bytes()?, &mut value, depth + 1)?,
                // An index in place of the key.
                3 => warn_of_index(),
                _ => {}
            }
        }
        into.push((key, value));
        Ok(())
    }

    /// A value that is not sent in parts.
    fn plain_value<'a>(
        &mut self,
        message: &'a [u8],
        depth: usize,
    ) -> Result<Value<'a>, DecodeError> {
        const TEXT: u8 = 0x0a;
        let mut fields = Fields::of(message);
        if let Some(text) = fields.next_if(TEXT)?
            && fields.is_at_end()
        {
            return self.text(Field::Len(text)).map(Value::String);
        }
        let mut value = Value::Empty;
        self.merge_value(message, &mut value, depth)?;
        Ok(value)
    }

    pub(super) fn merge_value<'a>(
        &mut self,
        message: &'a [u8],
        value: &mut Value<'a>,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let mut fields = Fields::of(message);
        while let Some((number, field)) = fields.next()? {
            match number {
                1 => *value = Value::String(self.text(field)?),
                2 => *value = Value::Bool(field.varint()? != 0),
                3 => *value = Value::Int(field.varint()?.cast_signed()),
                4 => *value = Value::Double(f64::from_bits(field.fixed64()?)),
                5 => self.merge_array(field.bytes()?, value, depth)?,
                6 => self.merge_kvlist(field.bytes()?, value, depth)?,
                7 => *value = Value::Bytes(Cow::Borrowed(field.bytes()?)),
                // An index into a table that only profiles carry: the value is not told.
                8 => {
                    warn_of_index();
                    *value = Value::Empty;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn merge_array<'a>(
        &mut self,
        message: &'a [u8],
        value: &mut Value<'a>,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let mut elements = match std::mem::replace(value, Value::TooDeep) {
            Value::Array(elements) => elements,
            Value::TooDeep => return Ok(()),
            _ => Vec::new(),
        };
        if depth >= MAX_DEPTH {
            return Ok(());
        }
        let mut fields = Fields::of(message);
        while let Some((number, field)) = fields.next()? {
            if number == 1 {
                if !self.take_value() {
                    return Ok(());
                }
                let mut element = Value::Empty;
                self.merge_value(field.bytes()?, &mut element, depth + 1)?;
                elements.push(element);
            }
        }
        *value = Value::Array(elements);
        Ok(())
    }

    fn merge_kvlist<'a>(
        &mut self,
        message: &'a [u8],
        value: &mut Value<'a>,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let mut pairs = match std::mem::replace(value, Value::TooDeep) {
            Value::Kvlist(pairs) => pairs,
            Value::TooDeep => return Ok(()),
            _ => Vec::new(),
        };
        if depth >= MAX_DEPTH {
            return Ok(());
        }
        let mut fields = Fields::of(message);
        while let Some((number, field)) = fields.next()? {
            if number == 1 {
                if self.values_left == 0 {
                    return Ok(());
                }
                self.attribute(field.bytes()?, &mut pairs, depth)?;
            }
        }
        *value = Value::Kvlist(pairs);
        Ok(())
    }

    pub(super) fn text<'a>(&mut self, field: Field<'a>) -> Result<Cow<'a, str>, DecodeError> {
        let bytes = field.bytes()?;
        // Checking alone is many times as fast as looking for what to replace.
        if let Ok(text) = str::from_utf8(bytes) {
            return Ok(Cow::Borrowed(text));
        }
        self.is_utf8_repaired = true;
        Ok(String::from_utf8_lossy(bytes))
    }

    /// Takes one from the number of values that may be read; false where there is none left.
    fn take_value(&mut self) -> bool {
        let is_left = self.values_left > 0;
        self.values_left = self.values_left.saturating_sub(1);
        is_left
    }
}

/// The `service.name` of a resource, reading none of its other values.
pub(super) fn service_name<'a>(parts: &[&'a [u8]]) -> Result<Option<Cow<'a, str>>, DecodeError> {
    let mut name = None;
    for part in parts {
        let mut fields = Fields::of(part);
        while let Some((number, field)) = fields.next()? {
            if number != 1 {
                continue;
            }
            let message = field.bytes()?;
            if key_of(message)? == b"service.name" {
                let mut pairs = Vec::new();
                Reader::default().attribute(message, &mut pairs, 0)?;
                name = pairs.pop().and_then(|(_, value)| match value {
                    Value::String(text) if !text.is_empty() => Some(text),
                    _ => None,
                });
            }
        }
    }
    Ok(name)
}

/// An attribute's key.
pub(super) fn key_of(pair: &[u8]) -> Result<&[u8], DecodeError> {
    if let Some((key, _)) = plain_pair(pair) {
        return Ok(key);
    }
    let mut key: &[u8] = &[];
    let mut fields = Fields::of(pair);
    while let Some((number, field)) = fields.next()? {
        if number == 1 {
            key = field.bytes()?;
        }
    }
    Ok(key)
}

/// The name of a scope, reading nothing else of it.
pub(super) fn scope_name<'a>(parts: &[&'a [u8]]) -> Result<Cow<'a, str>, DecodeError> {
    Reader::default().scope(parts).map(|scope| scope.name)
}

/// Says once that a sender leaves out texts that only it knows: its calls may be read as others.
pub(super) fn warn_of_index() {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| {
        tracing::warn!(
            "a sender writes indexes for texts, whose table only profiles have; read as absent"
        );
    });
}

/// A span of which nothing is told.
pub(super) const fn empty_span<'a>() -> SpanView<'a> {
    SpanView {
        trace_id: Cow::Borrowed(&[]),
        span_id: Cow::Borrowed(&[]),
        parent_span_id: Cow::Borrowed(&[]),
        trace_state: Cow::Borrowed(""),
        name: Cow::Borrowed(""),
        kind: SpanKind::Unspecified,
        start_unix_nanos: 0,
        end_unix_nanos: 0,
        attributes: Attributes::new(Vec::new()),
        events: Vec::new(),
        status: StatusView { code: StatusCode::Unset, message: Cow::Borrowed("") },
        is_utf8_repaired: false,
    }
}

/// A kind from its number; unknown numbers are no kind.
pub(super) fn kind(number: u64) -> SpanKind {
    let index = u8::try_from(low_32_bits(number)).ok();
    index.and_then(SpanKind::from_index).unwrap_or(SpanKind::Unspecified)
}

/// An enum is a 32-bit number sent in up to ten bytes, of which protobuf keeps the lower four.
const fn low_32_bits(number: u64) -> u64 {
    number & 0xffff_ffff
}
