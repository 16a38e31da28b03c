//! Base-2 exponential histograms at scale 5, as OpenTelemetry defines them (METHOD section 9).

/// Buckets per doubling: 2^5.
const BUCKETS_PER_DOUBLING: f64 = 32.0;

/// A mergeable histogram. Bucket `i` holds the values in `(2^(i/32), 2^((i+1)/32)]`; zeros are
/// counted apart. A quantile is the geometric middle of its bucket: relative error at most 1.1 %.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    zeros: u64,
    /// The buckets that hold anything, ascending. A list takes a fraction of a tree's room, and
    /// whoever fills one does so in ascending order, or into buckets that are there already.
    buckets: Vec<(i32, u64)>,
}

impl Histogram {
    /// Counts one value.
    pub fn record(&mut self, value: u64) {
        match bucket_of(value) {
            None => self.zeros = self.zeros.saturating_add(1),
            Some(bucket) => self.add(bucket, 1),
        }
    }

    /// Counts `times` values in bucket `bucket`.
    pub fn add(&mut self, bucket: i32, times: u64) {
        if self.buckets.last().is_none_or(|(last, _)| *last < bucket) {
            return self.buckets.push((bucket, times));
        }
        match self.buckets.binary_search_by_key(&bucket, |(bucket, _)| *bucket) {
            Ok(place) => {
                if let Some((_, count)) = self.buckets.get_mut(place) {
                    *count = count.saturating_add(times);
                }
            }
            Err(place) => self.buckets.insert(place, (bucket, times)),
        }
    }

    /// Counts `times` zeros.
    pub const fn add_zeros(&mut self, times: u64) {
        self.zeros = self.zeros.saturating_add(times);
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.add_zeros(other.zeros);
        for (bucket, times) in other.buckets() {
            self.add(bucket, times);
        }
    }

    /// How many values were zero.
    pub const fn zeros(&self) -> u64 {
        self.zeros
    }

    /// The buckets that hold anything, in ascending order, with their counts.
    pub fn buckets(&self) -> impl Iterator<Item = (i32, u64)> + '_ {
        self.buckets.iter().copied()
    }

    /// How many values were counted.
    pub fn total(&self) -> u64 {
        self.buckets.iter().fold(self.zeros, |sum, (_, times)| sum.saturating_add(*times))
    }

    /// The value at rank `ceil(percent / 100 * n)`, shown as its bucket's geometric middle;
    /// none where nothing was counted. `percent` from 1 to 100.
    pub fn percentile(&self, percent: u32) -> Option<f64> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let rank = (u128::from(total) * u128::from(percent)).div_ceil(100).max(1);
        let mut seen = u128::from(self.zeros);
        if seen >= rank {
            return Some(0.0);
        }
        for (bucket, times) in self.buckets() {
            seen += u128::from(times);
            if seen >= rank {
                return Some(middle_of(bucket));
            }
        }
        None
    }
}

/// The upper bound of a bucket, which belongs to it.
pub fn upper_bound(bucket: i32) -> f64 {
    ((f64::from(bucket) + 1.0) / BUCKETS_PER_DOUBLING).exp2()
}

fn middle_of(bucket: i32) -> f64 {
    ((f64::from(bucket) + 0.5) / BUCKETS_PER_DOUBLING).exp2()
}

/// The bucket that holds `value`; none for zero. Told in integers: no logarithm is rounded.
pub fn bucket_of(value: u64) -> Option<i32> {
    if value == 0 {
        return None;
    }
    let zeros = value.leading_zeros();
    let scaled = value << zeros;
    let within = LOWER_BOUNDS.partition_point(|bound| scaled > *bound);
    let doublings = i32::try_from(u64::BITS - 1 - zeros).unwrap_or(63);
    Some(doublings * 32 + i32::try_from(within).unwrap_or(32) - 1)
}

