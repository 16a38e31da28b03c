//! Why a text has no RFC 8785 form, and where. Never what stands there.

use std::fmt;

use crate::call::outcome::words;

words! {
    /// What is wrong with a text that has no canonical form.
    JsonFault {
        /// No text, or blanks only.
        EmptyInput = "empty_input",
        /// The text ends inside a value.
        Truncated = "truncated",
        /// The text breaks JSON's grammar.
        Syntax = "syntax",
        /// A control character stands unescaped in a string.
        ControlCharacter = "control_character",
        /// An escape gives half of a surrogate pair.
        LoneSurrogate = "lone_surrogate",
        /// A number is beyond what a double can hold.
        NumberOutOfRange = "number_out_of_range",
        /// An object has one key twice (RFC 8785 section 3.1, by way of I-JSON).
        DuplicateKey = "duplicate_key",
        /// Containers nest deeper than is read.
        TooDeep = "too_deep",
        /// Something follows the value.
        TrailingData = "trailing_data",
        /// The text begins with a byte order mark.
        ByteOrderMark = "bom",
        /// The bytes are not UTF-8.
        InvalidUtf8 = "invalid_utf8",
    }
}

/// A text without a canonical form. It names the fault and its place, never the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong.
    pub fault: JsonFault,
    /// The byte, counted from 0, at which it shows.
    pub at: usize,
    /// Whether the text may only have been cut: it ends inside a value or inside a character.
    pub is_cut: bool,
}

impl JsonError {
    pub(super) const fn new(fault: JsonFault, at: usize) -> Self {
        Self { fault, at, is_cut: matches!(fault, JsonFault::Truncated) }
    }

    /// What to do about it.
    pub const fn help(&self) -> Option<&'static str> {
        match self.fault {
            JsonFault::EmptyInput => Some("give the arguments as one JSON value; none are `{}`"),
            JsonFault::Truncated => Some("the text is cut: look for an attribute length limit"),
            JsonFault::Syntax => Some("write JSON, not the language's own notation"),
            JsonFault::DuplicateKey => Some("a key may stand only once in an object"),
            JsonFault::ByteOrderMark => Some("write UTF-8 without a byte order mark"),
            JsonFault::InvalidUtf8 => Some("write UTF-8"),
            JsonFault::ControlCharacter
            | JsonFault::LoneSurrogate
            | JsonFault::NumberOutOfRange
            | JsonFault::TooDeep
            | JsonFault::TrailingData => None,
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.fault {
            JsonFault::EmptyInput => "there is no value",
            JsonFault::Truncated => "the text ends inside a value",
            JsonFault::Syntax => "this is not JSON",
            JsonFault::ControlCharacter => "a control character is not escaped",
            JsonFault::LoneSurrogate => "an escape gives half of a surrogate pair",
            JsonFault::NumberOutOfRange => "a number is beyond what a double can hold",
            JsonFault::DuplicateKey => "a key stands twice in one object",
            JsonFault::TooDeep => "containers nest deeper than 128",
            JsonFault::TrailingData => "something follows the value",
            JsonFault::ByteOrderMark => "the text begins with a byte order mark",
            JsonFault::InvalidUtf8 => "the bytes are not UTF-8",
        };
        write!(f, "{what}, at byte {}", self.at)
    }
}

impl std::error::Error for JsonError {}
