//! Counts by a closed set of words.

use std::marker::PhantomData;

use crate::call::outcome::words;
use crate::call::{Outcome, SessionGrade};

words! {
    /// Why a call was not judged (METHOD section 6). First match wins, in this order.
    UnjudgedReason {
        /// The span did not tell when the call started.
        NoTime = "no_time",
        /// No session: grade E.
        NoSession = "no_session",
        /// No args_hash.
        NoArgsHash = "no_args_hash",
        /// Not retried, but a call within the window could not be compared.
        UnknownComparison = "unknown_comparison",
    }
}

words! {
    /// What a retry was (METHOD section 7). First match wins, in this order.
    RetryClass {
        /// No model read the first answer in between: parallel calls.
        FanOut = "fan_out",
        /// Only a cursor, page or offset changed.
        Paging = "paging",
        /// A loop of four or more calls over one parameter.
        Sweep = "sweep",
        /// The first call's arguments were refused.
        AfterBadArgs = "after_bad_args",
        /// The first call failed otherwise.
        AfterFailure = "after_failure",
        /// The first call's answer was empty.
        AfterEmpty = "after_empty",
        /// The first answer was good, and the model still asked again.
        AfterOk = "after_ok",
    }
}

impl RetryClass {
    /// Whether the retry looks like a rewording and is not one: the first three classes.
    pub const fn is_look_alike(self) -> bool {
        matches!(self, Self::FanOut | Self::Paging | Self::Sweep)
    }
}

/// A closed set of words whose values can be counted.
pub trait Word: Copy + 'static {
    /// Every value in order.
    const VALUES: &'static [Self];
    /// The value's position in [`Word::VALUES`].
    fn position(self) -> usize;
    /// The value's stable word.
    fn text(self) -> &'static str;
}

macro_rules! word {
    ($($name:ty),+) => {$(
        impl $crate::figures::counts::Word for $name {
            const VALUES: &'static [Self] = Self::ALL;
            fn position(self) -> usize { usize::from(self.index()) }
            fn text(self) -> &'static str { self.word() }
        }
    )+};
}
pub(crate) use word;
word!(UnjudgedReason, RetryClass, Outcome, SessionGrade);

/// How often each word of a closed set was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts<W> {
    values: [u64; 8],
    word: PhantomData<W>,
}

impl<W> Default for Counts<W> {
    fn default() -> Self {
        Self { values: [0; 8], word: PhantomData }
    }
}

impl<W: Word> Counts<W> {
    /// Counts `word` `times` more.
    pub fn add(&mut self, word: W, times: u64) {
        if let Some(value) = self.values.get_mut(word.position()) {
            *value = value.saturating_add(times);
        }
    }

    /// How often `word` was seen.
    pub fn get(&self, word: W) -> u64 {
        self.values.get(word.position()).copied().unwrap_or_default()
    }

    /// How often any word was seen.
    pub fn total(&self) -> u64 {
        self.values.iter().fold(0, |sum, value| sum.saturating_add(*value))
    }

    /// Every word with its count, zeros included, in the set's order.
    pub fn iter(&self) -> impl Iterator<Item = (W, u64)> + '_ {
        W::VALUES.iter().map(|word| (*word, self.get(*word)))
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        for (word, times) in other.iter() {
            self.add(word, times);
        }
    }
}
