//! What arguments look like where they stand: JSON, text that is none, or a text that was cut
//! (args-hash.md section 7).

use std::borrow::Cow;

use super::canonical_json::{self, Canonical, JsonFault};
use super::marks;
use super::wrappers::{Inside, MayWrap, inside};
use crate::call::ArgsForm;
use crate::otlp::Value;

/// The longest text that is taken apart, in bytes; a longer one counts as cut.
const MAX_TEXT: usize = 1024 * 1024;
/// How often JSON is taken out of a JSON string.
const MAX_UNWRAPS: usize = 2;
/// How many wrappers are taken off: more than are known to stand inside one another.
const MAX_PEELS: usize = 4;

/// Arguments as they stand in the telemetry.
pub(super) enum Material<'v> {
    /// A text, which may be JSON.
    Text(Cow<'v, str>),
    /// An OTLP value that is no text.
    Value(&'v Value<'v>),
}

impl<'v> Material<'v> {
    /// The arguments in a value.
    pub(super) fn of(value: &'v Value<'v>) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Text(Cow::Borrowed(text))),
            Value::TooDeep => None,
            _ => Some(Self::Value(value)),
        }
    }
}

/// Arguments after a look. It has no Debug: all of it is content.
pub(super) struct Looked {
    /// What is hashed.
    pub(super) form: ArgsForm,
    /// The canonical text, where there is one.
    pub(super) canonical: Option<Canonical>,
    /// The same with integers beyond 2^53 digit for digit, where that differs.
    pub(super) exact: Option<Canonical>,
    raw: Vec<u8>,
    /// Whether something hides a difference.
    pub(super) hides: bool,
}

impl Looked {
    /// What is hashed, before the form's own first bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.canonical {
            Some(text) if self.form != ArgsForm::Lossy => text.as_str().as_bytes(),
            _ => &self.raw,
        }
    }

    /// Whether these are no arguments but a JSON Schema of some.
    pub(super) fn is_schema(&self) -> bool {
        let object = self.canonical.as_ref().filter(|text| text.is_object());
        object.is_some_and(|object| {
            object.members().any(|member| match member.key {
                "properties" => member.value.starts_with('{'),
                "type" => member.value == "\"object\"",
                _ => false,
            })
        })
    }

    /// An object put together from several attributes.
    pub(super) fn rebuilt(form: ArgsForm, canonical: Canonical) -> Self {
        Self { form, ..Self::json(canonical, None) }
    }

    /// The same, of which the sender may have cut something out, with their true size: what is
    /// hashed is both.
    pub(super) fn lossy(self, size: &str) -> Self {
        let mut raw = self.bytes().to_vec();
        raw.push(0);
        raw.extend_from_slice(size.as_bytes());
        Self { form: ArgsForm::Lossy, raw, exact: None, ..self }
    }

    fn json(canonical: Canonical, exact: Option<Canonical>) -> Self {
        let hides = canonical.hides();
        Self { form: ArgsForm::Json, canonical: Some(canonical), exact, raw: Vec::new(), hides }
    }

    fn text(form: ArgsForm, text: &str) -> Self {
        let hides = marks::holds_redaction(text) || marks::is_as_long_as_a_limit(text);
        Self { form, canonical: None, exact: None, raw: text.as_bytes().to_vec(), hides }
    }

    /// No arguments, which equal `{}`.
    fn none() -> Option<Self> {
        canonical_json::canonicalise_text("{}").ok().map(|canonical| Self::json(canonical, None))
    }
}

/// Looks at arguments; none where they were not sent, or cannot be told. `is_repaired` tells
/// that invalid UTF-8 in the span was replaced.
pub(super) fn look(material: Material<'_>, may_wrap: MayWrap, is_repaired: bool) -> Option<Looked> {
    let mut looked = peel(material, may_wrap, is_repaired, MAX_PEELS, MAX_UNWRAPS)?;
    // Two different texts may have become one where bytes were replaced.
    looked.hides |=
        is_repaired && looked.bytes().windows(3).any(|bytes| bytes == "\u{fffd}".as_bytes());
    Some(looked)
}

