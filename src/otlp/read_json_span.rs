//! Reads a wanted span, its scope and its resource whole, from OTLP's JSON.
//!
//! As lenient as proto3's JSON mapping asks of readers, and a little more: numbers may be texts,
//! ids hex of either case, bytes base64 of either alphabet with padding or without. The same
//! bounds as for protobuf hold for depth and number of values.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::DecodeError;
use super::json_number::{enum_number, exact_integer, unsigned};
use super::json_text::{JsonText, Kind};
use super::read_span::{MAX_DEPTH, MAX_VALUES, empty_span, warn_of_index};
use super::span_view::{EventView, ResourceView, ScopeView, SpanView, StatusCode, StatusView};
use super::value::{Attributes, Value};
use crate::call::SpanKind;

type Read<T> = Result<T, DecodeError>;
type Pairs<'a> = Vec<(Cow<'a, str>, Value<'a>)>;

/// Reads objects, keeping count of what it has read and whether it had to mend a text.
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
    /// A resource.
    pub(super) fn resource<'a>(&mut self, text: &'a [u8]) -> Read<ResourceView<'a>> {
        let mut pairs = Vec::new();
        JsonText::of(text).object("resource", |json, key| match key {
            "attributes" => self.pairs(json, "attributes", &mut pairs, 0),
            _ => json.skip().map(drop),
        })?;
        Ok(ResourceView { attributes: Attributes::new(pairs) })
    }

    /// A scope.
    pub(super) fn scope<'a>(&mut self, text: &'a [u8]) -> Read<ScopeView<'a>> {
        let mut scope = ScopeView::default();
        JsonText::of(text).object("scope", |json, key| {
            match key {
                "name" => scope.name = self.text(json, "name")?,
                "version" => scope.version = self.text(json, "version")?,
                _ => drop(json.skip()?),
            }
            Ok(())
        })?;
        Ok(scope)
    }

    /// A span. Marked as mended also where its scope or resource was, for they are kept with it.
    pub(super) fn span(mut self, text: &[u8]) -> Read<SpanView<'_>> {
        self.values_left = MAX_VALUES;
        let mut span = empty_span();
        let mut pairs = Vec::new();
        JsonText::of(text).object("spans", |json, key| {
            match key {
                "traceId" | "trace_id" => span.trace_id = id(json, "traceId")?,
                "spanId" | "span_id" => span.span_id = id(json, "spanId")?,
                "parentSpanId" | "parent_span_id" => {
                    span.parent_span_id = id(json, "parentSpanId")?;
                }
                "traceState" | "trace_state" => span.trace_state = self.text(json, "traceState")?,
                "name" => span.name = self.text(json, "name")?,
                "kind" => span.kind = kind(json)?,
                "startTimeUnixNano" | "start_time_unix_nano" => {
                    span.start_unix_nanos = unsigned(json, "startTimeUnixNano")?;
                }
                "endTimeUnixNano" | "end_time_unix_nano" => {
                    span.end_unix_nanos = unsigned(json, "endTimeUnixNano")?;
                }
                "attributes" => self.pairs(json, "attributes", &mut pairs, 0)?,
                "events" => json.array("events", |json| {
                    span.events.extend(self.event(json)?);
                    Ok(())
                })?,
                "status" => self.status(json, &mut span.status)?,
                _ => drop(json.skip()?),
            }
            Ok(())
        })?;
        span.attributes = Attributes::new(pairs);
        span.is_utf8_repaired = self.is_utf8_repaired;
        Ok(span)
    }

    fn event<'a>(&mut self, json: &mut JsonText<'a>) -> Read<Option<EventView<'a>>> {
        if !self.take_value() {
            return json.skip().map(|_| None);
        }
        let mut name = Cow::default();
        let mut pairs = Vec::new();
        json.object("events", |json, key| {
            match key {
                "name" => name = self.text(json, "name")?,
                "attributes" => self.pairs(json, "attributes", &mut pairs, 0)?,
                _ => drop(json.skip()?),
            }
            Ok(())
        })?;
        Ok(Some(EventView { name, attributes: Attributes::new(pairs) }))
    }

    fn status<'a>(&mut self, json: &mut JsonText<'a>, status: &mut StatusView<'a>) -> Read<()> {
        json.object("status", |json, key| {
            match key {
                "message" => status.message = self.text(json, "message")?,
                "code" => {
                    let names = ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"];
                    status.code = match enum_number(json, "code", &names)? {
                        Some(1) => StatusCode::Ok,
                        Some(2) => StatusCode::Error,
                        _ => StatusCode::Unset,
                    };
                }
                _ => drop(json.skip()?),
            }
            Ok(())
        })
    }

    /// The pairs of a list of keys with values.
    pub(super) fn pairs<'a>(
        &mut self,
        json: &mut JsonText<'a>,
        field: &'static str,
        into: &mut Pairs<'a>,
        depth: usize,
    ) -> Read<()> {
        json.array(field, |json| {
            if !self.take_value() {
                return json.skip().map(drop);
            }
            let mut key = Cow::default();
            let mut value = Value::Empty;
            json.object(field, |json, member| {
                match member {
                    "key" => key = self.text(json, "key")?,
                    "value" => value = self.value(json, depth + 1)?,
                    "keyStrindex" | "key_strindex" => {
                        warn_of_index();
                        json.skip()?;
                    }
                    _ => drop(json.skip()?),
                }
                Ok(())
            })?;
            into.push((key, value));
            Ok(())
        })
    }

    pub(super) fn value<'a>(&mut self, json: &mut JsonText<'a>, depth: usize) -> Read<Value<'a>> {
        let mut value = Value::Empty;
        json.object("value", |json, member| {
            // A null is an absent member: the value stays what it was.
            if json.kind()? == Kind::Null {
                return json.word(b"null");
            }
            match member {
                "stringValue" | "string_value" => {
                    value = Value::String(self.text(json, "stringValue")?);
                }
                "boolValue" | "bool_value" => value = Value::Bool(truth(json)?),
                "intValue" | "int_value" => value = integer(json)?,
                "doubleValue" | "double_value" => value = Value::Double(double(json)?),
                "bytesValue" | "bytes_value" => value = Value::Bytes(base64_bytes(json)?),
                "arrayValue" | "array_value" | "kvlistValue" | "kvlist_value"
                    if depth >= MAX_DEPTH =>
                {
                    json.skip()?;
                    value = Value::TooDeep;
                }
                "arrayValue" | "array_value" => value = self.list(json, depth)?,
                "kvlistValue" | "kvlist_value" => {
                    let mut pairs = Vec::new();
                    json.object("kvlistValue", |json, member| match member {
                        "values" => self.pairs(json, "values", &mut pairs, depth),
                        _ => json.skip().map(drop),
                    })?;
                    value =
                        if self.values_left > 0 { Value::Kvlist(pairs) } else { Value::TooDeep };
                }
                "stringValueStrindex" | "string_value_strindex" => {
                    warn_of_index();
                    json.skip()?;
                }
                _ => drop(json.skip()?),
            }
            Ok(())
        })?;
        Ok(value)
    }

    fn list<'a>(&mut self, json: &mut JsonText<'a>, depth: usize) -> Read<Value<'a>> {
        let mut elements = Vec::new();
        json.object("arrayValue", |json, member| match member {
            "values" => json.array("values", |json| {
                if !self.take_value() {
                    return json.skip().map(drop);
                }
                elements.push(self.value(json, depth + 1)?);
                Ok(())
            }),
            _ => json.skip().map(drop),
        })?;
        Ok(if self.values_left > 0 { Value::Array(elements) } else { Value::TooDeep })
    }

    pub(super) fn text<'a>(
        &mut self,
        json: &mut JsonText<'a>,
        field: &'static str,
    ) -> Read<Cow<'a, str>> {
        match json.kind()? {
            Kind::Null => json.word(b"null").map(|()| Cow::default()),
            Kind::Text => {
                let raw = json.text()?;
                let text = raw.unescaped();
                self.is_utf8_repaired |= raw.is_mended(&text);
                Ok(text)
            }
            _ => Err(DecodeError::Shape(field)),
        }
    }

    /// Takes one from the number of values that may be read; false where there is none left.
    fn take_value(&mut self) -> bool {
        let is_left = self.values_left > 0;
        self.values_left = self.values_left.saturating_sub(1);
        is_left
    }
}

