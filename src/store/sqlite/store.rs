//! The handle on a data folder: for readers and for the pass.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, TransactionBehavior};

use super::database::{self, At};
use super::folder::Folder;
use super::imports::FolderImport;
use super::lease::FolderLease;
use super::sink::FolderSink;
use super::{
    arrivals, coverage, day_file, erased, lock_file, marks, offered, publish, read_attempts,
    read_days, received, source_hours,
};
use crate::call::{Attempt, Day, InstallationSecret, Name, Sighting, UnixNanos};
use crate::figures::{ArrivalCounts, DayFigures, Sources};
use crate::store::coverage::{CoveredDay, Restatement};
use crate::store::erased::ErasedDays;
use crate::store::error::StoreError;
use crate::store::offered::OfferedTool;
use crate::store::received::ReceivedRead;
use crate::store::stored::StoredSighting;
use crate::store::visit::{VisitDays, WholeDays};
use crate::store::watermark::Watermark;
use crate::store::writer::WriterOptions;

/// A data folder, for readers and for the pass. Cheap to clone; usable from several threads and
/// several processes at once, beside a running writer.
#[derive(Debug, Clone)]
pub(in crate::store) struct FolderStore {
    folder: Arc<Folder>,
}

impl FolderStore {
    /// The schema version of `firstcall.sqlite`.
    pub(in crate::store) fn schema_version() -> u32 {
        database::MAIN.newest()
    }

    /// Opens the data folder `dir`, making it and bringing its schema up to date where needed.
    /// Nothing is made where it cannot be made whole.
    pub(in crate::store) fn create(dir: &Path) -> Result<Self, StoreError> {
        let folder = Folder::at(dir);
        folder.make()?;
        folder.check_writable()?;
        drop(database::open_or_make(&folder.main_file(), &database::MAIN)?);
        folder.make_secret()?;
        Ok(Self { folder: Arc::new(folder) })
    }

    /// Opens the data folder `dir`, which must hold firstcall data already
    /// ([`StoreError::NothingThere`]).
    pub(in crate::store) fn open(dir: &Path) -> Result<Self, StoreError> {
        if dir.exists() && !dir.is_dir() {
            return Err(StoreError::NotAFolder { path: dir.into() });
        }
        let store = Self { folder: Arc::new(Folder::at(dir)) };
        drop(store.main()?);
        Ok(store)
    }

    /// The data folder.
    pub(in crate::store) fn dir(&self) -> &Path {
        self.folder.dir()
    }

    /// This installation's secret.
    pub(in crate::store) fn secret(&self) -> Result<InstallationSecret, StoreError> {
        self.folder.secret()
    }

    /// The days that have sightings, ascending.
    pub(in crate::store) fn sighting_days(&self) -> Result<Vec<Day>, StoreError> {
        self.folder.days()
    }

    /// Each name is asked for once for a name of the file's dictionary. A damaged batch is left out,
    /// and [`StoreError::Corrupt`] is returned after the others were visited; so it is where
    /// commits were lost with a damaged log, unless only a margin of the day is read.
    pub(in crate::store) fn read_stored<N: Clone>(
        &self,
        day: Day,
        times: (UnixNanos, UnixNanos),
        name: &mut dyn FnMut(&Name) -> N,
        visit: &mut dyn FnMut(StoredSighting<'_, N>),
    ) -> Result<(), StoreError> {
        let file = self.folder.day_file(day);
        day_file::read(&file, times, name, visit)?;
        day_file::check_log(&file, day, times)
    }

    /// Hands every downstream attempt of `day`'s file that starts in `[from, to)` to `visit`, as
    /// sightings are read.
    pub(in crate::store) fn read_attempts<N: Clone>(
        &self,
        day: Day,
        times: (UnixNanos, UnixNanos),
        name: &mut dyn FnMut(&Name) -> N,
        visit: &mut dyn FnMut(Attempt<N>),
    ) -> Result<(), StoreError> {
        read_attempts::read_attempts(&self.folder.day_file(day), times, name, visit)
    }

    /// Puts the tools that `service` offers in place of those that it was known to offer.
    pub(in crate::store) fn replace_offered_tools(
        &self,
        service: Option<&Name>,
        tools: &[OfferedTool],
        now: UnixNanos,
    ) -> Result<(), StoreError> {
        let file = self.folder.main_file();
        let mut connection = self.main()?;
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).at(&file)?;
        offered::replace(&transaction, service, tools, now).at(&file)?;
        transaction.commit().at(&file)
    }

