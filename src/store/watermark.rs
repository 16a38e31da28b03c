//! How far the arrivals had come that a day's figures were made from.

/// What has arrived that can touch one day's figures: the day's own file, the last hour of the
/// day before and the first quarter of an hour of the day after. Compared for equality: where a
/// covered day's watermark is no longer the one its figures were made from, the pass runs again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Watermark {
    /// The end of the day before.
    pub(super) before: Option<FileMark>,
    /// The day itself.
    pub(super) own: Option<FileMark>,
    /// The beginning of the day after.
    pub(super) after: Option<FileMark>,
}

/// The last batch of one file that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FileMark {
    /// Random number of the file, so that a file put in another's place is told apart.
    pub(super) file: u64,
    /// The last batch's id; batches are only ever added, with ascending ids.
    pub(super) last_batch: u64,
}
