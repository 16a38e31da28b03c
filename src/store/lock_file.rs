//! Locks that die with their process: an operating system's lock on a file, which also says in
//! words who holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use super::database::At;
use super::error::StoreError;

/// Longest text that is read from a lock file, in bytes.
const MAX_TEXT: u64 = 1024;

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

/// Takes the lock of `path` and leaves `text` in the file for others to read.
pub(super) fn take(path: &Path, text: &str) -> Result<Attempt, StoreError> {
    let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let mut file = opened.at(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut found = Vec::new();
            file.take(MAX_TEXT).read_to_end(&mut found).at(path)?;
            return Ok(Attempt::Held(String::from_utf8_lossy(&found).into_owned()));
        }
        Err(TryLockError::Error(error)) => return Err(StoreError::io(path, error)),
    }
    file.set_len(0).at(path)?;
    file.write_all(text.as_bytes()).at(path)?;
    Ok(Attempt::Taken(LockFile { _file: file }))
}
