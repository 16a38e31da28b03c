//! When the nightly pass starts. Pure; everything is UTC.

use crate::call::UnixNanos;

const NANOS_PER_HOUR: u64 = 3600 * 1_000_000_000;
const NANOS_PER_DAY: u64 = 24 * NANOS_PER_HOUR;

/// An hour of the UTC day, 0 to 23.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hour(u8);

impl Hour {
    /// When the pass starts unless the configuration says otherwise: two hours after midnight,
    /// when the day's last calls have arrived.
    pub const DEFAULT: Self = Self(2);

    /// The hour `hour`; none past 23.
    pub const fn new(hour: u8) -> Option<Self> {
        if hour < 24 { Some(Self(hour)) } else { None }
    }

    /// The hour's number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

/// The first instant after `now` at which a pass starts: the full hour `hour` of today or
/// tomorrow. At the end of representable time there is none, and the last instant stands for it.
pub const fn next_start(now: UnixNanos, hour: Hour) -> UnixNanos {
    let midnight = now.get() - now.get() % NANOS_PER_DAY;
    let start = midnight.saturating_add(hour.0 as u64 * NANOS_PER_HOUR);
    if start > now.get() {
        UnixNanos::new(start)
    } else {
        UnixNanos::new(start.saturating_add(NANOS_PER_DAY))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> UnixNanos {
        let time = chrono::DateTime::parse_from_rfc3339(text).unwrap();
        UnixNanos::new(time.timestamp_nanos_opt().unwrap().try_into().unwrap())
    }

    #[test]
    fn a_pass_starts_at_the_next_full_hour_given() {
        let two = Hour::DEFAULT;
        let next = |now| next_start(at(now), two);
        assert_eq!(next("2026-11-29T00:00:00Z"), at("2026-11-29T02:00:00Z"));
        assert_eq!(next("2026-11-29T01:59:59.999999999Z"), at("2026-11-29T02:00:00Z"));
        assert_eq!(next("2026-11-29T02:00:00Z"), at("2026-11-30T02:00:00Z"));
        assert_eq!(next("2026-12-31T23:00:00Z"), at("2027-01-01T02:00:00Z"));
        assert_eq!(next("2028-02-28T03:00:00Z"), at("2028-02-29T02:00:00Z"));
        let midnight = Hour::new(0).unwrap();
        assert_eq!(next_start(at("2026-11-29T00:00:00Z"), midnight), at("2026-11-30T00:00:00Z"));
    }

    #[test]
    fn there_are_twenty_four_hours() {
        assert_eq!(Hour::new(23).map(Hour::get), Some(23));
        assert_eq!(Hour::new(24), None);
        assert_eq!(next_start(UnixNanos::new(u64::MAX), Hour::DEFAULT), UnixNanos::new(u64::MAX));
    }

    proptest! {
        #[test]
        fn the_next_start_is_later_by_at_most_a_day_and_on_the_hour(
            now in 0..u64::MAX / 2,
            hour in 0..24_u8,
        ) {
            let next = next_start(UnixNanos::new(now), Hour::new(hour).unwrap()).get();
            prop_assert!(next > now && next - now <= NANOS_PER_DAY);
            prop_assert_eq!(next % NANOS_PER_DAY, u64::from(hour) * NANOS_PER_HOUR);
        }

        #[test]
        fn nothing_starts_twice_between_two_instants(
            now in 0..u64::MAX / 2,
            later in 0..NANOS_PER_DAY,
            hour in 0..24_u8,
        ) {
            let hour = Hour::new(hour).unwrap();
            let next = next_start(UnixNanos::new(now), hour);
            let asked_later = UnixNanos::new(now + later);
            if asked_later < next {
                prop_assert_eq!(next_start(asked_later, hour), next);
            }
        }
    }
}
