//! Times that are spread, so that what was turned away or began together does not return or end
//! together.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Hands out delays.
#[derive(Debug)]
pub(super) struct RetryDelays {
    seed: RandomState,
    handed_out: AtomicU64,
}

impl RetryDelays {
    /// Delays that start anywhere.
    pub(super) fn new() -> Self {
        Self { seed: RandomState::new(), handed_out: AtomicU64::new(0) }
    }

    /// When a sender should come back: one to five seconds.
    pub(super) fn next(&self) -> Duration {
        let random = self.seed.hash_one(self.handed_out.fetch_add(1, Ordering::Relaxed));
        Duration::from_millis(1000 + random % 4001)
    }

    /// A time of `mean` give or take a tenth.
    pub(super) fn about(&self, mean: Duration) -> Duration {
        let random = self.seed.hash_one(self.handed_out.fetch_add(1, Ordering::Relaxed));
        let permille = u32::try_from(900 + random % 201).unwrap_or(1000);
        mean.saturating_mul(permille) / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_spread_over_one_to_five_seconds() {
        let delays = RetryDelays::new();
        let drawn: std::collections::BTreeSet<_> = (0..200).map(|_| delays.next()).collect();
        assert!(drawn.iter().all(|delay| (1000..=5000).contains(&delay.as_millis())));
        assert!(drawn.len() > 100);
        let ages: std::collections::BTreeSet<_> =
            (0..200).map(|_| delays.about(Duration::from_secs(1000)).as_secs()).collect();
        assert!(ages.iter().all(|age| (900..=1100).contains(age)) && ages.len() > 50);
    }
}
