//! The handle on a store, for readers and for the pass: the same verbs whatever stands behind it.

use std::collections::BTreeMap;
use std::path::Path;

use super::clickhouse::{DatabaseStore, PassEngine};
use super::coverage::{CoveredDay, Restatement};
use super::erased::ErasedDays;
use super::error::StoreError;
use super::imports::{ImportNotes, Notes};
use super::lease::{Held, PassLease};
use super::offered::OfferedTool;
use super::received::ReceivedRead;
use super::sink::Sink;
use super::sqlite::FolderStore;
use super::stored::StoredSighting;
use super::visit::VisitDays;
use super::watermark::Watermark;
use super::writer::WriterOptions;
use crate::call::{Attempt, Day, InstallationSecret, Name, Sighting, UnixNanos};
use crate::config;
use crate::figures::{ArrivalCounts, DayFigures, Sources};

/// A store, for readers and for the pass. Cheap to clone; usable from several threads and several
/// processes at once, beside a running writer.
#[derive(Debug, Clone)]
pub struct Store(Peer);

/// What stands behind a [`Store`].
#[derive(Debug, Clone)]
enum Peer {
    /// A data folder.
    Folder(FolderStore),
    /// A database of a ClickHouse server.
    Database(DatabaseStore),
}

impl Store {
    /// Opens the data folder `dir`, making it and bringing its schema up to date where needed.
    /// Nothing is made where it cannot be made whole.
    pub fn create(dir: &Path) -> Result<Self, StoreError> {
        FolderStore::create(dir).map(|store| Self(Peer::Folder(store)))
    }

