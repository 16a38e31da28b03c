//! Sightings by when they were received, the latest first.

use super::engine::Engine;
use super::sighting_row::SightingRow;
use super::sightings::Names;
use crate::call::{Name, Sighting, UnixNanos};
use crate::store::error::StoreError;
use crate::store::received::ReceivedRead;
use crate::store::stored::StoredSighting;

/// Hands sightings received at `since` or later to `visit`; of more than `limit` the latest ones.
pub(super) fn read(
    engine: &Engine,
    since: UnixNanos,
    limit: u64,
    visit: &mut dyn FnMut(Sighting),
) -> Result<ReceivedRead, StoreError> {
    let in_time = format!("FROM sightings WHERE received >= {}", since.get());
    let row = engine.rows(&format!("SELECT count() {in_time}"))?.pop();
    let there = row.and_then(|mut row| row.number());
    let there = there.ok_or_else(|| engine.damaged("sightings"))?;
    let last =
        if there > limit { format!("ORDER BY received DESC LIMIT {limit}") } else { String::new() };
    let mut name = Name::clone;
    let mut names = Names::new(&mut name);
    let mut read = 0_u64;
    let mut visit = |stored: StoredSighting<'_, Name>| {
        read = read.saturating_add(1);
        visit(stored.into());
    };
    let each = |row: SightingRow<'_>| row.visit(&mut |text| names.of(text), &mut visit);
    engine.each::<SightingRow<'_>>(&format!("SELECT ?fields {in_time} {last}"), each)?;
    Ok(ReceivedRead { there: there.max(read), read })
}
