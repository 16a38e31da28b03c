//! The right to run a pass: one at a time, across processes (METHOD section 10).

use super::clickhouse::DatabaseLease;
use super::sqlite::FolderLease;

/// Longest owner's text that is kept, in characters.
const MAX_OWNER: usize = 200;

/// The right to run a pass over one store: held by one process at a time, given up when dropped.
/// A data folder's ends with its process, a database's some minutes after.
#[derive(Debug)]
pub struct PassLease(pub(super) Held);

/// The right as each store keeps it.
#[derive(Debug)]
pub(super) enum Held {
    /// A lock on a file of the data folder.
    Folder(FolderLease),
    /// A term in the database.
    Database(DatabaseLease),
}

/// An owner's text as it is kept and shown.
pub(super) fn cleaned(owner: &str) -> String {
    let without_control = |letter: char| if letter.is_control() { ' ' } else { letter };
    owner.chars().take(MAX_OWNER).map(without_control).collect()
}
