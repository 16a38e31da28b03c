//! Reading downstream attempts, row by row.

use super::attempt_row::AttemptRow;
use super::engine::Engine;
use super::sightings::{Names, of_day};
use crate::call::{Attempt, Day, Name, UnixNanos};
use crate::store::error::StoreError;

/// Hands every attempt of `day` that starts in `[from, to)` to `visit`, in no order.
pub(super) fn read<N: Clone>(
    engine: &Engine,
    day: Day,
    (from, to): (UnixNanos, UnixNanos),
    name: &mut dyn FnMut(&Name) -> N,
    visit: &mut dyn FnMut(Attempt<N>),
) -> Result<(), StoreError> {
    let mut names = Names::new(name);
    let query = format!("SELECT ?fields FROM attempts {}", of_day(day, from, to));
    let visit = |row: AttemptRow<'_>| row.attempt(&mut |text| names.of(text)).map(&mut *visit);
    engine.each::<AttemptRow<'_>>(&query, visit)
}