/// An id: hex of either case. What is no hex, such as base64, is no id, and refused as such when
/// the span is kept; it must not pass for one because of its length.
pub(super) fn id<'a>(json: &mut JsonText<'_>, field: &'static str) -> Read<Cow<'a, [u8]>> {
    match json.kind()? {
        Kind::Null => json.word(b"null").map(|()| Cow::default()),
        Kind::Text => {
            let text = json.text()?.unescaped();
            let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
            let (pairs, odd) = text.as_bytes().as_chunks::<2>();
            let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
            let bytes: Option<Vec<u8>> = bytes.collect();
            Ok(Cow::Owned(bytes.filter(|_| odd.is_empty()).unwrap_or_default()))
        }
        _ => Err(DecodeError::Shape(field)),
    }
}

fn kind(json: &mut JsonText<'_>) -> Read<SpanKind> {
    const NAMES: [&str; 6] = [
        "SPAN_KIND_UNSPECIFIED",
        "SPAN_KIND_INTERNAL",
        "SPAN_KIND_SERVER",
        "SPAN_KIND_CLIENT",
        "SPAN_KIND_PRODUCER",
        "SPAN_KIND_CONSUMER",
    ];
    let number = enum_number(json, "kind", &NAMES)?.and_then(|number| u8::try_from(number).ok());
    Ok(number.and_then(SpanKind::from_index).unwrap_or(SpanKind::Unspecified))
}

