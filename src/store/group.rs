//! One group commit: the rows of all waiting requests, one transaction per day file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::batch::Batch;
use super::day_file::{DayRows, DayWriter, day_of};
use super::error::StoreError;
use super::folder::Folder;
use crate::call::Day;

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
    pub(super) fn commit(&mut self, batches: &[&Batch]) -> Vec<Result<(), StoreError>> {
        let mut by_day: BTreeMap<Day, DayRows<'_>> = BTreeMap::new();
        for batch in batches {
            for sighting in &batch.sightings {
                by_day.entry(day_of(sighting.start)).or_default().sightings.push(sighting);
            }
            for attempt in &batch.attempts {
                let rows = by_day.entry(day_of(attempt.start)).or_default();
                rows.attempts.push(attempt);
                rows.received = rows.received.max(Some(batch.received));
            }
        }
        let mut failures: BTreeMap<Day, StoreError> = BTreeMap::new();
        for (day, rows) in by_day {
            if let Err(error) = self.append(day, &rows) {
                tracing::warn!(%day, %error, "failed to commit sightings; senders will try again");
                failures.insert(day, error);
            }
        }
        let failure_of =
            |batch: &Batch| batch.starts().find_map(|start| failures.get(&day_of(start)).cloned());
        batches.iter().map(|batch| failure_of(batch).map_or(Ok(()), Err)).collect()
    }

    fn append(&mut self, day: Day, rows: &DayRows<'_>) -> Result<(), StoreError> {
        // Taken out of the list: after an error it is dropped, and the next commit opens anew.
        let mut writer = self.take(day)?;
        writer.append(rows)?;
        self.days.push(writer);
        if self.days.len() > self.limit {
            self.days.remove(0);
        }
        Ok(())
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