    /// Opens the data folder `dir`, which must hold firstcall data already
    /// ([`StoreError::NothingThere`]).
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        FolderStore::open(dir).map(|store| Self(Peer::Folder(store)))
    }

    /// Opens the store of a configuration, making what is not there yet: a data folder, or the
    /// tables of a database where the configuration wants that.
    pub fn create_configured(config: &config::Store) -> Result<Self, StoreError> {
        match &config.clickhouse {
            Some(database) => DatabaseStore::create(database).map(|one| Self(Peer::Database(one))),
            None => Self::create(config.sqlite.data_dir.as_path()),
        }
    }

    /// Opens the store of a configuration, which must be there already
    /// ([`StoreError::NothingThere`], [`StoreError::NoSchema`]).
    pub fn open_configured(config: &config::Store) -> Result<Self, StoreError> {
        match &config.clickhouse {
            Some(database) => DatabaseStore::open(database).map(|one| Self(Peer::Database(one))),
            None => Self::open(config.sqlite.data_dir.as_path()),
        }
    }

    /// Where it is, in words, for people.
    pub fn place(&self) -> String {
        match &self.0 {
            Peer::Folder(store) => format!("`{}`", store.dir().display()),
            Peer::Database(store) => store.place(),
        }
    }

    /// What it is, as the configuration names it: `sqlite` or `clickhouse`.
    pub const fn kind(&self) -> &'static str {
        match &self.0 {
            Peer::Folder(_) => "sqlite",
            Peer::Database(_) => "clickhouse",
        }
    }

    /// The version of its schema: that of `firstcall.sqlite`, or of the database's tables. A store
    /// of another version was brought up to it or refused when it was opened to write.
    pub fn schema_version(&self) -> u32 {
        match &self.0 {
            Peer::Folder(_) => FolderStore::schema_version(),
            Peer::Database(_) => DatabaseStore::SCHEMA_VERSION,
        }
    }

    /// The folder for what is kept on this machine.
    pub fn dir(&self) -> &Path {
        match &self.0 {
            Peer::Folder(store) => store.dir(),
            Peer::Database(store) => store.dir(),
        }
    }

    /// What a pass works with inside of a store that judges itself; none where the sightings have
    /// to be read and judged here: in a folder, and in a cluster.
    pub fn pass_engine(&self) -> Option<PassEngine> {
        match &self.0 {
            Peer::Folder(_) => None,
            Peer::Database(store) => store.pass_engine(),
        }
    }

    /// This installation's secret.
    pub fn secret(&self) -> Result<InstallationSecret, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.secret(),
            Peer::Database(store) => store.secret(),
        }
    }

    /// The days that have sightings, ascending.
    pub fn sighting_days(&self) -> Result<Vec<Day>, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.sighting_days(),
            Peer::Database(store) => store.sighting_days(),
        }
    }

    /// Hands every sighting of `day` whose start lies in `[from, to)` to `visit`; doubles are
    /// handed on as they came. What is damaged is left out, and [`StoreError::Corrupt`] is returned
    /// after the others were visited.
    pub fn read_sightings(
        &self,
        day: Day,
        from: UnixNanos,
        to: UnixNanos,
        visit: &mut dyn FnMut(Sighting),
    ) -> Result<(), StoreError> {
        let mut visit = |stored: StoredSighting<'_, Name>| visit(stored.into());
        self.read_stored(day, (from, to), &mut Name::clone, &mut visit)
    }

    /// Reads as [`Store::read_sightings`] does and allocates nothing for a sighting: each name is
    /// what `name` makes of it.
    pub fn read_stored<N: Clone>(
        &self,
        day: Day,
        times: (UnixNanos, UnixNanos),
        name: &mut dyn FnMut(&Name) -> N,
        visit: &mut dyn FnMut(StoredSighting<'_, N>),
    ) -> Result<(), StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.read_stored(day, times, name, visit),
            Peer::Database(store) => store.read_stored(day, times, name, visit),
        }
    }

    /// Hands every downstream attempt of `day` that starts in `[from, to)` to `visit`, as
    /// [`Store::read_stored`] does with sightings.
    pub fn read_attempts<N: Clone>(
        &self,
        day: Day,
        times: (UnixNanos, UnixNanos),
        name: &mut dyn FnMut(&Name) -> N,
        visit: &mut dyn FnMut(Attempt<N>),
    ) -> Result<(), StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.read_attempts(day, times, name, visit),
            Peer::Database(store) => store.read_attempts(day, times, name, visit),
        }
    }

    /// Puts the tools that `service` offers in place of those that it was known to offer.
    pub fn replace_offered_tools(
        &self,
        service: Option<&Name>,
        tools: &[OfferedTool],
        now: UnixNanos,
    ) -> Result<(), StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.replace_offered_tools(service, tools, now),
            Peer::Database(store) => store.replace_offered_tools(service, tools, now),
        }
    }

    /// The tools that servers are known to offer, by server and name.
    pub fn offered_tools(&self) -> Result<Vec<OfferedTool>, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.offered_tools(),
            Peer::Database(store) => store.offered_tools(),
        }
    }

    /// What has arrived so far that can touch `day`'s figures. Taken before its sightings are
    /// read, it never claims more than was read. Sightings that are gone since the day was covered
    /// count as unchanged: figures outlive them.
    pub fn watermark(&self, day: Day) -> Result<Watermark, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.watermark(day),
            Peer::Database(store) => store.watermark(day),
        }
    }

    /// The covered days, ascending.
    pub fn coverage(&self) -> Result<Vec<CoveredDay>, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.coverage(),
            Peer::Database(store) => store.coverage(),
        }
    }

    /// Takes the right to run a pass; `owner` tells others who runs it
    /// ([`StoreError::PassRunning`]).
    pub fn begin_pass(&self, now: UnixNanos, owner: &str) -> Result<PassLease, StoreError> {
        let held = match &self.0 {
            Peer::Folder(store) => Held::Folder(store.begin_pass(now, owner)?),
            Peer::Database(store) => Held::Database(store.begin_pass(now, owner)?),
        };
        Ok(PassLease(held))
    }

    /// Publishes a day's figures in one step, in place of those that were there; with it the day
    /// is covered. The same figures again change nothing but the watermark. Other figures for a
    /// covered day set its `restated_at` to `covered_at` and keep what was shown before; the
    /// quality counts alone restate nothing. A closed day, or one whose sightings are gone, stays
    /// as it is ([`StoreError::SightingsGone`]). Counts above 2^63 - 1 are kept as 2^63 - 1.
    pub fn publish_day(
        &self,
        lease: &PassLease,
        figures: &DayFigures,
        covered_at: UnixNanos,
        watermark: &Watermark,
    ) -> Result<(), StoreError> {
        match (&self.0, &lease.0) {
            (Peer::Folder(store), Held::Folder(lease)) => {
                store.publish_day(lease, figures, covered_at, watermark)
            }
            (Peer::Database(store), Held::Database(lease)) => {
                store.publish_day(lease, figures, covered_at, watermark)
            }
            _ => Err(StoreError::LeaseLost),
        }
    }

    /// The days whose sightings were erased.
    pub fn erased_days(&self) -> Result<ErasedDays, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.erased_days(),
            Peer::Database(store) => store.erased_days(),
        }
    }

    /// Erases a covered day's sightings, and with them its hashes and prints; its figures stay.
    /// From then on the day and its neighbours are closed. Whether it was done: a day that is not
    /// covered is left alone. What an earlier erasure left behind is removed as well.
    pub fn erase_sightings(
        &self,
        lease: &PassLease,
        day: Day,
        now: UnixNanos,
    ) -> Result<bool, StoreError> {
        match (&self.0, &lease.0) {
            (Peer::Folder(store), Held::Folder(lease)) => store.erase_sightings(lease, day, now),
            (Peer::Database(store), Held::Database(lease)) => {
                store.erase_sightings(lease, day, now)
            }
            _ => Err(StoreError::LeaseLost),
        }
    }

    /// The figures of the covered days from `from` to `to`, both included, ascending; each day
    /// whole, even while a pass publishes.
    pub fn read_days(&self, from: Day, to: Day) -> Result<Vec<DayFigures>, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.read_days(from, to),
            Peer::Database(store) => store.read_days(from, to),
        }
    }

    /// Hands the figures of the covered days from `from` to `to`, both included, to `visit`, piece
    /// by piece; each day as a whole is of one moment, even while a pass publishes.
    pub fn visit_days(
        &self,
        from: Day,
        to: Day,
        visit: &mut dyn VisitDays,
    ) -> Result<(), StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.visit_days(from, to, visit),
            Peer::Database(store) => store.visit_days(from, to, visit),
        }
    }

    /// What the days from `from` to `to`, both included, showed before they were restated; by day
    /// and then oldest first.
    pub fn restatements(&self, from: Day, to: Day) -> Result<Vec<Restatement>, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.restatements(from, to),
            Peer::Database(store) => store.restatements(from, to),
        }
    }

    /// What arrived on the days from `from` to `to`, both included, by emitter; an empty name
    /// where the emitter was not told. A running writer's last few seconds may still be missing.
    pub fn arrival_counts(
        &self,
        from: Day,
        to: Day,
    ) -> Result<BTreeMap<Name, ArrivalCounts>, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.arrival_counts(from, to),
            Peer::Database(store) => store.arrival_counts(from, to),
        }
    }

    /// What arrived from the hour of `since` on, by source. A running writer's last few seconds
    /// may still be missing; hours of more than a week ago are forgotten.
    pub fn sources(&self, since: UnixNanos) -> Result<Sources, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.sources(since),
            Peer::Database(store) => store.sources(since),
        }
    }

    /// Hands every sighting that was received at `since` or later to `visit`, doubles as they
    /// came; of more than `limit` the latest ones only. What is damaged is left out, and
    /// [`StoreError::Corrupt`] is returned after the others were visited.
    pub fn read_received(
        &self,
        since: UnixNanos,
        limit: u64,
        visit: &mut dyn FnMut(Sighting),
    ) -> Result<ReceivedRead, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.read_received(since, limit, visit),
            Peer::Database(store) => store.read_received(since, limit, visit),
        }
    }

    /// Begins to import from files at `now`; the writer must be this process's.
    pub fn begin_import(&self, now: UnixNanos) -> Result<ImportNotes, StoreError> {
        let notes = match &self.0 {
            Peer::Folder(store) => Notes::Folder(store.begin_import(now)?),
            Peer::Database(store) => Notes::Database(store.begin_import(now)?),
        };
        Ok(ImportNotes(notes))
    }

    /// The process that receives into the store; none where none does.
    pub fn receiving_process(&self) -> Result<Option<String>, StoreError> {
        match &self.0 {
            Peer::Folder(store) => store.receiving_process(),
            Peer::Database(store) => store.receiving_process(),
        }
    }

    /// Where the writer's groups go.
    pub(super) fn sink(&self, options: &WriterOptions) -> Result<Box<dyn Sink>, StoreError> {
        Ok(match &self.0 {
            Peer::Folder(store) => Box::new(store.sink(options)?),
            Peer::Database(store) => Box::new(store.sink()?),
        })
    }
}
