//! Which days are covered, and what they showed before they were restated.

use std::collections::BTreeMap;

use super::watermark::Watermark;
use crate::call::{Day, ToolKey, UnixNanos};
use crate::figures::{DayFigures, Figures};

/// A day that the pass has covered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveredDay {
    /// The day.
    pub day: Day,
    /// When it was first covered.
    pub covered_at: UnixNanos,
    /// What its figures were made from.
    pub watermark: Watermark,
    /// When its figures last changed after they had been shown; none where they never did.
    pub restated_at: Option<UnixNanos>,
}

/// The figures that a day showed before a later pass changed them (METHOD section 10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restatement {
    /// The day.
    pub day: Day,
    /// When its figures changed.
    pub restated_at: UnixNanos,
    /// What was shown before, per tool, all clients together; never empty.
    pub shown_before: BTreeMap<ToolKey, Headline>,
}

/// A tool's headline figures, all clients together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Headline {
    /// Judged calls.
    pub judged: u64,
    /// First-call successes among them.
    pub first_call_successes: u64,
    /// Confirmed first-call successes among them.
    pub confirmed_first_call_successes: u64,
    /// Retried calls.
    pub retried: u64,
}

impl Headline {
    /// Adds one client's figures.
    pub(super) const fn add(&mut self, figures: &Figures) {
        self.judged = self.judged.saturating_add(figures.judged);
        self.first_call_successes =
            self.first_call_successes.saturating_add(figures.first_call_successes);
        self.confirmed_first_call_successes = self
            .confirmed_first_call_successes
            .saturating_add(figures.confirmed_first_call_successes);
        self.retried = self.retried.saturating_add(figures.retried);
    }
}

/// The headline figures per tool, all clients together.
pub(super) fn headlines(figures: &DayFigures) -> BTreeMap<&ToolKey, Headline> {
    let mut headlines: BTreeMap<&ToolKey, Headline> = BTreeMap::new();
    for ((tool, _client), figures) in &figures.tools {
        headlines.entry(tool).or_default().add(figures);
    }
    headlines
}

/// Whether a reader sees the same figures. That something was received twice does not restate a
/// day, so the quality counts are left aside.
pub(super) fn shows_the_same(shown: &DayFigures, figures: &DayFigures) -> bool {
    shown.tools == figures.tools
        && shown.unknown_tool_calls == figures.unknown_tool_calls
        && shown.pairs == figures.pairs
        && shown.sessions == figures.sessions
}
