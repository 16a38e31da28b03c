//! Days whose sightings were erased (METHOD sections 3 and 10): what is known of them, and what
//! still comes for them.
//!
//! A day is judged from its own sightings and the margins of its two neighbours. Once one of the
//! three is erased the day is *closed*: its figures stand, and what still arrives for it is
//! refused and counted, for figures made from a part of a day would be wrong.

use std::collections::BTreeSet;

use super::batch::{Batch, day_of};
use crate::call::{Day, Name};
use crate::figures::Refusal;

/// The days whose sightings were erased.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErasedDays(BTreeSet<Day>);

impl FromIterator<Day> for ErasedDays {
    fn from_iter<I: IntoIterator<Item = Day>>(days: I) -> Self {
        Self(days.into_iter().collect())
    }
}

impl ErasedDays {
    /// The days, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Day> + '_ {
        self.0.iter().copied()
    }

    /// Whether the day's own sightings are erased.
    pub fn contains(&self, day: Day) -> bool {
        self.0.contains(&day)
    }

    /// Whether the day can no longer be judged whole: its own sightings or a neighbour's, whose
    /// margin it reads, are erased.
    pub fn is_closed(&self, day: Day) -> bool {
        self.contains(day.minus(1)) || self.contains(day) || self.contains(day.plus(1))
    }

    /// Takes the sightings of closed days out of a batch and counts them as refused; says how
    /// many there were.
    pub(super) fn refuse(&self, batch: &mut Batch) -> u64 {
        let Batch { sightings, attempts, counts, sources, .. } = batch;
        // No call of theirs can be judged any more.
        attempts.retain(|attempt| !self.is_closed(day_of(attempt.start)));
        let mut refused = 0;
        sightings.retain(|sighting| {
            if !self.is_closed(day_of(sighting.start)) {
                return true;
            }
            refused += 1;
            let emitter = sighting.emitter.clone().unwrap_or_else(|| Name::cut(""));
            let (scope, dialect) = (&sighting.scope, &sighting.dialect);
            sources.refuse_kept(&emitter, scope, dialect, Refusal::DayClosed);
            let counts = counts.entry(emitter).or_default();
            if let Some(kept) = counts.kept.get_mut(&sighting.dialect) {
                *kept = kept.saturating_sub(1);
            }
            counts.refused.add(Refusal::DayClosed, 1);
            false
        });
        refused
    }
}

/// Whether a batch holds something of a day that could be closed: one is erased at the earliest
/// a day after the day after it was covered, so yesterday and today never are.
pub(super) fn may_be_closed(batch: &Batch) -> bool {
    let today = batch.received.day();
    batch.starts().any(|start| day_of(start).plus(1) < today)
}
