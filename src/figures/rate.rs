//! A rate with its count and its 95 % Wilson interval (METHOD section 6).

use crate::call::outcome::words;

/// Below this many judged calls a rate gets no verdict and fires nothing.
pub const FEW_CALLS: u64 = 20;

/// A share of judged calls. It exists only where at least one call was judged: null is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    hits: u64,
    judged: u64,
}

/// The bounds of a 95 % Wilson score interval, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

words! {
    /// What a first-call success rate calls for (METHOD section 6).
    Band {
        /// Above 90 %: nothing to do.
        Healthy = "healthy",
        /// From 70 to 90 %.
        Friction = "friction",
        /// Below 70 %: an insight fires.
        Low = "low",
        /// Below 50 %: high severity.
        Severe = "severe",
    }
}

impl Rate {
    /// The rate of `hits` among `judged` calls; none where none was judged.
    pub fn of(hits: u64, judged: u64) -> Option<Self> {
        (judged > 0).then(|| Self { hits: hits.min(judged), judged })
    }

    /// The calls that count.
    pub const fn hits(self) -> u64 {
        self.hits
    }

    /// The calls that were judged.
    pub const fn judged(self) -> u64 {
        self.judged
    }

    /// The rate as a fraction from 0 to 1.
    pub fn fraction(self) -> f64 {
        as_float(self.hits) / as_float(self.judged)
    }

    /// The 95 % Wilson score interval.
    pub fn interval(self) -> Interval {
        // The 97.5th percentile of the standard normal distribution.
        const Z: f64 = 1.959_963_984_540_054;
        let n = as_float(self.judged);
        let p = self.fraction();
        let z2 = Z * Z;
        let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
        // At the edges rounding may leave the bound a hair inside the rate itself.
        let low = if self.hits == 0 { 0.0 } else { (centre - half).clamp(0.0, 1.0) };
        let high = if self.hits == self.judged { 1.0 } else { (centre + half).clamp(0.0, 1.0) };
        Interval { low, high }
    }

    /// Whether there are too few calls for a verdict.
    pub const fn is_few(self) -> bool {
        self.judged < FEW_CALLS
    }

    /// What the rate calls for; compared in integers, so that 70 % of any count is exact.
    pub const fn band(self) -> Band {
        let hits = self.hits as u128 * 100;
        let judged = self.judged as u128;
        if hits < judged * 50 {
            Band::Severe
        } else if hits < judged * 70 {
            Band::Low
        } else if hits <= judged * 90 {
            Band::Friction
        } else {
            Band::Healthy
        }
    }
}

/// A count as a float, exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub const fn as_float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_judged_call_is_no_rate() {
        assert_eq!(Rate::of(0, 0), None);
    }

    #[test]
    fn the_interval_is_wilsons() {
        // Worked by hand for 81 of 263: centre 0.310749, half width 0.055461.
        let interval = Rate::of(81, 263).unwrap().interval();
        assert!((interval.low - 0.255_289).abs() < 2e-6, "{interval:?}");
        assert!((interval.high - 0.366_210).abs() < 2e-6, "{interval:?}");
        // For 0 of n the upper bound is z^2 / (n + z^2) = 3.841459 / 13.841459.
        let none = Rate::of(0, 10).unwrap().interval();
        assert!((none.high - 0.277_533).abs() < 1e-6 && none.low == 0.0);
        let all = Rate::of(10, 10).unwrap().interval();
        assert!((all.low - 0.722_467).abs() < 1e-6 && (all.high - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn bands_change_at_their_exact_borders() {
        let band = |hits, judged| Rate::of(hits, judged).unwrap().band();
        assert_eq!(band(901, 1000), Band::Healthy);
        assert_eq!(band(90, 100), Band::Friction);
        assert_eq!(band(70, 100), Band::Friction);
        assert_eq!(band(699, 1000), Band::Low);
        assert_eq!(band(50, 100), Band::Low);
        assert_eq!(band(499, 1000), Band::Severe);
        assert!(Rate::of(19, 19).unwrap().is_few() && !Rate::of(20, 20).unwrap().is_few());
    }
}
