//! What one export request leaves behind: the unit that is committed and answered.

use std::collections::BTreeMap;

use crate::call::{Attempt, Name, Sighting, UnixNanos};
use crate::figures::ArrivalCounts;

/// What became of a batch that is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Committed {
    /// Sightings that were refused because their day is closed.
    pub refused: u64,
}

/// The sightings and arrival counts of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// When the request was received; its counts belong to this instant's day.
    pub received: UnixNanos,
    /// The sightings, in the order in which they were sent.
    pub sightings: Vec<Sighting>,
    /// Client spans that may turn out to be below one of the calls, in the same order.
    pub attempts: Vec<Attempt>,
    /// What arrived, by the emitter's `service.name`; an empty name where it was not told.
    pub counts: BTreeMap<Name, ArrivalCounts>,
}

impl Batch {
    /// When everything in it that is kept starts.
    pub(super) fn starts(&self) -> impl Iterator<Item = UnixNanos> + '_ {
        let sightings = self.sightings.iter().map(|sighting| sighting.start);
        sightings.chain(self.attempts.iter().map(|attempt| attempt.start))
    }

    /// How many rows it takes.
    pub(super) fn rows(&self) -> usize {
        self.sightings.len().saturating_add(self.attempts.len())
    }
}