    /// The tools that servers are known to offer, by server and name.
    pub(in crate::store) fn offered_tools(&self) -> Result<Vec<OfferedTool>, StoreError> {
        offered::read(&self.main()?).at(&self.folder.main_file())
    }

    /// What has arrived so far that can touch `day`'s figures. Taken before its sightings are
    /// read, it never claims more than was read. A file of sightings that is gone since the day
    /// was covered counts as unchanged: figures outlive their sightings.
    pub(in crate::store) fn watermark(&self, day: Day) -> Result<Watermark, StoreError> {
        let file = self.folder.main_file();
        let published = coverage::published_watermark(&self.main()?, &file, day)?;
        let now = marks::watermark(&self.folder, day)?;
        Ok(match published {
            Some(published) => now.since(&published),
            None => now,
        })
    }

    /// The covered days, ascending.
    pub(in crate::store) fn coverage(&self) -> Result<Vec<CoveredDay>, StoreError> {
        coverage::covered_days(&self.main()?, &self.folder.main_file())
    }

    /// Takes the right to run a pass; `owner` tells others who runs it
    /// ([`StoreError::PassRunning`]).
    pub(in crate::store) fn begin_pass(
        &self,
        now: UnixNanos,
        owner: &str,
    ) -> Result<FolderLease, StoreError> {
        FolderLease::take(&self.folder, now, owner)
    }

