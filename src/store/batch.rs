//! What one export request leaves behind: the unit that is committed and answered.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::call::{Attempt, Day, Name, Sighting, UnixNanos};
use crate::figures::{ArrivalCounts, Sources};

/// What became of a batch that is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Committed {
    /// Sightings that were refused because their day is closed.
    pub refused: u64,
    /// Sightings of spans that are among the last 65,536 that this writer has kept.
    pub duplicates: u64,
}

/// A request that came out of a file: the first half of its SHA-256, so that it is known when it
/// is offered again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestDigest([u8; 16]);

impl RequestDigest {
    /// The digest of a request's bytes.
    pub fn of(request: &[u8]) -> Self {
        let mut first = [0; 16];
        for (to, from) in first.iter_mut().zip(Sha256::digest(request)) {
            *to = from;
        }
        Self(first)
    }

    /// The stored bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
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
    /// The same by emitter, scope and kind, for `firstcall doctor`.
    pub sources: Sources,
    /// The requests that this is, where they are imported; noted together with the counts.
    pub imported: Vec<RequestDigest>,
}

impl Batch {
    /// A batch of sightings of which no arrivals are counted.
    pub fn of(received: UnixNanos, sightings: Vec<Sighting>) -> Self {
        Self {
            received,
            sightings,
            attempts: Vec::new(),
            counts: BTreeMap::new(),
            sources: Sources::default(),
            imported: Vec::new(),
        }
    }

    /// Adds another batch, received later: the two are committed as one.
    pub fn join(&mut self, later: Self) {
        let Self { received, sightings, attempts, counts, sources, imported } = later;
        self.received = received;
        self.sightings.extend(sightings);
        self.attempts.extend(attempts);
        for (emitter, counts) in counts {
            self.counts.entry(emitter).or_default().merge(&counts);
        }
        self.sources.merge(&sources);
        self.imported.extend(imported);
    }
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

/// The day whose sightings hold what starts then. The broken day at the end of representable time
/// has no place of its own.
pub(super) fn day_of(start: UnixNanos) -> Day {
    start.day().min(Day::MAX)
}
