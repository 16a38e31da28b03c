//! Which spans were kept lately, to count what is sent again.
//!
//! A count only: what comes twice is stored twice and folded by the pass (METHOD section 8). It
//! begins empty with each process and looks back over a fixed number of spans, so it is the least
//! that was sent again, not all of it.

use std::collections::hash_map::RandomState;
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasher;

use crate::call::Sighting;

/// Spans that are remembered: eight bytes each and their place in two tables, two MiB in all.
pub(super) const REMEMBERED: usize = 65_536;

/// The spans that were kept last.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// Senders choose ids: without a seed they could choose them to collide.
    seed: RandomState,
    known: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Recent {
    /// Remembers kept sightings; returns how many of them were remembered already.
    pub(super) fn note(&mut self, sightings: &[Sighting]) -> u64 {
        sightings.iter().map(|sighting| u64::from(self.is_again(sighting))).sum()
    }

    fn is_again(&mut self, sighting: &Sighting) -> bool {
        let key = self.seed.hash_one((sighting.trace_id.as_bytes(), sighting.span_id.as_bytes()));
        if !self.known.insert(key) {
            return true;
        }
        self.order.push_back(key);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::SpanId;
    use crate::call::arbitrary::plain_sighting;

    fn sightings(numbers: std::ops::Range<u64>) -> Vec<Sighting> {
        let sighting = |number: u64| Sighting {
            span_id: SpanId::from_bytes(&(number + 1).to_be_bytes()).unwrap(),
            ..plain_sighting()
        };
        numbers.map(sighting).collect()
    }

    #[test]
    fn what_was_kept_lately_is_known_and_what_is_long_ago_is_not() {
        let mut recent = Recent::default();
        let most = REMEMBERED as u64;
        assert_eq!(recent.note(&sightings(0..3)), 0);
        assert_eq!(recent.note(&sightings(1..4)), 2);
        assert_eq!(recent.note(&sightings(4..most)), 0);
        assert_eq!(recent.note(&sightings(0..1)), 1, "the oldest that is remembered");
        assert_eq!(recent.note(&sightings(most..most + 2)), 0);
        assert_eq!(recent.note(&sightings(0..2)), 0, "forgotten");
        assert!(recent.known.len() == REMEMBERED && recent.order.len() == REMEMBERED);
    }
}
