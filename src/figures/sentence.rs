//! Sentences in which names stand apart from words.
//!
//! Names come from telemetry and are hostile text. Kept apart, each output can show them as
//! names and escape them for the place where they stand.

use std::fmt;

use crate::call::Name;

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Our own words.
    Words(String),
    /// The name of a tool, a client or a parameter, as sent.
    Name(Name),
    /// Our own words that carry the bad news.
    Alarm(String),
}

/// A sentence of words and names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sentence(Vec<Piece>);

impl Sentence {
    /// A sentence of nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A sentence that begins with `words`.
    pub fn words(words: impl Into<String>) -> Self {
        Self::new().say(words)
    }

    /// The sentence with `words` after it.
    pub fn say(mut self, words: impl Into<String>) -> Self {
        self.0.push(Piece::Words(words.into()));
        self
    }

    /// The sentence with a name after it.
    pub fn name(mut self, name: &Name) -> Self {
        self.0.push(Piece::Name(name.clone()));
        self
    }

    /// The sentence with the bad news after it.
    pub fn alarm(mut self, words: impl Into<String>) -> Self {
        self.0.push(Piece::Alarm(words.into()));
        self
    }

    /// The sentence with another one after it.
    pub fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The parts in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Whether nothing was said.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The sentence as plain text, for data: names as they were sent.
impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Words(text) | Piece::Alarm(text) => f.write_str(text),
            Piece::Name(name) => f.write_str(name.as_str()),
        })
    }
}