/// The lower bounds of one doubling's buckets: `2^(63 + k/32)` for k from 0, rounded down. But for
/// the first one they are irrational, so no integer lies between a bound and its rounding.
const LOWER_BOUNDS: [u64; 32] = [
    0x8000_0000_0000_0000,
    0x82cd_8698_ac2b_a1d7,
    0x85aa_c367_cc48_7b14,
    0x8898_0e80_92da_8527,
    0x8b95_c1e3_ea8b_d6e6,
    0x8ea4_398b_45cd_53c0,
    0x91c3_d373_ab11_c336,
    0x94f4_efa8_fef7_0961,
    0x9837_f051_8db8_a96f,
    0x9b8d_39b9_d54e_5538,
    0x9ef5_3260_91a1_11ad,
    0xa270_4303_0c49_6818,
    0xa5fe_d6a9_b151_38ea,
    0xa9a1_5ab4_ea7c_0ef8,
    0xad58_3eea_42a1_4ac6,
    0xb123_f581_d2ac_258f,
    0xb504_f333_f9de_6484,
    0xb8fb_af47_62fb_9ee9,
    0xbd08_a39f_580c_36be,
    0xc12c_4cca_6670_9456,
    0xc567_2a11_5506_dadd,
    0xc9b9_bd86_6e2f_27a2,
    0xce24_8c15_1f84_80e3,
    0xd2a8_1d91_f12a_e45a,
    0xd744_fcca_d69d_6af4,
    0xdbfb_b797_daf2_3755,
    0xe0cc_deec_2a94_e111,
    0xe5b9_06e7_7c83_48a8,
    0xeac0_c6e7_dd24_392e,
    0xefe4_b99b_dcda_f5cb,
    0xf525_7d15_2486_cc2c,
    0xfa83_b2db_722a_033a,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_its_upper_bound_and_not_its_lower() {
        assert_eq!(bucket_of(0), None);
        assert_eq!(bucket_of(1), Some(-1));
        assert_eq!(bucket_of(2), Some(31));
        assert_eq!(bucket_of(3), Some(50)); // log2(3) * 32 = 50.7
        assert_eq!(bucket_of(1 << 40), Some(40 * 32 - 1));
        assert_eq!(bucket_of(u64::MAX), Some(64 * 32 - 1));
    }

    #[test]
    fn bounds_are_the_powers_that_they_stand_for() {
        for (k, bound) in (0..32).zip(LOWER_BOUNDS) {
            // 53 bits of a double: 2^63 is told to within 1,024.
            let power = (63.0 + f64::from(k) / 32.0).exp2();
            assert!((crate::figures::rate::as_float(bound) - power).abs() <= 4096.0, "{k}");
        }
        // Of buckets that are wider than one and narrower than doubles can tell.
        for bucket in 7 * 32..44 * 32 {
            let upper = upper_bound(bucket);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "below 2^45"
            )]
            let last = upper as u64;
            assert_eq!((bucket_of(last), bucket_of(last + 1)), (Some(bucket), Some(bucket + 1)));
        }
    }

    #[test]
    fn a_percentile_is_within_its_stated_error() {
        let mut histogram = Histogram::default();
        for value in 1..=1000_u64 {
            histogram.record(value * 1_000_000);
        }
        for (percent, exact) in [(50, 500e6), (95, 950e6), (99, 990e6), (100, 1000e6)] {
            let shown = histogram.percentile(percent).unwrap();
            assert!((shown / exact - 1.0).abs() <= 0.011, "{percent}: {shown} for {exact}");
        }
    }

    #[test]
    fn a_percentile_is_the_value_at_rank_ceil_of_its_share() {
        // p95 of 20 values is the 19th, of 21 the 20th (19.95), of 100 the 95th.
        for (small, large, shows_large) in [
            (19, 1, false),
            (18, 2, true),
            (20, 1, false),
            (19, 2, true),
            (95, 5, false),
            (94, 6, true),
        ] {
            let mut histogram = Histogram::default();
            (0..small).for_each(|_| histogram.record(1 << 10));
            (0..large).for_each(|_| histogram.record(1 << 20));
            let shown = histogram.percentile(95).unwrap();
            assert_eq!(shown > 2000.0, shows_large, "{small} and {large}");
            // A power of two is its bucket's upper bound: the middle is 2^(-1/64) of it, 1.08 % less.
            let exact = if shows_large { 1_048_576.0 } else { 1024.0 };
            assert!((shown / exact - 0.989_228).abs() < 1e-6, "{shown}");
        }
    }

    #[test]
    fn merging_is_counting_together() {
        let (mut a, mut b, mut both) =
            (Histogram::default(), Histogram::default(), Histogram::default());
        for value in [0, 1, 7, 7, 900] {
            a.record(value);
            both.record(value);
        }
        for value in [0, 3, 900] {
            b.record(value);
            both.record(value);
        }
        a.merge(&b);
        assert_eq!(a, both);
        assert_eq!(a.total(), 8);
        assert_eq!(a.percentile(25), Some(0.0)); // rank ceil(0.25 * 8) = 2: the second zero
        assert_eq!(Histogram::default().percentile(50), None);
    }
}
