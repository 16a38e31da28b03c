//! The store through its own doors, on real files.

mod columns;
mod figures;
mod files;
mod several_days;
mod writing;

use std::path::Path;

use tempfile::TempDir;

use super::folder::Folder;
use crate::call::{Day, Sighting, UnixNanos};
use crate::store::tests::{batch, commit_all, day, numbers, read, sighting, wait};
use crate::store::{Batch, Store, StoreError, Writer, WriterOptions};

/// A fresh data folder that goes away with the test.
fn fresh() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("data")).unwrap();
    (folder, store)
}

/// Where the store keeps its files.
fn files(store: &Store) -> Folder {
    Folder::at(store.dir())
}

/// Copies a folder with its files as they are at this moment, logs included.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}
