//! Imported requests, noted in `firstcall.sqlite`.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Transaction};

use super::database::{self, At, to_sql};
use super::folder::Folder;
use super::rows::instant;
use crate::call::UnixNanos;
use crate::store::batch::RequestDigest;
use crate::store::columns::IMPORTED_REQUESTS;
use crate::store::error::StoreError;
use crate::store::imports::{ImportedBook, KNOWN_DAYS};

/// Notes the requests.
pub(super) fn save(book: &ImportedBook, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let Some(through) = book.through else { return Ok(()) };
    let insert = format!("{} ON CONFLICT DO NOTHING", IMPORTED_REQUESTS.insert());
    let mut insert = transaction.prepare_cached(&insert)?;
    let day = through.day().to_string();
    for digest in &book.digests {
        insert.execute((digest.as_bytes(), &day))?;
    }
    transaction
        .prepare_cached("UPDATE running_import SET noted_through = ?1")?
        .execute([to_sql(through.get())])?;
    Ok(())
}

/// What is known of earlier imports, for one that runs.
#[derive(Debug)]
pub(in crate::store) struct FolderImport {
    file: PathBuf,
    connection: Connection,
    unnoted_since: Option<UnixNanos>,
}

impl FolderImport {
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
    pub(in crate::store) const fn unnoted_since(&self) -> Option<UnixNanos> {
        self.unnoted_since
    }

    /// Whether the request was imported before.
    pub(in crate::store) fn is_imported(&self, digest: RequestDigest) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached("SELECT 1 FROM imported_requests WHERE digest = ?1")
            .and_then(|mut select| select.exists([digest.as_bytes()]))
            .at(&self.file)
    }

    /// Ends the import. The writer must have been closed before: everything is noted by then.
    pub(in crate::store) fn finish(self) -> Result<(), StoreError> {
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
