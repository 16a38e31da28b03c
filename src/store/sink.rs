//! Where the writer's groups go: what each store does with them.

use super::arrivals::ArrivalBook;
use super::batch::Batch;
use super::erased::ErasedDays;
use super::error::StoreError;

/// How long a lock that another holds is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Not at all.
    None,
    /// As long as the store usually waits.
    Usual,
}

/// One store's end of the writer. Used by one thread.
pub(super) trait Sink: Send {
    /// Makes the batches' sightings safe. The answers are in the batches' order; an error is one
    /// that [is retryable](StoreError::is_retryable).
    fn commit(&mut self, batches: &[&Batch]) -> Vec<Result<(), StoreError>>;

    /// The days whose sightings were erased.
    fn erased_days(&mut self) -> Result<ErasedDays, StoreError>;

    /// Adds the counts to those that are stored, all or none. Called with none now and then, too.
    fn save_arrivals(&mut self, book: &ArrivalBook, patience: Patience) -> Result<(), StoreError>;

    /// Lets go of what is no longer needed; called after each group, and every few seconds.
    fn rest(&mut self);
}
