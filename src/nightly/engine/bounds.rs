//! The least value of each histogram bucket (METHOD section 9): the engine groups values by these,
//! so that no logarithm of its own decides which bucket a value is in.

use crate::figures::histogram::bucket_of;

/// The least value of each bucket with its number, zero first.
pub(super) fn least_of_each_bucket() -> Vec<(u64, Option<i32>)> {
    let mut found = vec![(0, None)];
    let mut least = 1_u64;
    loop {
        let bucket = bucket_of(least);
        found.push((least, bucket));
        match next_bucket(least) {
            Some(next) => least = next,
            None => return found,
        }
    }
}

/// The first value after `least` that lies in another bucket; buckets ascend with values.
fn next_bucket(least: u64) -> Option<u64> {
    let bucket = bucket_of(least);
    let (mut within, mut beyond) = (least, u64::MAX);
    if bucket_of(beyond) == bucket {
        return None;
    }
    while beyond - within > 1 {
        let middle = within + (beyond - within) / 2;
        if bucket_of(middle) == bucket {
            within = middle;
        } else {
            beyond = middle;
        }
    }
    Some(beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_at_a_bucket_s_edge_lies_between_its_bounds() {
        let bounds = least_of_each_bucket();
        assert_eq!(bounds.first(), Some(&(0, None)));
        assert_eq!(bounds.get(1), Some(&(1, Some(-1))));
        // Two lies on the bound of the 32nd bucket from one on, and three within the 51st.
        assert!(bounds.contains(&(2, Some(31))) && bounds.contains(&(3, Some(50))));
        assert_eq!(bounds.last().map(|last| last.1), Some(bucket_of(u64::MAX)));
        for pair in bounds.windows(2) {
            let [(_, bucket), (next, next_bucket)] = pair else { panic!("two each") };
            assert!(bucket < next_bucket);
            assert_eq!(bucket_of(next - 1), *bucket);
            assert_eq!(bucket_of(*next), *next_bucket);
        }
    }
}