    /// Publishes a day's figures in one transaction, in place of those that were there; with it the
    /// day is covered. The same figures again change nothing but the watermark. Other figures for a
    /// covered day set its `restated_at` to `covered_at` and keep what was shown before; the
    /// quality counts alone restate nothing. A closed day, or one whose sightings are gone, stays
    /// as it is ([`StoreError::SightingsGone`]). Counts above 2^63 - 1 are kept as 2^63 - 1.
    pub(in crate::store) fn publish_day(
        &self,
        lease: &FolderLease,
        figures: &DayFigures,
        covered_at: UnixNanos,
        watermark: &Watermark,
    ) -> Result<(), StoreError> {
        debug_assert!(lease.is_for(&self.folder), "the lease is another data folder's");
        let day = figures.day;
        let file = self.folder.main_file();
        let mut connection = self.main()?;
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).at(&file)?;
        if let Some(published) = coverage::published_watermark(&transaction, &file, day)? {
            if erased::read(&transaction).at(&file)?.is_closed(day) {
                return Err(StoreError::SightingsGone { day });
            }
            let now = marks::watermark(&self.folder, day)?;
            if !now.holds_own_of(&published) {
                return Err(StoreError::SightingsGone { day });
            }
        }
        publish::publish(&transaction, &file, figures, covered_at, watermark)?;
        transaction.commit().at(&file)
    }

    /// The days whose sightings were erased.
    pub(in crate::store) fn erased_days(&self) -> Result<ErasedDays, StoreError> {
        erased::read(&self.main()?).at(&self.folder.main_file())
    }

    /// Erases a covered day's sightings, and with them its hashes and prints; its figures stay.
    /// From then on the day and its neighbours are closed. Whether it was done: a day that is not
    /// covered is left alone. What an earlier erasure left behind is removed as well.
    pub(in crate::store) fn erase_sightings(
        &self,
        lease: &FolderLease,
        day: Day,
        now: UnixNanos,
    ) -> Result<bool, StoreError> {
        debug_assert!(lease.is_for(&self.folder), "the lease is another data folder's");
        let file = self.folder.main_file();
        let connection = self.main()?;
        if coverage::published_watermark(&connection, &file, day)?.is_none() {
            return Ok(false);
        }
        erased::note(&connection, day, now).at(&file)?;
        erased::remove_files(&self.folder, day)?;
        Ok(true)
    }

    /// The figures of the covered days from `from` to `to`, both included, ascending; all of one
    /// moment, even while a pass publishes.
    pub(in crate::store) fn read_days(
        &self,
        from: Day,
        to: Day,
    ) -> Result<Vec<DayFigures>, StoreError> {
        let mut whole = WholeDays::default();
        self.visit_days(from, to, &mut whole)?;
        Ok(whole.days)
    }

    /// Hands the same to `visit`, piece by piece; all of one moment too.
    pub(in crate::store) fn visit_days(
        &self,
        from: Day,
        to: Day,
        visit: &mut dyn VisitDays,
    ) -> Result<(), StoreError> {
        let file = self.folder.main_file();
        let mut connection = self.main()?;
        let transaction = connection.transaction().at(&file)?;
        let covered = coverage::covered_days(&transaction, &file)?;
        let mut wanted =
            covered.iter().map(|covered| covered.day).filter(|day| (from..=to).contains(day));
        wanted.try_for_each(|day| read_days::visit_day(&transaction, &file, day, visit))
    }

    /// What the days from `from` to `to`, both included, showed before they were restated; by day
    /// and then oldest first.
    pub(in crate::store) fn restatements(
        &self,
        from: Day,
        to: Day,
    ) -> Result<Vec<Restatement>, StoreError> {
        coverage::restatements(&self.main()?, from, to).at(&self.folder.main_file())
    }

    /// What arrived on the days from `from` to `to`, both included, by emitter; an empty name
    /// where the emitter was not told. A running writer's last few seconds may still be missing.
    pub(in crate::store) fn arrival_counts(
        &self,
        from: Day,
        to: Day,
    ) -> Result<BTreeMap<Name, ArrivalCounts>, StoreError> {
        arrivals::read(&self.main()?, from, to).at(&self.folder.main_file())
    }

    /// What arrived from the hour of `since` on, by source. A running writer's last few seconds
    /// may still be missing; hours of more than a week ago are forgotten.
    pub(in crate::store) fn sources(&self, since: UnixNanos) -> Result<Sources, StoreError> {
        source_hours::read(&self.main()?, since).at(&self.folder.main_file())
    }

    /// Hands every sighting that was received at `since` or later to `visit`, doubles as they
    /// came; of more than `limit` the latest batches only. A damaged batch is left out, and
    /// [`StoreError::Corrupt`] is returned after the others were visited.
    pub(in crate::store) fn read_received(
        &self,
        since: UnixNanos,
        limit: u64,
        visit: &mut dyn FnMut(Sighting),
    ) -> Result<ReceivedRead, StoreError> {
        received::read(&self.folder, since, limit, visit)
    }

    /// Begins to import from files at `now`; the writer must be this process's.
    pub(in crate::store) fn begin_import(
        &self,
        now: UnixNanos,
    ) -> Result<FolderImport, StoreError> {
        FolderImport::begin(&self.folder, now)
    }

    /// The process that receives into the data folder; none where none does.
    pub(in crate::store) fn receiving_process(&self) -> Result<Option<String>, StoreError> {
        let text = lock_file::look(&self.folder.writer_lock())?;
        Ok(text.map(|pid| pid.trim().to_owned()))
    }

    /// Where the writer's groups go; one at a time has it ([`StoreError::WriterRunning`]).
    pub(in crate::store) fn sink(&self, options: &WriterOptions) -> Result<FolderSink, StoreError> {
        FolderSink::start(&self.folder, options)
    }

    fn main(&self) -> Result<Connection, StoreError> {
        let found = database::open_existing(&self.folder.main_file(), &database::MAIN)?;
        found.ok_or_else(|| StoreError::NothingThere { path: self.folder.dir().into() })
    }
}
