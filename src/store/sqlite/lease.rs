//! The right to run a pass: one at a time, across processes (METHOD section 10).

use super::folder::Folder;
use super::lock_file::{self, Attempt, LockFile};
use crate::call::UnixNanos;
use crate::store::error::StoreError;
use crate::store::lease::cleaned;

/// The right to run a pass over one data folder: held by one process at a time, given up when
/// dropped or when the process ends, however it ends.
#[derive(Debug)]
pub(in crate::store) struct FolderLease {
    folder: Folder,
    _lock: LockFile,
}

impl FolderLease {
    pub(super) fn take(folder: &Folder, now: UnixNanos, owner: &str) -> Result<Self, StoreError> {
        let text = format!("{}\n{}\n", now.get(), cleaned(owner));
        match lock_file::take(&folder.pass_lock(), &text)? {
            Attempt::Taken(lock) => Ok(Self { folder: folder.clone(), _lock: lock }),
            Attempt::Held(text) => Err(running(&text)),
        }
    }

    /// Whether this is the right to a pass over `folder`.
    pub(super) fn is_for(&self, folder: &Folder) -> bool {
        self.folder == *folder
    }
}

/// Who runs the pass, as far as its lock file tells; it may be on its way to being written.
fn running(text: &str) -> StoreError {
    let (since, owner) = text.split_once('\n').unwrap_or_default();
    let owner = cleaned(owner.trim());
    StoreError::PassRunning {
        owner: if owner.is_empty() { "another process".to_owned() } else { owner },
        since: since.parse().ok().map(UnixNanos::new),
    }
}
