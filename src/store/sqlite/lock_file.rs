//! Locks that die with their process: an operating system's lock on a file, which also says in
//! words who holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use super::database::At;
use crate::store::error::StoreError;

/// Longest text that is read from a lock file, in bytes.
const MAX_TEXT: u64 = 1024;

/// Longer than it takes to look who holds a lock.
const LOOK: Duration = Duration::from_millis(20);

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub(super) struct LockFile {
    _file: File,
}

/// What became of an attempt to take a lock.
#[derive(Debug)]
pub(super) enum Attempt {
    /// It is ours.
    Taken(LockFile),
    /// Another process, or another part of this one, has it; with the text that it left.
    Held(String),
}

/// The text of whoever holds the lock of `path`; none where nobody does. Looks only: a shared
/// lock is taken for a moment, so that two who look do not see each other.
pub(super) fn look(path: &Path) -> Result<Option<String>, StoreError> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.at(path)?,
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => text_of(&mut file, path).map(Some),
        Err(TryLockError::Error(error)) => Err(StoreError::io(path, error)),
    }
}

fn text_of(file: &mut File, path: &Path) -> Result<String, StoreError> {
    let mut found = Vec::new();
    file.take(MAX_TEXT).read_to_end(&mut found).at(path)?;
    Ok(String::from_utf8_lossy(&found).into_owned())
}

/// Takes the lock of `path` and leaves `text` in the file for others to read.
pub(super) fn take(path: &Path, text: &str) -> Result<Attempt, StoreError> {
    let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let mut file = opened.at(path)?;
    let mut taken = file.try_lock();
    if matches!(taken, Err(TryLockError::WouldBlock)) {
        // Someone may only have looked who has it.
        std::thread::sleep(LOOK);
        taken = file.try_lock();
    }
    match taken {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return text_of(&mut file, path).map(Attempt::Held);
        }
        Err(TryLockError::Error(error)) => return Err(StoreError::io(path, error)),
    }
    file.set_len(0).at(path)?;
    file.write_all(text.as_bytes()).at(path)?;
    Ok(Attempt::Taken(LockFile { _file: file }))
}
