//! Which days a pass runs (METHOD section 10).

use std::collections::BTreeMap;

use crate::call::Day;

/// What a pass is asked to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DaysToRun {
    /// Every day that is over and not covered yet, and every covered day that received calls
    /// since.
    Due,
    /// These days, both included, whether they are due or not.
    Range {
        /// The first day.
        from: Day,
        /// The last day.
        to: Day,
    },
}

/// Why no pass can run these days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DaysError {
    /// The day is not over. Today is never covered.
    #[error("{day} is not over yet: today is {today} (UTC)")]
    NotOver {
        /// The first such day.
        day: Day,
        /// Today.
        today: Day,
    },
    /// The range ends before it begins.
    #[error("no day lies between {from} and {to}")]
    Empty {
        /// The first day.
        from: Day,
        /// The last day.
        to: Day,
    },
}

impl DaysError {
    /// What a person can do about it.
    pub const fn help(&self) -> &'static str {
        match self {
            Self::NotOver { .. } => {
                "whether a call was retried depends on what comes after it; name days up to yesterday"
            }
            Self::Empty { .. } => "name the earlier day with --from and the later one with --to",
        }
    }
}

/// The days of a range, oldest first; an error where one of them is not over.
pub(super) fn of_range(from: Day, to: Day, today: Day) -> Result<Vec<Day>, DaysError> {
    if from > to {
        return Err(DaysError::Empty { from, to });
    }
    if to >= today {
        return Err(DaysError::NotOver { day: from.max(today), today });
    }
    Ok(from.through(to).collect())
}

/// The days that are due, oldest first: of those from the first day that is known to yesterday,
/// the ones that were never covered, days without calls among them, and the covered ones whose
/// arrivals are no longer those that their figures were made from.
///
/// `sighted` are the days that have sightings, `covered` tells of every covered day whether more
/// has arrived since.
pub(super) fn due(today: Day, sighted: &[Day], covered: &BTreeMap<Day, bool>) -> Vec<Day> {
    let first = sighted.iter().chain(covered.keys()).min();
    let Some(first) = first.filter(|first| **first < today) else { return Vec::new() };
    let is_due = |day: &Day| covered.get(day).copied().unwrap_or(true);
    first.through(today.minus(1)).filter(is_due).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        format!("2026-11-{text}").parse().unwrap()
    }

    #[test]
    fn a_range_of_days_that_are_over_is_run_as_asked() {
        let days = of_range(day("20"), day("22"), day("23"));
        assert_eq!(days, Ok(vec![day("20"), day("21"), day("22")]));
    }

    #[test]
    fn a_range_of_today_only_is_refused() {
        let today = day("23");
        assert_eq!(of_range(today, today, today), Err(DaysError::NotOver { day: today, today }));
        let error = of_range(day("20"), day("24"), today).unwrap_err();
        assert_eq!(error, DaysError::NotOver { day: today, today });
        assert_eq!(error.to_string(), "2026-11-23 is not over yet: today is 2026-11-23 (UTC)");
        let tomorrow = day("24");
        let error = of_range(tomorrow, tomorrow, today).unwrap_err();
        assert_eq!(error, DaysError::NotOver { day: tomorrow, today });
    }

    #[test]
    fn an_empty_range_is_refused() {
        let error = of_range(day("22"), day("20"), day("23"));
        assert_eq!(error, Err(DaysError::Empty { from: day("22"), to: day("20") }));
    }

    #[test]
    fn missed_nights_are_caught_up_oldest_first_and_today_is_left_alone() {
        let sighted = [day("20"), day("22"), day("23")];
        let covered = BTreeMap::from([(day("20"), false)]);
        assert_eq!(due(day("23"), &sighted, &covered), [day("21"), day("22")]);
    }

    #[test]
    fn a_covered_day_that_received_more_is_run_again() {
        let covered = BTreeMap::from([(day("20"), true), (day("21"), false), (day("22"), false)]);
        assert_eq!(due(day("23"), &[day("20")], &covered), [day("20")]);
    }

    #[test]
    fn without_anything_known_nothing_is_due() {
        assert_eq!(due(day("23"), &[], &BTreeMap::new()), []);
        assert_eq!(due(day("23"), &[day("23")], &BTreeMap::new()), []);
        assert_eq!(due(day("23"), &[day("25")], &BTreeMap::new()), []);
    }
}
