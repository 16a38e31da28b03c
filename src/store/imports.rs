//! Which requests were imported from files, so that none is counted twice.
//!
//! A request's digest is noted together with its arrival counts, so the two are there together or
//! not at all. Its sightings are safe before. A program that dies in between leaves sightings
//! whose requests are not noted: they are those that were received after the last noted one, and
//! the next import leaves them out.

use super::batch::{Batch, RequestDigest};
use super::clickhouse::DatabaseImport;
use super::error::StoreError;
use super::sqlite::FolderImport;
use crate::call::UnixNanos;

/// For how many days a request is known again. By then the days of its calls are long covered
/// and closed as a rule, and calls that are stored twice are still counted once.
pub(super) const KNOWN_DAYS: u32 = 90;

/// Requests that are not noted yet.
#[derive(Debug, Clone, Default)]
pub(super) struct ImportedBook {
    pub(super) digests: Vec<RequestDigest>,
    pub(super) through: Option<UnixNanos>,
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
}

/// What is known of earlier imports, for one that runs. Held until the writer is closed.
#[derive(Debug)]
pub struct ImportNotes(pub(super) Notes);

/// The notes as each store keeps them.
#[derive(Debug)]
pub(super) enum Notes {
    /// In the data folder.
    Folder(FolderImport),
    /// In the database.
    Database(DatabaseImport),
}

impl ImportNotes {
    /// Where an earlier import was cut short: what was received later than this may be of
    /// requests that are not noted.
    pub const fn unnoted_since(&self) -> Option<UnixNanos> {
        match &self.0 {
            Notes::Folder(notes) => notes.unnoted_since(),
            Notes::Database(notes) => notes.unnoted_since(),
        }
    }

    /// Whether the request was imported before.
    pub fn is_imported(&self, digest: RequestDigest) -> Result<bool, StoreError> {
        match &self.0 {
            Notes::Folder(notes) => notes.is_imported(digest),
            Notes::Database(notes) => Ok(notes.is_imported(digest)),
        }
    }

    /// Ends the import. The writer must have been closed before: everything is noted by then.
    pub fn finish(self) -> Result<(), StoreError> {
        match self.0 {
            Notes::Folder(notes) => notes.finish(),
            Notes::Database(notes) => notes.finish(),
        }
    }
}
