//! How much was read of what was received lately.

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReceivedRead {
    /// Sightings in the batches that hold one received in time.
    pub there: u64,
    /// Of these, sightings in the batches that were read.
    pub read: u64,
}
