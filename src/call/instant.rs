//! Instants, durations and days. All are integers, all are UTC (METHOD section 1).

use std::fmt;
use std::str::FromStr;

const NANOS_PER_DAY: u64 = 86_400 * 1_000_000_000;

/// An instant in nanoseconds since 1970-01-01 00:00:00 UTC, as OTLP sends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixNanos(u64);

impl UnixNanos {
    /// An instant from its nanoseconds since the epoch.
    pub const fn new(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the epoch.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The UTC day that holds this instant.
    pub const fn day(self) -> Day {
        // u64 nanoseconds span 213,503 days, so the quotient always fits.
        Day((self.0 / NANOS_PER_DAY) as u32)
    }

    /// This instant moved later, stopping at the last representable one.
    pub const fn saturating_add(self, duration: CallDuration) -> Self {
        Self(self.0.saturating_add(duration.0))
    }

    /// This instant moved earlier, stopping at the epoch.
    pub const fn saturating_sub(self, duration: CallDuration) -> Self {
        Self(self.0.saturating_sub(duration.0))
    }

    /// Time since `earlier`; none where `earlier` is in fact later.
    pub const fn since(self, earlier: Self) -> Option<CallDuration> {
        match self.0.checked_sub(earlier.0) {
            Some(nanos) => Some(CallDuration(nanos)),
            None => None,
        }
    }
}

/// A length of time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallDuration(u64);

impl CallDuration {
    /// A duration from nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// A duration from milliseconds, stopping at the longest representable one.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// A duration from seconds, stopping at the longest representable one.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1_000_000_000))
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
}

/// A UTC day, counted from 1970-01-01. Shown and parsed as `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(u32);

/// A text that is no day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a day as YYYY-MM-DD from 1970-01-01 to 2554-07-20, got `{0}`")]
pub struct ParseDayError(String);

impl Day {
    /// The last day whose every nanosecond a [`UnixNanos`] can hold.
    pub const MAX: Self = Self(213_502);

    /// A day by its number since 1970-01-01; none past [`Day::MAX`].
    pub const fn from_number(number: u32) -> Option<Self> {
        if number <= Self::MAX.0 { Some(Self(number)) } else { None }
    }

    /// Days since 1970-01-01.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The first instant of the day.
    pub const fn start(self) -> UnixNanos {
        UnixNanos((self.0 as u64).saturating_mul(NANOS_PER_DAY))
    }

    /// The first instant after the day.
    pub const fn end(self) -> UnixNanos {
        UnixNanos((self.0 as u64 + 1).saturating_mul(NANOS_PER_DAY))
    }

    /// The day `days` later, stopping at [`Day::MAX`].
    pub fn plus(self, days: u32) -> Self {
        Self(self.0.saturating_add(days)).min(Self::MAX)
    }

    /// The day `days` earlier, stopping at 1970-01-01.
    pub const fn minus(self, days: u32) -> Self {
        Self(self.0.saturating_sub(days))
    }

    /// Every day from this one to `last`, both included; empty where `last` is earlier.
    pub fn through(self, last: Self) -> impl DoubleEndedIterator<Item = Self> {
        (self.0..=last.0).map(Self)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = i32::try_from(self.0)
            .ok()
            .and_then(|number| number.checked_add(719_163))
            .and_then(chrono::NaiveDate::from_num_days_from_ce_opt);
        match date {
            Some(date) => write!(f, "{}", date.format("%Y-%m-%d")),
            None => write!(f, "day {}", self.0),
        }
    }
}

impl FromStr for Day {
    type Err = ParseDayError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = || ParseDayError(text.chars().take(32).collect());
        // chrono alone would also take `2026-1-5`; one spelling is enough.
        if text.len() != 10 {
            return Err(refuse());
        }
        let date =
            chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_error| refuse())?;
        let number = chrono::Datelike::num_days_from_ce(&date).checked_sub(719_163);
        number
            .and_then(|number| u32::try_from(number).ok())
            .and_then(Self::from_number)
            .ok_or_else(refuse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_printed_and_parsed_as_its_date() {
        let day: Day = "2026-11-29".parse().unwrap();
        // 2026-11-29 00:00:00 UTC is 1,795,910,400 seconds after the epoch.
        assert_eq!(day.start().get(), 1_795_910_400_000_000_000);
        assert_eq!(day.to_string(), "2026-11-29");
        assert_eq!(day.plus(1).minus(1), day);
        assert_eq!(day.through(day.plus(2)).count(), 3);
        assert_eq!(day.through(day.minus(1)).count(), 0);
    }

    #[test]
    fn midnight_belongs_to_the_day_it_begins() {
        let day: Day = "1970-01-02".parse().unwrap();
        assert_eq!(day.number(), 1);
        assert_eq!(day.start().day(), day);
        assert_eq!(day.end().day(), day.plus(1));
        assert_eq!(UnixNanos::new(day.end().get() - 1).day(), day);
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for text in ["", "2026-1-05", "2026-02-30", "1969-12-31", "2999-01-01", "yesterday"] {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
        assert_eq!(UnixNanos::new(u64::MAX).day().number(), Day::MAX.number() + 1);
    }
}
