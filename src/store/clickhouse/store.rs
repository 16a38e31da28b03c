//! The handle on a database: for readers and for the pass.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::engine::Engine;
use super::imports::DatabaseImport;
use super::lease::DatabaseLease;
use super::pass_engine::PassEngine;
use super::sink::DatabaseSink;
use super::{
    arrivals, attempts, coverage, erased, notes, offered, publish, read_days, received, receivers,
    schema, sightings, watermark,
};
use crate::call::{Attempt, Day, InstallationSecret, Name, Sighting, UnixNanos};
use crate::config::ClickHouse;
use crate::figures::{ArrivalCounts, DayFigures, Sources};
use crate::store::coverage::{CoveredDay, Restatement};
use crate::store::erased::ErasedDays;
use crate::store::error::StoreError;
use crate::store::imports::KNOWN_DAYS;
use crate::store::offered::OfferedTool;
use crate::store::received::ReceivedRead;
use crate::store::stored::StoredSighting;
use crate::store::visit::{VisitDays, WholeDays};
use crate::store::watermark::Watermark;

/// A database, for readers and for the pass. Cheap to clone.
#[derive(Debug, Clone)]
pub(in crate::store) struct DatabaseStore {
    engine: Arc<Engine>,
    installation: u64,
}

impl DatabaseStore {
    /// The schema version of the database's tables.
    pub(in crate::store) const SCHEMA_VERSION: u32 = schema::VERSION;

    /// Opens the database; makes its tables where there are none and the configuration wants that.
    pub(in crate::store) fn create(config: &ClickHouse) -> Result<Self, StoreError> {
        let engine = Engine::new(config)?;
        match schema::check(&engine) {
            Err(StoreError::NoSchema { .. }) if config.create_schema => schema::create(&engine)?,
            checked => checked?,
        }
        Self::opened(engine)
    }

    /// Opens the database, whose tables must be there ([`StoreError::NoSchema`]).
    pub(in crate::store) fn open(config: &ClickHouse) -> Result<Self, StoreError> {
        let engine = Engine::new(config)?;
        schema::check(&engine)?;
        Self::opened(engine)
    }

    fn opened(engine: Engine) -> Result<Self, StoreError> {
        let installation = notes::installation(&engine)?;
        let folder = engine.config().folder.as_path();
        std::fs::create_dir_all(folder).map_err(|error| StoreError::io(folder, error))?;
        Ok(Self { engine: Arc::new(engine), installation })
    }

    /// The folder for what is kept on this machine.
    pub(in crate::store) fn dir(&self) -> &Path {
        self.engine.config().folder.as_path()
    }

    /// The database's place in words.
    pub(in crate::store) fn place(&self) -> String {
        self.engine.place()
    }

    /// What a pass works with inside of the database, where it can.
    pub(in crate::store) fn pass_engine(&self) -> Option<PassEngine> {
        PassEngine::over(&self.engine)
    }

    pub(in crate::store) fn secret(&self) -> Result<InstallationSecret, StoreError> {
        notes::secret(&self.engine)
    }

    pub(in crate::store) fn sighting_days(&self) -> Result<Vec<Day>, StoreError> {
        sightings::days(&self.engine)
    }

