//! What a report is made of: the figures of a range added up, and what was known beside them.
//!
//! It holds sums and headline counts, and no day as a whole, so it is about as large as one day
//! of figures however many days were added up.

use std::collections::{BTreeMap, BTreeSet};

use super::lines::Lines;
use super::night::NightFigures;
use crate::call::{ClientName, Day, Name, ToolKey};
use crate::figures::{ArrivalCounts, Figures, RangeFigures, Rate};

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

/// The days that a report speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dates {
    /// The range's first day.
    pub from: Day,
    /// The range's last day.
    pub to: Day,
    /// The day on which the report is made; never covered.
    pub today: Day,
    /// The last covered day; none where no pass has covered a day yet.
    pub as_of: Option<Day>,
}

impl Dates {
    /// The first day that a report reads: of the range, the period before, or the charts.
    pub fn first_read(self) -> Day {
        let first = self.from.min(self.first_of_charts());
        previous_period(self.from, self.to).map_or(first, |(start, _)| first.min(start))
    }

    /// The first day that the small charts show.
    pub fn first_of_charts(self) -> Day {
        self.to.minus(HISTORY_DAYS - 1)
    }

    /// Whether the range holds the day.
    pub fn is_in_range(self, day: Day) -> bool {
        (self.from..=self.to).contains(&day)
    }

    /// Whether the day is one of the range or of the charts.
    pub fn has_line(self, day: Day) -> bool {
        self.is_in_range(day) || (self.first_of_charts()..=self.to).contains(&day)
    }

    /// Whether the period before holds the day.
    pub fn is_before(self, day: Day) -> bool {
        previous_period(self.from, self.to).is_some_and(|(start, end)| (start..=end).contains(&day))
    }
}

/// Everything that one report is made of; [`Fold`](super::Fold) makes it. The same input makes
/// the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportInput {
    /// The days that it speaks of.
    pub dates: Dates,
    /// The covered days of the range, added up.
    pub now: RangeFigures,
    /// Those of the period of equal length before; of a tool with one client the headline alone.
    pub before: RangeFigures,
    /// Every covered day of the range, of the period before and of the charts.
    pub nights: BTreeMap<Day, NightFigures>,
    /// The days of each tool and client that rows and charts show.
    pub lines: Lines,
    /// The range as it was shown before days of it were run again; none where no day was.
    pub shown_before: Option<ShownEarlier>,
    /// Every tool that those days know of, the next one of a pair included.
    pub called: BTreeSet<ToolKey>,
    /// Every client that those days know of.
    pub clients: BTreeSet<ClientName>,
    /// What arrived in the range, by emitter.
    pub arrivals: BTreeMap<Name, ArrivalCounts>,
    /// Whether there are calls on days that no pass has covered yet.
    pub has_calls_uncovered: bool,
    /// The tools that are known to be offered, called or not; [`read`](super::read()) knows of
    /// none.
    pub offered: Vec<OfferedTool>,
    /// What was released on which day, as whoever makes the report tells; [`read`](super::read())
    /// knows of none.
    pub releases: BTreeMap<Day, Name>,
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

/// The range's headline figures as they were shown before days of it were run again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownEarlier {
    /// All calls together.
    pub overall: ShownBefore,
    /// Per tool.
    pub tools: BTreeMap<ToolKey, ShownBefore>,
}

impl ShownEarlier {
    /// Adds what a day showed of a tool.
    pub fn add(&mut self, tool: &ToolKey, shown: ShownBefore) {
        self.overall.add(shown);
        self.tools.entry(tool.clone()).or_default().add(shown);
    }
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

    #[test]
    fn the_first_day_read_is_the_earliest_that_anything_shows() {
        let of = |from, to| {
            let dates = Dates { from: day(from), to: day(to), today: day(to).plus(1), as_of: None };
            dates.first_read()
        };
        // The charts reach back 30 days, 14 days twice 28.
        assert_eq!(of("2026-11-16", "2026-11-29"), day("2026-10-31"));
        // 20 days and the 20 before.
        assert_eq!(of("2026-11-10", "2026-11-29"), day("2026-10-21"));
        // The calendar begins within the period before.
        assert_eq!(of("1970-01-03", "1970-02-10"), day("1970-01-03"));
    }
}
