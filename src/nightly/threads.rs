//! Work on several threads at once.

use std::thread;

/// How many: one for each processor, four at most, for each has a part in memory.
pub(super) fn count() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(4)
}

/// Works on `count` threads at once, this one among them; the first error where there is any.
pub(super) fn on<E: Send>(
    count: usize,
    work: &(impl Fn() -> Result<(), E> + Sync),
) -> Result<(), E> {
    beside(count, work, work)
}

/// Does the same, with `mine` on this thread.
pub(super) fn beside<E: Send>(
    count: usize,
    mine: impl FnOnce() -> Result<(), E>,
    work: &(impl Fn() -> Result<(), E> + Sync),
) -> Result<(), E> {
    thread::scope(|scope| {
        let others: Vec<_> = (1..count).map(|_| scope.spawn(work)).collect();
        let mine = mine();
        others.into_iter().fold(mine, |before, other| match other.join() {
            Ok(result) => before.and(result),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}
