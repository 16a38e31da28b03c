//! What one export request leaves behind: the unit that is committed and answered.

use std::collections::BTreeMap;

use crate::call::{Name, Sighting, UnixNanos};
use crate::figures::ArrivalCounts;

/// What became of a batch that is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Committed {
    /// Sightings that were refused because their day is closed.
    pub refused: u64,
    /// Sightings of spans that are among the last 65,536 that this writer has kept.
    pub duplicates: u64,
}

/// The sightings and arrival counts of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// When the request was received; its counts belong to this instant's day.
    pub received: UnixNanos,
    /// The sightings, in the order in which they were sent.
    pub sightings: Vec<Sighting>,
    /// What arrived, by the emitter's `service.name`; an empty name where it was not told.
    pub counts: BTreeMap<Name, ArrivalCounts>,
}