fn truth(json: &mut JsonText<'_>) -> Read<bool> {
    match json.kind()? {
        Kind::True => json.word(b"true").map(|()| true),
        Kind::False => json.word(b"false").map(|()| false),
        Kind::Text => match &*json.text()?.unescaped() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(DecodeError::Shape("boolValue")),
        },
        _ => Err(DecodeError::Shape("boolValue")),
    }
}

/// An integer, as number or text. One that no 64 bits hold stays a number, if not an integer.
fn integer<'a>(json: &mut JsonText<'_>) -> Read<Value<'a>> {
    let written = match json.kind()? {
        Kind::Number => Cow::Borrowed(json.number()?),
        Kind::Text => json.text()?.unescaped(),
        _ => return Err(DecodeError::Shape("intValue")),
    };
    if let Some(integer) = exact_integer(&written).and_then(|integer| i64::try_from(integer).ok()) {
        return Ok(Value::Int(integer));
    }
    written.parse().map(Value::Double).map_err(|_error| DecodeError::Shape("intValue"))
}

fn double(json: &mut JsonText<'_>) -> Read<f64> {
    let written = match json.kind()? {
        Kind::Number => Cow::Borrowed(json.number()?),
        Kind::Text => json.text()?.unescaped(),
        _ => return Err(DecodeError::Shape("doubleValue")),
    };
    // `parse` knows "NaN" and "Infinity" too, in any case.
    written.parse().map_err(|_error| DecodeError::Shape("doubleValue"))
}

fn base64_bytes<'a>(json: &mut JsonText<'_>) -> Read<Cow<'a, [u8]>> {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    if json.kind()? != Kind::Text {
        return Err(DecodeError::Shape("bytesValue"));
    }
    let text = json.text()?.unescaped();
    let alphabet = if text.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    let bytes = GeneralPurpose::new(alphabet, config).decode(text.as_bytes());
    bytes.map(Cow::Owned).map_err(|_error| DecodeError::Shape("bytesValue"))
}