/// One step at a time: each takes a wrapper off or JSON out of a string, until neither is left.
fn peel(
    material: Material<'_>,
    may_wrap: MayWrap,
    is_repaired: bool,
    peels: usize,
    unwraps: usize,
) -> Option<Looked> {
    let text = match material {
        Material::Value(value) => return look_at_value(value, may_wrap, is_repaired, peels),
        Material::Text(text) => text,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = text.trim_matches([' ', '\t', '\n', '\r']);
    if text.is_empty() {
        return Looked::none();
    }
    if marks::is_not_sent(text) {
        return None;
    }
    if text.len() > MAX_TEXT {
        return Some(Looked::text(ArgsForm::Cut, text));
    }
    let canonical = match canonical_json::canonicalise_text(text) {
        Ok(canonical) => canonical,
        Err(error) => {
            let is_cut = is_cut(text, error.is_cut, is_repaired);
            return Some(Looked::text(if is_cut { ArgsForm::Cut } else { ArgsForm::Raw }, text));
        }
    };
    if canonical.as_str() == "null" {
        return Looked::none();
    }
    if let Some((inner, left)) = json_in_string(&canonical, unwraps) {
        return peel(Material::Text(inner.into()), may_wrap, is_repaired, peels, left);
    }
    if canonical.is_object()
        && let Some(peels) = peels.checked_sub(1)
        && let Some(inside) = inside_text(&canonical, may_wrap)
    {
        return match inside {
            Inside::NoArguments => Looked::none(),
            Inside::Under(key, next) => {
                let member = canonical.members().find(|member| member.key == key)?;
                // From the text as it was sent: canonical text has lost digits.
                let source = text.get(member.source.clone())?;
                peel(Material::Text(Cow::Borrowed(source)), next, is_repaired, peels, unwraps)
            }
        };
    }
    let exact = canonical.has_rounded_integers().then(|| canonical_json::exact_text(text).ok());
    Some(Looked::json(canonical, exact.flatten()))
}

/// The object or list that a JSON string holds as text, at most `unwraps` strings deep, and how
/// many more strings may be opened. Any other string stays one.
fn json_in_string(canonical: &Canonical, unwraps: usize) -> Option<(String, usize)> {
    let mut text = Cow::Borrowed(canonical.as_str());
    for left in (0..unwraps).rev() {
        if !text.starts_with('"') {
            return None;
        }
        let inner: String = serde_json::from_str(&text).ok()?;
        let inner = inner.trim().to_owned();
        if inner.starts_with(['{', '[']) {
            return canonical_json::canonicalise_text(&inner).is_ok().then_some((inner, left));
        }
        text = Cow::Owned(inner);
    }
    None
}

fn inside_text(canonical: &Canonical, may_wrap: MayWrap) -> Option<Inside<'_>> {
    let keys: Vec<_> = canonical.members().map(|member| member.key).collect();
    let is = |key: &str, value: &str| {
        canonical.members().any(|member| member.key == key && member.value == value)
    };
    inside(&keys, may_wrap, |key| is(key, "[]"), |key| is(key, "null"))
}

/// Whether a text that is not JSON was cut: it ends inside a value, or as cutting leaves it.
fn is_cut(text: &str, ends_inside: bool, is_repaired: bool) -> bool {
    // Prose that begins like a literal, `t` or `nu`, was not cut.
    let is_container = text.starts_with(['{', '[', '"']);
    (ends_inside && is_container)
        || marks::ends_cut(text)
        || (is_repaired && text.ends_with('\u{fffd}'))
}

fn look_at_value(
    value: &Value<'_>,
    may_wrap: MayWrap,
    is_repaired: bool,
    peels: usize,
) -> Option<Looked> {
    if let Value::Empty = value {
        return Looked::none();
    }
    if let Value::Kvlist(pairs) = value
        && let Some(peels) = peels.checked_sub(1)
    {
        let mut keys: Vec<_> = pairs.iter().map(|(key, _)| &**key).collect();
        keys.sort_unstable();
        let under = |key: &str| pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        let is_empty_list =
            |key: &str| matches!(under(key), Some(Value::Array(list)) if list.is_empty());
        let is_null = |key: &str| matches!(under(key), Some(Value::Empty));
        match inside(&keys, may_wrap, is_empty_list, is_null) {
            Some(Inside::NoArguments) => return Looked::none(),
            Some(Inside::Under(key, next)) => {
                let inner = Material::of(under(key)?)?;
                return peel(inner, next, is_repaired, peels, MAX_UNWRAPS);
            }
            None => {}
        }
    }
    match canonical_json::canonicalise_value(value) {
        Ok(canonical) => {
            let exact =
                canonical.has_rounded_integers().then(|| canonical_json::exact_value(value).ok());
            Some(Looked::json(canonical, exact.flatten()))
        }
        // A key that repeats has no canonical form: hashed as received, order and all.
        Err(JsonFault::DuplicateKey) => {
            let text = canonical_json::value_as_received(value).ok()?;
            Some(Looked::text(ArgsForm::Raw, text.as_str()))
        }
        // Too deep, or a number that is none: nothing can be told.
        Err(_) => None,
    }
}