    pub(in crate::store) fn read_stored<N: Clone>(
        &self,
        day: Day,
        times: (UnixNanos, UnixNanos),
        name: &mut dyn FnMut(&Name) -> N,
        visit: &mut dyn FnMut(StoredSighting<'_, N>),
    ) -> Result<(), StoreError> {
        sightings::read(&self.engine, day, times, name, visit)
    }

    pub(in crate::store) fn read_attempts<N: Clone>(
        &self,
        day: Day,
        times: (UnixNanos, UnixNanos),
        name: &mut dyn FnMut(&Name) -> N,
        visit: &mut dyn FnMut(Attempt<N>),
    ) -> Result<(), StoreError> {
        attempts::read(&self.engine, day, times, name, visit)
    }

    pub(in crate::store) fn replace_offered_tools(
        &self,
        service: Option<&Name>,
        tools: &[OfferedTool],
        now: UnixNanos,
    ) -> Result<(), StoreError> {
        offered::replace(&self.engine, service, tools, now)
    }

    pub(in crate::store) fn offered_tools(&self) -> Result<Vec<OfferedTool>, StoreError> {
        offered::read(&self.engine)
    }

    pub(in crate::store) fn watermark(&self, day: Day) -> Result<Watermark, StoreError> {
        let published = coverage::of(&self.engine, day)?;
        let now = watermark::read(&self.engine, self.installation, day)?;
        Ok(match published {
            Some(published) => now.since(&published.covered.watermark),
            None => now,
        })
    }

    pub(in crate::store) fn coverage(&self) -> Result<Vec<CoveredDay>, StoreError> {
        let all = coverage::all(&self.engine)?;
        Ok(all.into_iter().map(|publication| publication.covered).collect())
    }

    /// Takes the right to a pass, and forgets arrivals of long ago: a night is when there is time.
    pub(in crate::store) fn begin_pass(
        &self,
        now: UnixNanos,
        owner: &str,
    ) -> Result<DatabaseLease, StoreError> {
        let lease = DatabaseLease::take(&self.engine, now, owner)?;
        if let Err(error) = arrivals::forget(&self.engine, now, now.day().minus(KNOWN_DAYS)) {
            tracing::debug!(%error, "arrivals of long ago stay for now");
        }
        Ok(lease)
    }

    pub(in crate::store) fn publish_day(
        &self,
        lease: &DatabaseLease,
        figures: &DayFigures,
        covered_at: UnixNanos,
        watermark: &Watermark,
    ) -> Result<(), StoreError> {
        debug_assert!(lease.is_for(&self.engine), "the lease is another database's");
        let shown = publish::shown(&self.engine, self.installation, figures.day)?;
        publish::publish(&self.engine, lease, shown, figures, (covered_at, watermark))
    }

    pub(in crate::store) fn erased_days(&self) -> Result<ErasedDays, StoreError> {
        erased::read(&self.engine)
    }

    pub(in crate::store) fn erase_sightings(
        &self,
        lease: &DatabaseLease,
        day: Day,
        now: UnixNanos,
    ) -> Result<bool, StoreError> {
        debug_assert!(lease.is_for(&self.engine), "the lease is another database's");
        if coverage::of(&self.engine, day)?.is_none() {
            return Ok(false);
        }
        lease.check()?;
        erased::erase(&self.engine, day, now)?;
        Ok(true)
    }

    pub(in crate::store) fn read_days(
        &self,
        from: Day,
        to: Day,
    ) -> Result<Vec<DayFigures>, StoreError> {
        let mut whole = WholeDays::default();
        self.visit_days(from, to, &mut whole)?;
        Ok(whole.days)
    }

    pub(in crate::store) fn visit_days(
        &self,
        from: Day,
        to: Day,
        visit: &mut dyn VisitDays,
    ) -> Result<(), StoreError> {
        read_days::visit(&self.engine, (from, to), visit)
    }

    pub(in crate::store) fn restatements(
        &self,
        from: Day,
        to: Day,
    ) -> Result<Vec<Restatement>, StoreError> {
        coverage::restatements(&self.engine, from, to)
    }

    pub(in crate::store) fn arrival_counts(
        &self,
        from: Day,
        to: Day,
    ) -> Result<BTreeMap<Name, ArrivalCounts>, StoreError> {
        arrivals::read(&self.engine, from, to)
    }

    pub(in crate::store) fn sources(&self, since: UnixNanos) -> Result<Sources, StoreError> {
        arrivals::sources(&self.engine, since)
    }

    pub(in crate::store) fn read_received(
        &self,
        since: UnixNanos,
        limit: u64,
        visit: &mut dyn FnMut(Sighting),
    ) -> Result<ReceivedRead, StoreError> {
        received::read(&self.engine, since, limit, visit)
    }

    pub(in crate::store) fn begin_import(
        &self,
        now: UnixNanos,
    ) -> Result<DatabaseImport, StoreError> {
        DatabaseImport::begin(&self.engine, now)
    }

    pub(in crate::store) fn receiving_process(&self) -> Result<Option<String>, StoreError> {
        receivers::read(&self.engine)
    }

    /// Where a writer's groups go.
    pub(in crate::store) fn sink(&self) -> Result<DatabaseSink, StoreError> {
        DatabaseSink::start(&self.engine)
    }
}
