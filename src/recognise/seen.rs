//! A span as recognise and reduce look at it: its known attributes, found once.

use std::borrow::Cow;

use serde_json::Value as Json;

use super::attribute_names::{GIVEN_HASHES, Key, SERVICE_NAME};
use crate::otlp::{ResourceView, ScopeView, SpanView, Value};

/// A span with its scope and resource, and its known attributes by key.
pub(crate) struct Seen<'v> {
    pub(crate) span: &'v SpanView<'v>,
    pub(crate) scope: &'v ScopeView<'v>,
    pub(crate) resource: &'v ResourceView<'v>,
    values: [Option<&'v Value<'v>>; Key::COUNT],
    /// Whether a key that is read stood more than once; the last one holds.
    pub(crate) has_repeated_key: bool,
}

impl<'v> Seen<'v> {
    /// Finds the known attributes of `span`.
    pub(crate) fn new(
        span: &'v SpanView<'v>,
        scope: &'v ScopeView<'v>,
        resource: &'v ResourceView<'v>,
    ) -> Self {
        let mut values = [None; Key::COUNT];
        let mut has_repeated_key = false;
        for (key, value) in span.attributes.iter() {
            let known = Key::from_text(key).and_then(|key| values.get_mut(key as usize));
            if let Some(place) = known {
                has_repeated_key |= place.is_some();
                *place = Some(value);
            }
        }
        Self { span, scope, resource, values, has_repeated_key }
    }

    /// The value under `key`, of whatever type.
    pub(crate) fn value(&self, key: Key) -> Option<&'v Value<'v>> {
        self.values.get(key as usize).copied().flatten()
    }

    /// Whether there is anything under `key`. An unset value is nothing.
    pub(crate) fn has(&self, key: Key) -> bool {
        !matches!(self.value(key), None | Some(Value::Empty))
    }

    /// The text under `key`, where it is not blank.
    pub(crate) fn text(&self, key: Key) -> Option<&'v str> {
        self.value(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    /// The text under `key`, or the number there written as text.
    pub(crate) fn word(&self, key: Key) -> Option<Cow<'v, str>> {
        word(self.value(key)?)
    }

    /// A member of the JSON object under `key`, where it is a text that is not blank or a whole
    /// number.
    pub(crate) fn member(&self, key: Key, name: &str) -> Option<String> {
        let mut object: serde_json::Map<String, Json> =
            serde_json::from_str(self.text(key)?).ok()?;
        match object.remove(name)? {
            Json::String(text) => Some(text).filter(|text| !text.trim().is_empty()),
            Json::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// The truth value under `key`; senders write it as a bool, a number or a text.
    pub(crate) fn flag(&self, key: Key) -> Option<bool> {
        match self.value(key)? {
            Value::Bool(truth) => Some(*truth),
            Value::Int(number) => Some(*number != 0),
            Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
            Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
            _ => None,
        }
    }

    /// The whole number under `key`; senders write it as a number or a text.
    pub(crate) fn integer(&self, key: Key) -> Option<i64> {
        match self.value(key)? {
            Value::Int(number) => Some(*number),
            Value::Double(number) => {
                // A double that is no whole number within an i64 saturates or loses its part.
                #[expect(clippy::cast_possible_truncation, reason = "compared right after")]
                let whole = *number as i64;
                #[expect(clippy::cast_precision_loss, reason = "a lossy one is refused")]
                let is_same = (whole as f64).to_bits() == number.to_bits();
                is_same.then_some(whole)
            }
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The number under `key`, be it whole or not.
    pub(crate) fn number(&self, key: Key) -> Option<f64> {
        match self.value(key)? {
            Value::Double(number) => Some(*number),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// Whether the kind of step under `key` is a tool. MLflow quotes it as JSON.
    pub(crate) fn is_tool_kind(&self, key: Key) -> bool {
        self.text(key).is_some_and(|kind| kind.trim_matches('"').eq_ignore_ascii_case("tool"))
    }

    /// What a GenAI span does.
    pub(crate) fn operation(&self) -> Option<&'v str> {
        self.text(Key::GenAiOperationName)
    }

    /// Whether the scope is called so.
    pub(crate) fn is_scope(&self, name: &str) -> bool {
        self.scope.name == name
    }

    /// Whether the span's name begins so.
    pub(crate) fn is_named(&self, start: &str) -> bool {
        self.span.name.starts_with(start)
    }

    /// Whether a hash of the arguments comes with the telemetry, usable or not.
    pub(crate) fn has_given_hash(&self) -> bool {
        GIVEN_HASHES.iter().any(|key| self.value(*key).is_some())
    }

    /// The program that sent the span.
    pub(crate) fn emitter(&self) -> Option<&'v str> {
        self.resource.attributes.text(SERVICE_NAME)
    }
}

/// A value as one word: a text that is not blank, or a number written as text.
pub(crate) fn word<'v>(value: &'v Value<'_>) -> Option<Cow<'v, str>> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(Cow::Borrowed(text)),
        Value::Int(number) => Some(Cow::Owned(number.to_string())),
        _ => None,
    }
}
