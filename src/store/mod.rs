//! Store: sightings durable before the answer, daily figures published per day.
//!
//! One data folder: `firstcall.sqlite` holds coverage, daily figures and arrival counts;
//! `sightings/YYYY-MM-DD.sqlite` holds the sightings that start on that UTC day, packed, one
//! BLOB per group commit. One process writes sightings; any number of processes read beside it.
//! `docs/data-model.md` describes every table and the row format.

pub mod batch;
pub mod error;
mod watermark;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use batch::Batch;
pub use error::{Damage, StoreError};
pub use watermark::Watermark;

use crate::call::{Day, InstallationSecret, Name, Sighting, ToolKey, UnixNanos};
use crate::figures::{ArrivalCounts, DayFigures};

/// A data folder, for readers and for the pass. Cheap to clone; usable from several threads and
/// several processes at once, beside a running writer.
#[derive(Debug, Clone)]
pub struct Store {
    dir: Arc<Path>,
}

/// A day that the pass has covered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveredDay {
    /// The day.
    pub day: Day,
    /// When it was first covered.
    pub covered_at: UnixNanos,
    /// What its figures were made from.
    pub watermark: Watermark,
    /// When its figures last changed after they had been shown; none where they never did.
    pub restated_at: Option<UnixNanos>,
}

/// The figures that a day showed before a later pass changed them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restatement {
    /// The day.
    pub day: Day,
    /// When its figures changed.
    pub restated_at: UnixNanos,
    /// What was shown before, per tool, all clients together.
    pub shown_before: BTreeMap<ToolKey, Headline>,
}

/// A tool's headline figures, all clients together (METHOD section 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Headline {
    /// Judged calls.
    pub judged: u64,
    /// First-call successes among them.
    pub first_call_successes: u64,
    /// Confirmed first-call successes among them.
    pub confirmed_first_call_successes: u64,
    /// Retried calls.
    pub retried: u64,
}

/// The right to run a pass: held by one process at a time, given up when dropped or when the
/// process ends, however it ends.
#[derive(Debug)]
pub struct PassLease {
    _dir: PathBuf,
}

impl Store {
    /// Opens the data folder `dir`, making it and bringing its schema up to date where needed.
    pub fn create(dir: &Path) -> Result<Self, StoreError> {
        Ok(Self { dir: dir.into() })
    }

    /// Opens the data folder `dir`, which must hold firstcall data already.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        Err(StoreError::NothingThere { path: dir.into() })
    }

    /// The data folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// This installation's secret.
    pub fn secret(&self) -> Result<InstallationSecret, StoreError> {
        Err(StoreError::NothingThere { path: self.dir.to_path_buf() })
    }

    /// The days that have sightings, ascending.
    pub fn sighting_days(&self) -> Result<Vec<Day>, StoreError> {
        Ok(Vec::new())
    }

    /// Hands every sighting of `day`'s file whose start lies in `[from, to)` to `visit`, batch by
    /// batch in order of arrival; doubles are handed on as they came. A damaged batch is left out,
    /// and [`StoreError::Corrupt`] is returned after the others were visited.
    pub fn read_sightings(
        &self,
        _day: Day,
        _from: UnixNanos,
        _to: UnixNanos,
        _visit: &mut dyn FnMut(Sighting),
    ) -> Result<(), StoreError> {
        Ok(())
    }

    /// What has arrived so far that can touch `day`'s figures. Taken before its sightings are
    /// read, it never claims more than was read.
    pub fn watermark(&self, _day: Day) -> Result<Watermark, StoreError> {
        Ok(Watermark::default())
    }

    /// The covered days, ascending.
    pub fn coverage(&self) -> Result<Vec<CoveredDay>, StoreError> {
        Ok(Vec::new())
    }

    /// Takes the right to run a pass; `owner` tells others who runs it.
    pub fn begin_pass(&self, _now: UnixNanos, _owner: &str) -> Result<PassLease, StoreError> {
        Ok(PassLease { _dir: self.dir.to_path_buf() })
    }

    /// Publishes a day's figures in one transaction, in place of those that were there.
    /// The same figures again change nothing but the watermark; other figures on a covered day
    /// set `restated_at` to `covered_at` and keep what was shown before.
    pub fn publish_day(
        &self,
        _lease: &PassLease,
        _figures: &DayFigures,
        _covered_at: UnixNanos,
        _watermark: &Watermark,
    ) -> Result<(), StoreError> {
        Ok(())
    }

    /// The figures of the covered days from `from` to `to`, both included, ascending.
    pub fn read_days(&self, _from: Day, _to: Day) -> Result<Vec<DayFigures>, StoreError> {
        Ok(Vec::new())
    }

    /// The restatements of days from `from` to `to`, both included, oldest first within a day.
    pub fn restatements(&self, _from: Day, _to: Day) -> Result<Vec<Restatement>, StoreError> {
        Ok(Vec::new())
    }

    /// What arrived on the days from `from` to `to`, both included, by emitter.
    pub fn arrival_counts(
        &self,
        _from: Day,
        _to: Day,
    ) -> Result<BTreeMap<Name, ArrivalCounts>, StoreError> {
        Ok(BTreeMap::new())
    }
}

/// How the writer works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterOptions {
    /// Sightings that may wait for their commit; further commits wait for room.
    pub queue_sightings: u32,
    /// Sightings after which no further request joins a group commit.
    pub group_sightings: usize,
    /// Day files that are kept open.
    pub open_days: usize,
    /// Longest time for which arrival counts stay in memory.
    pub arrivals_every: Duration,
    /// The size at which a day file counts as full; none for as large as the disk allows.
    pub max_day_file_bytes: Option<u64>,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            queue_sightings: 100_000,
            group_sightings: 20_000,
            open_days: 4,
            arrivals_every: Duration::from_secs(3),
            max_day_file_bytes: None,
        }
    }
}

/// The one writer of sightings: a thread that commits in groups and answers each request.
#[derive(Debug)]
pub struct Writer {
    _dir: PathBuf,
}

impl Writer {
    /// Starts the writer of `store`. At most one writer at a time writes into a data folder,
    /// whatever process it is in: a second one is [`StoreError::WriterRunning`].
    pub fn start(store: &Store, _options: WriterOptions) -> Result<Self, StoreError> {
        Ok(Self { _dir: store.dir.to_path_buf() })
    }

    /// Commits a request's batch. Resolves once every sighting is on disk and synced, or with an
    /// error that [is retryable](StoreError::is_retryable): the same batch may be sent again, for
    /// sightings are counted once however often they are stored. A batch without sightings
    /// resolves at once. Dropping the future is safe: the batch is stored whole or not at all.
    pub fn commit(
        &self,
        _batch: Batch,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        async { Ok(()) }
    }

    /// Commits everything that is queued, writes the arrival counts and ends the thread.
    /// Later commits fail. Blocks for as long as that takes; a second call does nothing.
    pub fn close(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
