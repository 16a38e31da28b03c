//! Which requests were imported from files, so that none is counted twice.
//!
//! A request's digest is noted in the transaction that adds its arrival counts, so the two are
//! there together or not at all. Its sightings are on disk before. A program that dies in
//! between leaves sightings whose requests are not noted: they are those that were received
//! after the last noted one, and the next import leaves them out.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Transaction};

use super::batch::{Batch, RequestDigest};
use super::columns::IMPORTED_REQUESTS;
use super::database::{self, At, to_sql};
use super::error::StoreError;
use super::folder::Folder;
use super::rows::instant;
use crate::call::UnixNanos;

/// For how many days a request is known again. By then the days of its calls are long covered
/// and closed as a rule, and calls that are stored twice are still counted once.
const KNOWN_DAYS: u32 = 90;

/// Requests that are not noted yet.
#[derive(Debug, Default)]
pub(super) struct ImportedBook {
    digests: Vec<RequestDigest>,
    through: Option<UnixNanos>,
}

impl ImportedBook {
    /// Adds a batch's requests.
    pub(super) fn add(&mut self, batch: &Batch) {
        if !batch.imported.is_empty() {
            self.digests.extend(&batch.imported);
            self.through = self.through.max(Some(batch.received));
        }
    }

    /// Adds another book's requests.
    pub(super) fn merge(&mut self, other: &Self) {
        self.digests.extend(&other.digests);
        self.through = self.through.max(other.through);
    }

    /// Whether there is nothing to note.
    pub(super) fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// Notes the requests.
    pub(super) fn save(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let Some(through) = self.through else { return Ok(()) };
        let insert = format!("{} ON CONFLICT DO NOTHING", IMPORTED_REQUESTS.insert());
        let mut insert = transaction.prepare_cached(&insert)?;
        let day = through.day().to_string();
        for digest in &self.digests {
            insert.execute((digest.as_bytes(), &day))?;
        }
        transaction
            .prepare_cached("UPDATE running_import SET noted_through = ?1")?
            .execute([to_sql(through.get())])?;
        Ok(())
    }
}

/// What is known of earlier imports, for one that runs.
#[derive(Debug)]
pub struct ImportNotes {
    file: PathBuf,
    connection: Connection,
    unnoted_since: Option<UnixNanos>,
}

impl ImportNotes {
    /// Begins an import at `now`. Held until the writer is closed.
    pub(super) fn begin(folder: &Folder, now: UnixNanos) -> Result<Self, StoreError> {
        let file = folder.main_file();
        let Some(mut connection) = database::open_existing(&file, &database::MAIN)? else {
            return Err(StoreError::NothingThere { path: folder.dir().into() });
        };
        let unnoted_since = begin(&mut connection, now).at(&file)?;
        Ok(Self { file, connection, unnoted_since })
    }

    /// Where an earlier import was cut short: what was received later than this may be of
    /// requests that are not noted.
    pub const fn unnoted_since(&self) -> Option<UnixNanos> {
        self.unnoted_since
    }

    /// Whether the request was imported before.
    pub fn is_imported(&self, digest: RequestDigest) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached("SELECT 1 FROM imported_requests WHERE digest = ?1")
            .and_then(|mut select| select.exists([digest.as_bytes()]))
            .at(&self.file)
    }

    /// Ends the import. The writer must have been closed before: everything is noted by then.
    pub fn finish(self) -> Result<(), StoreError> {
        self.connection.execute("DELETE FROM running_import", []).map(drop).at(&self.file)
    }
}

fn begin(connection: &mut Connection, now: UnixNanos) -> rusqlite::Result<Option<UnixNanos>> {
    let transaction = connection.transaction()?;
    let last = now.day().minus(KNOWN_DAYS).to_string();
    transaction.execute("DELETE FROM imported_requests WHERE day < ?1", [last])?;
    let select = "SELECT noted_through FROM running_import";
    let unnoted = transaction.query_row(select, [], |row| instant(row, 0)).optional()?;
    if unnoted.is_none() {
        let insert = "INSERT INTO running_import (noted_through) VALUES (?1)";
        transaction.execute(insert, [to_sql(now.get())])?;
    }
    transaction.commit()?;
    Ok(unnoted)
}
