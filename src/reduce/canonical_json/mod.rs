//! The RFC 8785 (JSON Canonicalization Scheme) form of arguments.
//!
//! Bytes or an OTLP value come in; the canonical text goes out, with the places of the top
//! object's members, so that parts of it can be hashed from the same buffer. One pass, no
//! recursion, at most [`MAX_DEPTH`] containers open at once. Errors name the fault and the
//! place, never the content. `args-hash.md`'s vectors in `tests/vectors/jcs.json` are the proof.

mod error;
mod numbers;
mod parser;
#[cfg(test)]
mod tests;
mod tree;
mod writer;

use std::ops::Range;

pub use error::{JsonError, JsonFault};
use numbers::Integers;
use writer::{Member, Order, Writer, key_of};

use crate::otlp::Value;

/// How many containers may be open at once; every one counts, empty ones too.
pub const MAX_DEPTH: usize = 128;

/// A canonical text and where its top object's members are.
#[derive(Clone, PartialEq, Eq)]
pub struct Canonical {
    text: String,
    members: Vec<MemberAt>,
    /// Whether rounding changed an integer's digits.
    has_rounded_integers: bool,
    /// Whether a string is a redaction mark or was cut by its sender.
    hides: bool,
}

// Canonical text is argument text: it is never printed by Debug.
impl std::fmt::Debug for Canonical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Canonical({} bytes)", self.text.len())
    }
}

#[derive(Clone, PartialEq, Eq)]
struct MemberAt {
    key: String,
    text: Range<usize>,
    value_at: usize,
    source: Range<usize>,
}

/// One member of the top object.
#[derive(Clone, Copy)]
pub(crate) struct MemberText<'a> {
    /// The key, without escapes.
    pub(crate) key: &'a str,
    /// `"key":value`, canonical.
    pub(crate) text: &'a str,
    /// The value, canonical.
    pub(crate) value: &'a str,
    /// Where the value stood in the text that was read.
    pub(crate) source: &'a Range<usize>,
}

impl Canonical {
    /// The canonical text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether rounding to doubles changed an integer's digits.
    pub const fn has_rounded_integers(&self) -> bool {
        self.has_rounded_integers
    }

    /// Whether a string in it is a redaction mark or ends in a cut mark.
    pub(crate) const fn hides(&self) -> bool {
        self.hides
    }

    /// Whether it is an object.
    pub(crate) fn is_object(&self) -> bool {
        self.text.starts_with('{')
    }

    /// The members of the top object in canonical order; none where it is no object.
    pub(crate) fn members(&self) -> impl Iterator<Item = MemberText<'_>> {
        self.members.iter().map(|member| MemberText {
            key: &member.key,
            text: self.text.get(member.text.clone()).unwrap_or_default(),
            value: self.text.get(member.value_at..member.text.end).unwrap_or_default(),
            source: &member.source,
        })
    }

    fn of(writer: Writer) -> Result<Self, JsonFault> {
        let (has_rounded_integers, hides) = (writer.has_rounded_integers, writer.hides);
        let (out, members, aside) = writer.finish();
        let members = members.iter().map(|member| MemberAt::of(member, &out, &aside)).collect();
        let text = String::from_utf8(out).map_err(|_error| JsonFault::InvalidUtf8)?;
        Ok(Self { text, members, has_rounded_integers, hides })
    }
}

impl MemberAt {
    fn of(member: &Member, out: &[u8], aside: &[u8]) -> Self {
        Self {
            key: String::from_utf8_lossy(key_of(member, out, aside)).into_owned(),
            text: member.text.clone(),
            value_at: member.value_at,
            source: member.source.clone(),
        }
    }
}

/// The RFC 8785 form of JSON text.
///
/// Fails with a [`JsonError`] where the text is not UTF-8, not JSON, has a key twice in one
/// object, holds a number beyond a double or half a surrogate pair, or nests deeper than
/// [`MAX_DEPTH`].
pub fn canonicalise(input: &[u8]) -> Result<Canonical, JsonError> {
    canonicalise_text(utf8(input)?)
}

pub(crate) fn canonicalise_text(text: &str) -> Result<Canonical, JsonError> {
    read(text, Integers::Rounded, MAX_DEPTH)
}

/// The same with integers beyond 2^53 digit for digit.
pub(crate) fn exact_text(text: &str) -> Result<Canonical, JsonError> {
    read(text, Integers::Exact, MAX_DEPTH)
}

/// The RFC 8785 form of an OTLP value (args-hash.md section 8): bytes as base64 text, an unset
/// value as `null`.
pub(crate) fn canonicalise_value(value: &Value<'_>) -> Result<Canonical, JsonFault> {
    walk(value, Integers::Rounded, Order::Canonical)
}

/// The same with integers beyond 2^53 digit for digit.
pub(crate) fn exact_value(value: &Value<'_>) -> Result<Canonical, JsonFault> {
    walk(value, Integers::Exact, Order::Canonical)
}

/// A value's text in the order received and with repeated keys: for what has no canonical form.
pub(crate) fn value_as_received(value: &Value<'_>) -> Result<Canonical, JsonFault> {
    walk(value, Integers::Exact, Order::AsReceived)
}

fn read(text: &str, integers: Integers, max_depth: usize) -> Result<Canonical, JsonError> {
    let mut writer = Writer::new(text.len(), integers, Order::Canonical, max_depth);
    parser::drive(text, &mut writer)?;
    Canonical::of(writer).map_err(|fault| JsonError::new(fault, text.len()))
}

fn walk(value: &Value<'_>, integers: Integers, order: Order) -> Result<Canonical, JsonFault> {
    let mut writer = Writer::new(0, integers, order, MAX_DEPTH);
    tree::drive(value, &mut writer)?;
    Canonical::of(writer)
}

fn utf8(input: &[u8]) -> Result<&str, JsonError> {
    std::str::from_utf8(input).map_err(|error| JsonError {
        fault: JsonFault::InvalidUtf8,
        at: error.valid_up_to(),
        // No length: the input ends inside a character.
        is_cut: error.error_len().is_none(),
    })
}
