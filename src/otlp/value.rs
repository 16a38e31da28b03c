//! An OTLP `AnyValue` as a borrowed tree.

use std::borrow::Cow;

/// A value of any shape. Texts borrow from the request where they can; invalid UTF-8 in them
/// has been replaced by U+FFFD.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// No value was set.
    Empty,
    /// A text.
    String(Cow<'a, str>),
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating point number.
    Double(f64),
    /// Bytes.
    Bytes(Cow<'a, [u8]>),
    /// A list.
    Array(Vec<Value<'a>>),
    /// Keys with values, in the order sent; keys may repeat.
    Kvlist(Vec<(Cow<'a, str>, Value<'a>)>),
    /// A value that nests deeper than is read.
    TooDeep,
}

impl Value<'_> {
    /// The text, where this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}

/// Attributes in the order sent. Where a key repeats, the last one holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attributes<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

impl<'a> Attributes<'a> {
    /// Attributes from their pairs.
    pub const fn new(pairs: Vec<(Cow<'a, str>, Value<'a>)>) -> Self {
        Self(pairs)
    }

    /// The pairs, in the order sent.
    pub(super) fn into_pairs(self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        self.0
    }

    /// The value under `key`.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The text under `key`, where there is one and it is not empty.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// The first of `keys` that holds a text that is not empty, with that text.
    pub fn first_text<'k>(&self, keys: &[&'k str]) -> Option<(&'k str, &str)> {
        keys.iter().find_map(|key| self.text(key).map(|text| (*key, text)))
    }

    /// Every pair in the order sent.
    pub fn iter(&self) -> impl Iterator<Item = &(Cow<'a, str>, Value<'a>)> {
        self.0.iter()
    }
}
