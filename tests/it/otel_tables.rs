//! Tool calls out of the tables of a Collector's ClickHouse exporter: the same figures
//! as the same spans and log records give over OTLP, in every layout of the tables.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod dialects;
pub(crate) mod exporter;
mod faults;
mod large_minute;
mod tls;
mod traffic;

use std::path::Path;
use std::sync::Arc;

use firstcall::call::{Attempt, CallDuration, Day, Name, Sighting, UnixNanos};
use firstcall::clock::{Clock, ManualClock};
use firstcall::config::{ClickHouseOtel, Config, Folder, SqlName};
use firstcall::figures::DayFigures;
use firstcall::import::otel_tables::{self, Listener};
use firstcall::import::{ImportError, Imported};
use firstcall::nightly::{self, DaysToRun};
use firstcall::otlp::Format;
use firstcall::server;
use firstcall::store::{Store, Writer, WriterOptions};

use crate::captures::capture_bodies;
use crate::support::clickhouse::{ClickHouse, block_on};
use crate::support::files::copy_folder;
use crate::support::stores::Place;
use exporter::Layout;

/// A request's body with its name, its format and a time after everything in it.
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) format: Format,
    pub(crate) now: UnixNanos,
}

struct Silent;

impl Listener for Silent {
    fn read(&mut self, _table: &SqlName, _day: Day, _kept: u64) {}
}

/// A data folder and its clock.
struct World {
    folder: tempfile::TempDir,
    config: Config,
    clock: ManualClock,
}

impl World {
    /// An empty folder with the secret of `like`, so that both make the same prints.
    fn new(now: UnixNanos, like: Option<&Self>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        match like {
            None => drop(Store::create(&data).unwrap()),
            Some(like) => copy_folder(&like.folder.path().join("empty"), &data),
        }
        let world = Self { config: Config::default(), clock: ManualClock::at(now), folder };
        let empty = world.folder.path().join("empty");
        copy_folder(&data, &empty);
        let mut world = world;
        world.config.store.sqlite.data_dir = Folder::new(&data);
        world
    }

    /// A database of `place` with the secret of `like`.
    fn in_database(now: UnixNanos, like: &Self, place: &Place) -> Self {
        let mut world = Self::new(now, Some(like));
        world.config.store = place.config();
        if let Some(database) = &mut world.config.store.clickhouse {
            database.secret_file = Some(like.folder.path().join("empty/secret"));
        }
        world
    }

    fn store(&self) -> Store {
        Store::create_configured(&self.config.store).unwrap()
    }

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::new(self.clock.clone())
    }

    /// Takes bodies as if they had been received.
    fn receive<'b>(&self, bodies: impl IntoIterator<Item = &'b Body>) {
        let store = self.store();
        let writer = Arc::new(Writer::start(&store, WriterOptions::default()).unwrap());
        let secret = store.secret().unwrap();
        let ingest = server::ingest(&self.config, Arc::clone(&writer), self.clock(), &secret);
        for body in bodies {
            let reading = ingest.read(&body.bytes, body.format, None).unwrap();
            block_on(ingest.commit(reading)).unwrap();
        }
        writer.close().unwrap();
    }

    /// Reads the engine's tables.
    fn read(&self, engine: &ClickHouse) -> Result<Imported, ImportError> {
        otel_tables::run(&source(engine), &self.config, &self.clock(), &mut Silent)
    }

    fn sightings(&self) -> Vec<Sighting> {
        let store = self.store();
        let mut all = Vec::new();
        for day in store.sighting_days().unwrap() {
            let (start, end) = (day.start(), day.end());
            store.read_sightings(day, start, end, &mut |sighting| all.push(sighting)).unwrap();
        }
        all.sort_by_key(|sighting| (sighting.start, sighting.trace_id, sighting.span_id));
        all
    }

    /// What was asked of dependencies, in words.
    fn attempts(&self) -> Vec<String> {
        let store = self.store();
        let mut all = Vec::new();
        for day in store.sighting_days().unwrap() {
            let (start, end) = (day.start(), day.end());
            let mut visit = |one: Attempt<Name>| all.push(format!("{one:?}"));
            store.read_attempts(day, (start, end), &mut Name::clone, &mut visit).unwrap();
        }
        all.sort();
        all
    }

    /// Runs the pass two days later; the figures of every covered day.
    fn judge(&self) -> Vec<DayFigures> {
        self.clock.advance(CallDuration::from_secs(2 * 86_400));
        let store = self.store();
        nightly::run(&store, DaysToRun::Due, &self.clock, &mut |_event| {}).unwrap();
        let today = self.clock.now().day();
        store.read_days(today.minus(30), today).unwrap()
    }
}

/// The tables of `engine`, looked through for the last two months.
fn source(engine: &ClickHouse) -> ClickHouseOtel {
    let (user, password_env) = match engine.user() {
        Some((user, _)) => (Some(user.to_owned()), Some("FIRSTCALL_TEST_PASSWORD".to_owned())),
        None => (None, None),
    };
    ClickHouseOtel {
        database: engine.database().parse().unwrap(),
        user,
        password_env,
        since: "60d".parse().unwrap(),
        ..ClickHouseOtel::at(engine.url().parse().unwrap())
    }
}

/// The figures of everything that was recorded, in one table and over OTLP.
#[test]
fn figures_out_of_every_layout_are_those_of_the_same_spans_over_otlp() {
    let bodies: Vec<Body> = capture_bodies().into_iter().collect();
    let now = bodies.iter().map(|body| body.now).max().unwrap();
    let sent = World::new(now, None);
    sent.receive(&bodies);
    let expected = sent.judge();
    assert!(expected.iter().map(|day| day.tools.len()).sum::<usize>() > 20);
    let engine = ClickHouse::start();
    for layout in Layout::ALL {
        layout.create(&engine);
        for body in &bodies {
            layout.export(&engine, &body.bytes, body.format);
        }
        let read = World::new(now, Some(&sent));
        read.read(&engine).unwrap();
        let found = read.judge();
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.tools, expected.tools, "{layout:?}");
        }
        assert_eq!(found, expected, "{layout:?}");
    }
}
