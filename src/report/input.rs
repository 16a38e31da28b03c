//! What a report is made of: the figures of a range, and what was known beside them.

use std::collections::BTreeMap;

use crate::call::{Day, Name, ToolKey};
use crate::figures::{ArrivalCounts, DayFigures, Figures, Rate};
use crate::store::{Store, StoreError};

/// How many days the small charts reach back.
pub const HISTORY_DAYS: u32 = 30;

/// The days that a report is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// The last covered day and the days before it, this many in all; at least one.
    Last(u32),
    /// The days from the first to the second, both included.
    Between(Day, Day),
}

impl Range {
    /// The first and the last day of the range. Without a covered day it ends yesterday.
    pub fn resolve(self, as_of: Option<Day>, today: Day) -> (Day, Day) {
        match self {
            Self::Last(days) => {
                let to = as_of.unwrap_or_else(|| today.minus(1));
                (to.minus(days.max(1) - 1), to)
            }
            Self::Between(from, to) => (from.min(to), from.max(to)),
        }
    }
}

/// The period of equal length before `from` to `to`; none where the calendar begins earlier.
pub fn previous_period(from: Day, to: Day) -> Option<(Day, Day)> {
    let length = to.number().checked_sub(from.number())?.checked_add(1)?;
    let start = from.number().checked_sub(length)?;
    Some((Day::from_number(start)?, from.minus(1)))
}

/// Everything that one report is made of. The same input makes the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportInput {
    /// The range's first day.
    pub from: Day,
    /// The range's last day.
    pub to: Day,
    /// The day on which the report is made; never covered.
    pub today: Day,
    /// The last covered day; none where no pass has covered a day yet.
    pub as_of: Option<Day>,
    /// The covered days of the range, ascending.
    pub days: Vec<DayFigures>,
    /// The covered days of the period of equal length before, ascending.
    pub previous: Vec<DayFigures>,
    /// The covered days among the 30 up to `to`, ascending; the small charts show them.
    pub history: Vec<DayFigures>,
    /// The days that were run again after they had been shown.
    pub restated: BTreeMap<Day, RestatedDay>,
    /// What arrived in the range, by emitter.
    pub arrivals: BTreeMap<Name, ArrivalCounts>,
    /// Whether there are calls on days that no pass has covered yet.
    pub has_calls_uncovered: bool,
    /// The tools that are known to be offered, called or not; [`read`] knows of none.
    pub offered: Vec<OfferedTool>,
}

/// A tool that a server offers, as it was declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedTool {
    /// The service that offers it; none where only its name was declared.
    pub service: Option<String>,
    /// Its name, byte for byte as it was declared.
    pub tool: String,
    /// The size of its description and schemas, as clients are sent them; none where unknown.
    pub schema_bytes: Option<u64>,
}

/// What a day showed, per tool, before it was run again (METHOD section 10).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RestatedDay {
    /// Every tool that was shown, all its clients together.
    pub tools: BTreeMap<ToolKey, ShownBefore>,
}

/// Headline figures that were shown before days were run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShownBefore {
    /// Judged calls.
    pub judged: u64,
    /// First-call successes among them.
    pub first_call_successes: u64,
    /// Confirmed first-call successes among them.
    pub confirmed_first_call_successes: u64,
    /// Retried calls.
    pub retried: u64,
}

impl ShownBefore {
    /// The same figures of what is shown now.
    pub const fn of(figures: &Figures) -> Self {
        Self {
            judged: figures.judged,
            first_call_successes: figures.first_call_successes,
            confirmed_first_call_successes: figures.confirmed_first_call_successes,
            retried: figures.retried,
        }
    }

    /// Adds another's counts.
    pub const fn add(&mut self, other: Self) {
        self.judged += other.judged;
        self.first_call_successes += other.first_call_successes;
        self.confirmed_first_call_successes += other.confirmed_first_call_successes;
        self.retried += other.retried;
    }

    /// First-call success; none where no call was judged.
    pub fn first_call_success(&self) -> Option<Rate> {
        Rate::of(self.first_call_successes, self.judged)
    }

    /// Confirmed first-call success; none where no call was judged.
    pub fn confirmed_first_call_success(&self) -> Option<Rate> {
        Rate::of(self.confirmed_first_call_successes, self.judged)
    }
}

/// Reads what a report of `range`, made on `today`, is made of.
pub fn read(store: &Store, range: Range, today: Day) -> Result<ReportInput, StoreError> {
    let coverage = store.coverage()?;
    let as_of = coverage.last().map(|covered| covered.day);
    let (from, to) = range.resolve(as_of, today);
    let previous = previous_period(from, to);
    let is_covered = |day: &Day| coverage.iter().any(|covered| covered.day == *day);
    let has_calls_uncovered = store.sighting_days()?.iter().any(|day| !is_covered(day));
    let first_shown = from.min(to.minus(HISTORY_DAYS - 1));
    let mut restated: BTreeMap<Day, RestatedDay> = coverage
        .iter()
        .filter(|covered| covered.restated_at.is_some())
        .filter(|covered| (first_shown..=to).contains(&covered.day))
        .map(|covered| (covered.day, RestatedDay::default()))
        .collect();
    // Oldest first, so that what was shown last stays.
    for restatement in store.restatements(first_shown, to)? {
        let tools = restatement.shown_before.into_iter().map(|(tool, shown)| {
            let shown = ShownBefore {
                judged: shown.judged,
                first_call_successes: shown.first_call_successes,
                confirmed_first_call_successes: shown.confirmed_first_call_successes,
                retried: shown.retried,
            };
            (tool, shown)
        });
        restated.insert(restatement.day, RestatedDay { tools: tools.collect() });
    }
    Ok(ReportInput {
        from,
        to,
        today,
        as_of,
        days: store.read_days(from, to)?,
        previous: match previous {
            Some((from, to)) => store.read_days(from, to)?,
            None => Vec::new(),
        },
        history: store.read_days(to.minus(HISTORY_DAYS - 1), to)?,
        restated,
        arrivals: store.arrival_counts(from, to)?,
        has_calls_uncovered,
        offered: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn a_range_ends_on_the_last_covered_day_else_yesterday() {
        let today = day("2026-11-30");
        assert_eq!(
            Range::Last(7).resolve(Some(day("2026-11-28")), today),
            (day("2026-11-22"), day("2026-11-28"))
        );
        assert_eq!(Range::Last(0).resolve(None, today), (day("2026-11-29"), day("2026-11-29")));
        let (a, b) = (day("2026-11-01"), day("2026-11-03"));
        assert_eq!(Range::Between(b, a).resolve(None, today), (a, b));
    }

    #[test]
    fn the_period_before_has_equal_length_and_ends_the_day_before() {
        assert_eq!(
            previous_period(day("2026-11-23"), day("2026-11-29")),
            Some((day("2026-11-16"), day("2026-11-22")))
        );
        assert_eq!(previous_period(day("1970-01-03"), day("1970-01-06")), None);
        assert_eq!(
            previous_period(day("1970-01-03"), day("1970-01-04")),
            Some((day("1970-01-01"), day("1970-01-02")))
        );
    }
}
