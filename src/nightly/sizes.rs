//! Histograms while they are filled: the same buckets as [`Histogram`], side by side.

use crate::figures::Histogram;
use crate::figures::histogram::bucket_of;

/// A histogram that is filled quickly.
#[derive(Debug, Clone, Default)]
pub(super) struct Sizes {
    zeros: u64,
    /// The bucket that `counts` begins with.
    first: i32,
    counts: Vec<u64>,
}

impl Sizes {
    /// Counts one value.
    pub(super) fn record(&mut self, value: u64) {
        match bucket_of(value) {
            None => self.zeros += 1,
            Some(bucket) => self.add(bucket, 1),
        }
    }

    fn add(&mut self, bucket: i32, times: u64) {
        if self.counts.is_empty() {
            self.first = bucket;
        } else if bucket < self.first {
            let before = usize::try_from(self.first - bucket).unwrap_or(0);
            self.counts.splice(0..0, std::iter::repeat_n(0, before));
            self.first = bucket;
        }
        let at = usize::try_from(bucket - self.first).unwrap_or(0);
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(at) {
            *count += times;
        }
    }

    fn buckets(&self) -> impl Iterator<Item = (i32, u64)> {
        (self.first..).zip(self.counts.iter().copied()).filter(|(_, times)| *times > 0)
    }

    /// Adds what another holds.
    pub(super) fn merge(&mut self, other: &Self) {
        self.zeros += other.zeros;
        for (bucket, times) in other.buckets() {
            self.add(bucket, times);
        }
    }

    /// The histogram.
    pub(super) fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::default();
        histogram.add_zeros(self.zeros);
        for (bucket, times) in self.buckets() {
            histogram.add(bucket, times);
        }
        histogram
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_histogram_of_the_same_values(
            one in prop::collection::vec(prop_oneof![Just(0), 1..100_u64, any::<u64>()], 0..20),
            other in prop::collection::vec(any::<u64>(), 0..20),
        ) {
            let (mut expected, mut a, mut b) =
                (Histogram::default(), Sizes::default(), Sizes::default());
            for value in &one {
                expected.record(*value);
                a.record(*value);
            }
            for value in &other {
                expected.record(*value);
                b.record(*value);
            }
            a.merge(&b);
            prop_assert_eq!(a.histogram(), expected);
        }
    }
}
