//! One group commit: the rows of all waiting requests, one transaction per day file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::day_file::{DayRows, DayWriter};
use super::folder::Folder;
use crate::call::Day;
use crate::store::batch::{Batch, day_of};
use crate::store::error::StoreError;

/// Days that are written at once: each costs descriptors, and a sender chooses how many there are.
const MAX_TOGETHER: usize = 16;

/// The day files that are open for writing, the one used last at the end.
#[derive(Debug)]
pub(super) struct OpenDays {
    folder: Folder,
    days: Vec<DayWriter>,
    limit: usize,
    max_bytes: Option<u64>,
}

impl OpenDays {
    /// No file open yet; at most `limit` at a time.
    pub(super) const fn new(folder: Folder, limit: usize, max_bytes: Option<u64>) -> Self {
        Self { folder, days: Vec::new(), limit, max_bytes }
    }

    /// Closes the files that are no longer in their place, so that a deleted one's bytes go.
    pub(super) fn close_deleted(&mut self) {
        self.days.retain(DayWriter::is_in_place);
    }

    /// Commits the batches' sightings and syncs them. The answers are in the batches' order: a
    /// batch is safe when every day that it touches is.
    ///
    /// A batch of several days is kept whole or not at all: no day is committed before all of them
    /// (of sixteen at a time) have their rows written, and a batch that one day cannot take is left
    /// out of the others. Each file commits by itself, though: where the last step of a later one
    /// fails, the earlier ones stand, and the batch sent again is counted once.
    pub(super) fn commit(&mut self, batches: &[&Batch]) -> Vec<Result<(), StoreError>> {
        let mut failures: BTreeMap<Day, StoreError> = BTreeMap::new();
        let mut done = BTreeSet::new();
        loop {
            let known = failures.len();
            let begun = self.begin(batches, &done, &mut failures);
            // What was begun is rolled back here, and begun anew without some batches.
            if failures.len() > known {
                continue;
            }
            if begun.is_empty() {
                break;
            }
            done.extend(begun.iter().map(DayWriter::day));
            self.finish(begun, &mut failures);
        }
        batches.iter().map(|batch| failure_of(batch, &failures).map_or(Ok(()), Err)).collect()
    }

    /// Writes the rows of all batches but those that touch a failed day, into the days that are
    /// not done; stops at a failure.
    fn begin(
        &mut self,
        batches: &[&Batch],
        done: &BTreeSet<Day>,
        failures: &mut BTreeMap<Day, StoreError>,
    ) -> Vec<DayWriter> {
        let by_day = by_day(batches, done, failures);
        let is_alone = by_day.len() < 2;
        let mut begun = Vec::new();
        for (day, rows) in by_day.into_iter().take(MAX_TOGETHER) {
            // Taken out of the list: after an error it is dropped, and the next commit opens anew.
            let write = |mut writer: DayWriter| {
                writer.begin(&rows)?;
                if !is_alone {
                    writer.flush()?;
                }
                Ok(writer)
            };
            match self.take(day).and_then(write) {
                Ok(writer) => begun.push(writer),
                Err(error) => {
                    note(day, &error);
                    failures.insert(day, error);
                    break;
                }
            }
        }
        begun
    }

    fn finish(&mut self, begun: Vec<DayWriter>, failures: &mut BTreeMap<Day, StoreError>) {
        for mut writer in begun {
            let day = writer.day();
            match writer.commit() {
                Ok(()) => self.days.push(writer),
                Err(error) => {
                    note(day, &error);
                    failures.insert(day, error);
                }
            }
            if self.days.len() > self.limit {
                self.days.remove(0);
            }
        }
    }

    fn take(&mut self, day: Day) -> Result<DayWriter, StoreError> {
        if let Some(position) = self.days.iter().position(|open| open.day() == day) {
            let open = self.days.remove(position);
            if open.is_in_place() {
                return Ok(open);
            }
        }
        let file: PathBuf = self.folder.day_file(day);
        DayWriter::open(file, day, self.max_bytes)
    }
}

fn note(day: Day, error: &StoreError) {
    tracing::warn!(%day, %error, "failed to commit sightings; senders will try again");
}

/// Why a batch is not safe; none where it is.
fn failure_of(batch: &Batch, failures: &BTreeMap<Day, StoreError>) -> Option<StoreError> {
    batch.starts().find_map(|start| failures.get(&day_of(start)).cloned())
}

/// The rows of all batches but those that touch a failed day, by day, for the days that are not
/// done.
fn by_day<'a>(
    batches: &[&'a Batch],
    done: &BTreeSet<Day>,
    failures: &BTreeMap<Day, StoreError>,
) -> BTreeMap<Day, DayRows<'a>> {
    let mut by_day: BTreeMap<Day, DayRows<'a>> = BTreeMap::new();
    for batch in batches.iter().filter(|batch| failure_of(batch, failures).is_none()) {
        for sighting in &batch.sightings {
            let day = day_of(sighting.start);
            if !done.contains(&day) {
                by_day.entry(day).or_default().sightings.push(sighting);
            }
        }
        for attempt in &batch.attempts {
            let day = day_of(attempt.start);
            if !done.contains(&day) {
                let rows = by_day.entry(day).or_default();
                rows.attempts.push(attempt);
                rows.received = rows.received.max(Some(batch.received));
            }
        }
    }
    by_day
}
