//! How long commits take, in fixed buckets.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The figure's name in both formats.
pub const COMMITS: &str = "firstcall_commit_seconds";

/// What it is, for people.
pub const COMMITS_HELP: &str = "From a request being read to its commit being on disk.";

/// The buckets' upper ends in microseconds. An fsync takes from a tenth of a millisecond on a
/// good disk to seconds on one in trouble.
const ENDS_MICROS: [u64; 13] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 10_000_000,
];

/// The buckets' upper ends in seconds.
pub fn ends_seconds() -> Vec<f64> {
    ENDS_MICROS.iter().map(|end| Duration::from_micros(*end).as_secs_f64()).collect()
}

/// A histogram of durations.
#[derive(Debug, Default)]
pub(super) struct Latencies {
    buckets: [AtomicU64; ENDS_MICROS.len()],
    count: AtomicU64,
    sum_micros: AtomicU64,
}

impl Latencies {
    /// Counts one duration.
    pub(super) fn add(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = ENDS_MICROS.iter().position(|end| micros <= *end);
        if let Some(bucket) = bucket.and_then(|index| self.buckets.get(index)) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.sum_micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Each bucket's upper end in microseconds, and how many durations were no longer than it.
    pub(super) fn cumulative(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut sum = 0;
        ENDS_MICROS.iter().zip(&self.buckets).map(move |(end, bucket)| {
            sum += bucket.load(Ordering::Relaxed);
            (*end, sum)
        })
    }

    /// How many durations there were.
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Their sum in microseconds.
    pub(super) fn sum_micros(&self) -> u64 {
        self.sum_micros.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_counted_in_every_bucket_that_ends_no_earlier() {
        let latencies = Latencies::default();
        for micros in [500, 501, 20_000_000] {
            latencies.add(Duration::from_micros(micros));
        }
        let buckets: Vec<_> = latencies.cumulative().collect();
        assert_eq!(buckets[..3], [(500, 1), (1_000, 2), (2_500, 2)]);
        assert_eq!(buckets.last(), Some(&(10_000_000, 2)));
        assert_eq!((latencies.count(), latencies.sum_micros()), (3, 20_001_001));
    }
}
