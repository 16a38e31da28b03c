//! Sightings by when they were received, the latest first: what `firstcall doctor` and a resumed
//! import look at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::database::{self, At, to_sql};
use super::day_file::{BLOB, HEADS, blob, head};
use super::folder::Folder;
use super::names;
use super::unpack::NameReader;
use crate::call::{Day, Name, Sighting, UnixNanos};
use crate::store::error::{Damage, StoreError};
use crate::store::received::ReceivedRead;
use crate::store::stored::StoredSighting;

/// Hands sightings received at `since` or later to `visit`, of the latest batches that together
/// hold at most `limit` (of one, if that holds more). Days come ascending, and batches in order
/// of arrival within a day. A damaged batch is left out, and is the error once all were visited.
pub(super) fn read(
    folder: &Folder,
    since: UnixNanos,
    limit: u64,
    visit: &mut dyn FnMut(Sighting),
) -> Result<ReceivedRead, StoreError> {
    let mut damaged = None;
    let mut found = Vec::new();
    for day in folder.days()? {
        let file = folder.day_file(day);
        let (heads, damage) = heads(&file, since)?;
        found.extend(heads.into_iter().map(|(received, id, rows)| (received, day, id, rows)));
        damaged = damaged.or(damage.map(|batch| (day, batch)));
    }
    found.sort_unstable();
    let mut result = ReceivedRead::default();
    let mut wanted: BTreeMap<Day, BTreeSet<i64>> = BTreeMap::new();
    for (_, day, id, rows) in found.into_iter().rev() {
        result.there = result.there.saturating_add(rows);
        if result.read == 0 || result.read.saturating_add(rows) <= limit {
            result.read = result.read.saturating_add(rows);
            wanted.entry(day).or_default().insert(id);
        }
    }
    for (day, batches) in wanted {
        let damage = visit_batches(&folder.day_file(day), &batches, since, visit)?;
        damaged = damaged.or(damage.map(|batch| (day, batch)));
    }
    damaged.map_or(Ok(result), |(day, batch)| {
        Err(StoreError::Corrupt { file: folder.day_file(day), damage: Damage::Batch(batch) })
    })
}

/// When the batch's latest sighting was received, its id and its size.
type Found = (i64, i64, u64);

/// The batches of a file that hold something received in time, and the first damaged one.
fn heads(file: &Path, since: UnixNanos) -> Result<(Vec<Found>, Option<i64>), StoreError> {
    let Some(connection) = database::open_existing(file, &database::DAY)? else {
        return Ok((Vec::new(), None));
    };
    let mut select = connection.prepare(HEADS).at(file)?;
    let mut rows = select.query([]).at(file)?;
    let (mut found, mut damaged) = (Vec::new(), None);
    while let Some(row) = rows.next().at(file)? {
        let (head, is_sound) = head(row).at(file)?;
        if !is_sound {
            damaged = damaged.or(Some(head.id));
        } else if head.received >= to_sql(since.get()) {
            found.push((head.received, head.id, head.sightings.cast_unsigned()));
        }
    }
    Ok((found, damaged))
}

fn visit_batches(
    file: &Path,
    batches: &BTreeSet<i64>,
    since: UnixNanos,
    visit: &mut dyn FnMut(Sighting),
) -> Result<Option<i64>, StoreError> {
    // The file may have been erased in the meantime.
    let Some(mut connection) = database::open_existing(file, &database::DAY)? else {
        return Ok(None);
    };
    let transaction = connection.transaction().at(file)?;
    let numbered = names::read(&transaction).at(file)?;
    let mut in_full = Name::clone;
    let mut names = NameReader { numbered: &numbered, in_full: &mut in_full };
    let mut select = transaction.prepare(HEADS).at(file)?;
    let mut blobs = transaction.prepare(BLOB).at(file)?;
    let mut rows = select.query([]).at(file)?;
    let mut damaged = None;
    while let Some(row) = rows.next().at(file)? {
        let (head, is_sound) = head(row).at(file)?;
        if !is_sound || !batches.contains(&head.id) {
            continue;
        }
        // Kept until all are read: those of a damaged batch are left out.
        let mut kept = Vec::new();
        let mut keep = |row: StoredSighting<'_, Name>| kept.push(Sighting::from(row));
        if blob(&mut blobs, &head, &mut names, &mut keep).at(file)? {
            kept.into_iter().filter(|row| row.received >= since).for_each(&mut *visit);
        } else {
            damaged = damaged.or(Some(head.id));
        }
    }
    Ok(damaged)
}
