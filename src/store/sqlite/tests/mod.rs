//! The store through its own doors, on real files.

mod columns;
mod figures;
mod files;
mod several_days;
mod writing;

use std::path::Path;

use tempfile::TempDir;

use super::folder::Folder;
use crate::call::arbitrary::plain_sighting;
use crate::call::{Day, Sighting, SpanId, UnixNanos};
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

fn day() -> Day {
    "2026-11-29".parse().unwrap()
}

/// A sighting of its own that starts `seconds` into `day`.
fn sighting(number: u64, day: Day, seconds: u64) -> Sighting {
    let start = day.start().get() + seconds * 1_000_000_000;
    Sighting {
        span_id: SpanId::from_bytes(&number.to_be_bytes()).unwrap(),
        start: UnixNanos::new(start),
        end: UnixNanos::new(start + 1),
        received: UnixNanos::new(start + 2),
        ..plain_sighting()
    }
}

fn batch(sightings: Vec<Sighting>) -> Batch {
    Batch::of(day().start(), sightings)
}

/// Waits for a future of the writer's.
fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

/// Commits batches one after another with a writer of its own.
#[track_caller]
fn commit_all(store: &Store, batches: impl IntoIterator<Item = Batch>) {
    let writer = Writer::start(store, WriterOptions::default()).unwrap();
    for batch in batches {
        wait(writer.commit(batch)).unwrap();
    }
    writer.close().unwrap();
}

/// Everything that a day's file holds, and how reading it ended.
fn read(store: &Store, day: Day) -> (Vec<Sighting>, Result<(), StoreError>) {
    let mut found = Vec::new();
    let ended =
        store.read_sightings(day, UnixNanos::new(0), UnixNanos::new(u64::MAX), &mut |row| {
            found.push(row);
        });
    (found, ended)
}

/// The span ids that a day's file holds, as the numbers that [`sighting`] made them of.
#[track_caller]
fn numbers(store: &Store, day: Day) -> Vec<u64> {
    let (found, ended) = read(store, day);
    ended.unwrap();
    let mut numbers: Vec<u64> =
        found.iter().map(|row| u64::from_be_bytes(*row.span_id.as_bytes())).collect();
    numbers.sort_unstable();
    numbers
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
