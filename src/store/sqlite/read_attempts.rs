//! Reading the downstream attempts of one day file.

use std::path::Path;

use rusqlite::Connection;

use super::attempt_row;
use super::database::{self, At, to_sql};
use super::names;
use super::unpack::NameReader;
use crate::call::{Attempt, Name, UnixNanos};
use crate::store::error::{Damage, StoreError};

/// Hands every downstream attempt of `file` that starts in `[from, to)` to `visit`, in order of
/// arrival, as sightings are read.
pub(super) fn read_attempts<N: Clone>(
    file: &Path,
    (from, to): (UnixNanos, UnixNanos),
    name: &mut dyn FnMut(&Name) -> N,
    visit: &mut dyn FnMut(Attempt<N>),
) -> Result<(), StoreError> {
    let Some(mut connection) = database::open_existing(file, &database::DAY)? else {
        return Ok(());
    };
    let transaction = connection.transaction().at(file)?;
    let mut select = transaction.prepare(ATTEMPTS).at(file)?;
    let mut rows = select.query((to_sql(from.get()), to_sql(to.get()))).at(file)?;
    let mut numbered: Option<Vec<Option<N>>> = None;
    let mut damaged = None;
    while let Some(row) = rows.next().at(file)? {
        // Most files hold none and need no names.
        let numbered = match &mut numbered {
            Some(numbered) => numbered,
            None => numbered.insert(numbered_names(&transaction, name).at(file)?),
        };
        let packed = row.get_ref(1).at(file)?.as_blob().unwrap_or_default();
        let mut names = NameReader { numbered, in_full: name };
        match attempt_row::unpack(packed, &mut names) {
            Ok(attempts) => attempts
                .into_iter()
                .filter(|attempt| from <= attempt.start && attempt.start < to)
                .for_each(&mut *visit),
            Err(_) => damaged = damaged.or(Some(row.get(0).at(file)?)),
        }
    }
    damaged.map_or(Ok(()), |batch| {
        Err(StoreError::Corrupt { file: file.into(), damage: Damage::Batch(batch) })
    })
}

/// The dictionary's names as what `name` makes of them.
pub(super) fn numbered_names<N>(
    connection: &Connection,
    name: &mut dyn FnMut(&Name) -> N,
) -> rusqlite::Result<Vec<Option<N>>> {
    let names = names::read(connection)?;
    Ok(names.iter().map(|numbered| numbered.as_ref().map(&mut *name)).collect())
}

pub(super) const ATTEMPTS: &str = "SELECT id, attempts FROM batches
    WHERE attempts IS NOT NULL AND max_start >= ?1 AND min_start <= ?2 ORDER BY id";
