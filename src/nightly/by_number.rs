//! Maps by the numbers of names. The night gives these numbers itself, one after the other, so
//! nobody outside can choose ones that collide, and a hash for hostile keys would be wasted.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by numbers of names, or by several of them.
pub(super) type ByNumber<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Mixes numbers by multiplication.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct NumberHasher(u64);

/// The golden ratio's digits: odd, and without a pattern.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for NumberHasher {
    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(number)).wrapping_mul(SPREAD);
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn finish(&self) -> u64 {
        // The product's high bits are the mixed ones; a map picks its places by the low ones.
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hash;

    use super::*;

    #[test]
    fn numbers_that_follow_each_other_are_spread_out() {
        let places = |shift: u32| {
            let place = |(a, b): (u32, u32)| {
                let mut hasher = NumberHasher::default();
                (a, b).hash(&mut hasher);
                (hasher.finish() >> shift) % 4096
            };
            let pairs = (1..65_u32).flat_map(|a| (1..65_u32).map(move |b| (a, b)));
            pairs.map(place).collect::<std::collections::BTreeSet<u64>>().len()
        };
        // 4,096 balls thrown into 4,096 places by chance fill 2,589 of them.
        assert!(places(0) > 2300, "{}", places(0));
        assert!(places(52) > 2300, "{}", places(52));
    }
}
