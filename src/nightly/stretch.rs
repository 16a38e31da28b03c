//! Stretches of time.

use crate::call::{Day, UnixNanos};

/// From an instant to before another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) from: UnixNanos,
    pub(super) until: UnixNanos,
}

impl Stretch {
    /// A day.
    pub(super) fn of(day: Day) -> Self {
        Self { from: day.start(), until: day.end() }
    }

    /// Whether it holds `instant`.
    pub(super) fn holds(self, instant: UnixNanos) -> bool {
        self.from <= instant && instant < self.until
    }

    /// What it has in common with another.
    pub(super) fn within(self, other: Self) -> Self {
        Self { from: self.from.max(other.from), until: self.until.min(other.until) }
    }
}
