//! What became of a rate from one period to the next, and whether that is more than chance.

use super::rate::{Interval, Rate};

/// The smallest change that is spoken of, in fractions: one percentage point. With enough
/// calls a smaller one leaves chance behind as well, and nobody would act on it.
pub const SMALLEST_CHANGE: f64 = 0.01;

/// A rate before and now, under one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    before: Rate,
    now: Rate,
}

/// Where a rate went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// It fell, beyond the interval.
    Worse,
    /// It rose, beyond the interval.
    Better,
    /// Chance alone explains the difference, or it is below one point.
    Same,
}

impl Change {
    /// The change between two rates that both stand on enough calls; none otherwise, for a
    /// rate of few calls gets no verdict (METHOD section 6).
    pub fn between(before: Option<Rate>, now: Option<Rate>) -> Option<Self> {
        match (before, now) {
            (Some(before), Some(now)) if !before.is_few() && !now.is_few() => {
                Some(Self { before, now })
            }
            _ => None,
        }
    }

    /// The earlier rate.
    pub const fn before(self) -> Rate {
        self.before
    }

    /// The later rate.
    pub const fn now(self) -> Rate {
        self.now
    }

    /// The difference, from -1 to 1; negative where the rate fell.
    pub fn difference(self) -> f64 {
        self.now.fraction() - self.before.fraction()
    }

    /// The difference's 95 % interval, from the two Wilson intervals (Newcombe 1998,
    /// method 10).
    pub fn interval(self) -> Interval {
        let (p, before) = (self.before.fraction(), self.before.interval());
        let (q, now) = (self.now.fraction(), self.now.interval());
        let difference = self.difference();
        Interval {
            low: difference - (q - now.low).hypot(before.high - p),
            high: difference + (now.high - q).hypot(p - before.low),
        }
    }

    /// Where the rate went.
    pub fn direction(self) -> Direction {
        let interval = self.interval();
        if self.difference().abs() < SMALLEST_CHANGE {
            Direction::Same
        } else if interval.high < 0.0 {
            Direction::Worse
        } else if interval.low > 0.0 {
            Direction::Better
        } else {
            Direction::Same
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: (u64, u64), now: (u64, u64)) -> Option<Change> {
        Change::between(Rate::of(before.0, before.1), Rate::of(now.0, now.1))
    }

    #[test]
    fn the_interval_is_newcombes() {
        // Newcombe's own example (a): 56 of 70 against 48 of 80; method 10 gives 0.0524 to
        // 0.3339 for the difference 0.2.
        let found = change((48, 80), (56, 70)).unwrap();
        let interval = found.interval();
        assert!((found.difference() - 0.2).abs() < 1e-12);
        assert!((interval.low - 0.0524).abs() < 5e-5, "{interval:?}");
        assert!((interval.high - 0.3339).abs() < 5e-5, "{interval:?}");
        assert_eq!(found.direction(), Direction::Better);
    }

    #[test]
    fn chance_and_trifles_are_no_change() {
        assert_eq!(change((15, 20), (13, 20)).unwrap().direction(), Direction::Same);
        // 90.0 % to 89.5 % of a million calls each is beyond chance, and half a point.
        let trifle = change((900_000, 1_000_000), (895_000, 1_000_000)).unwrap();
        assert!(trifle.interval().high < 0.0);
        assert_eq!(trifle.direction(), Direction::Same);
        assert_eq!(change((639, 900), (517, 892)).unwrap().direction(), Direction::Worse);
    }

    #[test]
    fn few_calls_on_either_side_give_no_change() {
        assert_eq!(change((19, 19), (0, 500)), None);
        assert_eq!(change((500, 500), (0, 19)), None);
        assert_eq!(Change::between(None, Rate::of(1, 50)), None);
    }
}
