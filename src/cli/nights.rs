//! The nights of a running server: a pass at start for what was missed, then one every night at
//! the configured hour, and the reports rewritten after each.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::declared;
use super::range;
use crate::call::{Day, Name, UnixNanos};
use crate::clock::Clock;
use crate::config::{ClickHouseOtel, Config, Last, OtlpExporter, SqlName};
use crate::exporters;
use crate::import::otel_tables;
use crate::nightly::{self, DaysToRun, Declared, Hour, PassEvent, Terms};
use crate::report::{self, OfferedTool, ReportInput};
use crate::self_report::SelfReport;
use crate::shutdown::Stop;
use crate::store::{Store, Writer};

/// The longest nap before the clock is looked at again: a machine may sleep or have its clock
/// set in between.
const NAP: Duration = Duration::from_secs(30);

/// What a night needs.
#[derive(Debug, Clone)]
pub(super) struct Nights {
    store: Store,
    declared: Declared,
    clock: Arc<dyn Clock>,
    hour: Hour,
    out: PathBuf,
    last: Last,
    assets: report::Assets,
    offered: Vec<OfferedTool>,
    releases: BTreeMap<Day, Name>,
    exporter: OtlpExporter,
    restate_days: NonZeroU32,
    terms: Terms,
    self_report: Arc<SelfReport>,
    tables: Option<Tables>,
}

/// Tables that are read before each pass.
#[derive(Debug, Clone)]
struct Tables {
    source: ClickHouseOtel,
    config: Config,
    writer: Arc<Writer>,
}

/// Tells the log what was read.
struct Logged;

impl otel_tables::Listener for Logged {
    fn read(&mut self, table: &SqlName, day: Day, kept: u64) {
        if kept > 0 {
            tracing::info!(%day, kept, %table, "calls were read out of a table");
        }
    }
}

impl Nights {
    /// The nights of `store` as `config` wants them; how they end is told to `self_report`.
    pub(super) fn new(
        store: Store,
        config: &Config,
        clock: Arc<dyn Clock>,
        self_report: Arc<SelfReport>,
        writer: &Arc<Writer>,
    ) -> Self {
        let tables = config.source.clickhouse_otel.as_ref().map(|source| Tables {
            source: source.clone(),
            config: config.clone(),
            writer: Arc::clone(writer),
        });
        let out = config
            .report
            .out
            .as_ref()
            .map_or_else(|| store.dir().join("report"), |out| out.as_path().to_owned());
        // Both types hold 0 to 23 and nothing else.
        let hour = Hour::new(config.nightly.hour.get()).unwrap_or(Hour::DEFAULT);
        Self {
            terms: Terms::inferring(config.sessions.infer),
            store,
            declared: declared::of(&config.tools),
            clock,
            hour,
            out,
            last: config.report.last,
            assets: config.report.assets.into(),
            offered: range::declared(config),
            releases: range::releases(config),
            exporter: config.exporters.otlp.clone(),
            restate_days: config.nightly.restate_days,
            self_report,
            tables,
        }
    }

    /// Runs night after night until `stop`.
    pub(super) async fn run(self, stop: Stop) {
        while !stop.is_requested() {
            let night = self.clone();
            if tokio::task::spawn_blocking(move || night.pass_and_report()).await.is_err() {
                tracing::error!("the nightly pass broke because of a defect in firstcall");
            }
            let next = nightly::next_start(self.clock.now(), self.hour);
            tokio::select! {
                () = stop.requested() => return,
                () = self.wait_until(next) => {}
            }
        }
    }

    async fn wait_until(&self, next: UnixNanos) {
        while let Some(left) = next.since(self.clock.now()) {
            let left = Duration::from_nanos(left.as_nanos());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(NAP)).await;
        }
    }

    /// What keeps the tables from being read keeps no pass from what is there.
    fn read_tables(&self) {
        let Some(Tables { source, config, writer }) = &self.tables else { return };
        let into = (&self.store, writer);
        match otel_tables::run_beside(source, config, into, &self.clock, &mut Logged) {
            Ok(imported) => tracing::info!(calls = imported.calls(), "the tables are read"),
            Err(error) => tracing::error!(%error, "the tables could not be read to the end"),
        }
    }

    /// The reports are rewritten even where the pass fails: they show what is covered.
    fn pass_and_report(&self) {
        self.read_tables();
        let mut note = |event| {
            if let PassEvent::Published(passed) = event {
                let (day, calls, judged) = (passed.day, passed.calls, passed.judged);
                tracing::info!(%day, calls, judged, late = passed.late, "a day is covered");
            }
        };
        let (store, clock) = (&self.store, self.clock.as_ref());
        let (terms, declared, due) = (self.terms, &self.declared, DaysToRun::Due);
        let passed = nightly::run_under(store, terms, declared, due, clock, &mut note);
        let is_done = passed.as_ref().is_ok_and(|pass| pass.failed.is_empty());
        self.self_report.pass_ended(self.clock.now(), is_done);
        if let Ok(coverage) = self.store.coverage() {
            self.self_report.covered_through(coverage.last().map(|covered| covered.day));
        }
        match passed {
            Ok(pass) => {
                for (day, error) in &pass.failed {
                    tracing::error!(%day, %error, "a day could not be covered; its figures stand");
                }
                tracing::info!(days.covered = pass.days.len(), "the pass is done");
            }
            Err(error) => {
                tracing::error!(%error, help = error.help(), "the pass failed; figures stand");
            }
        }
        match nightly::erase(&self.store, self.restate_days, self.clock.as_ref()) {
            Ok(days) => tracing::info!(days.erased = days.len(), "old sightings are erased"),
            Err(error) => {
                tracing::error!(%error, help = error.help(), "old sightings could not be erased");
            }
        }
        let today = self.clock.now().day();
        let days = report::Range::Last(self.last.days());
        let read = report::read(&self.store, days, today).and_then(|input| {
            let offered = range::offered(self.offered.clone(), &self.store)?;
            Ok(ReportInput { offered, releases: self.releases.clone(), ..input })
        });
        match read {
            Ok(input) => {
                self.rewrite(&input);
                self.send(&input);
            }
            Err(error) => tracing::error!(%error, "the figures could not be read for the reports"),
        }
    }

    fn rewrite(&self, input: &ReportInput) {
        match report::rewrite(&self.out, input, self.assets) {
            Ok(files) => tracing::info!(files, "the reports are rewritten"),
            Err(error) => tracing::error!(%error, "the reports could not be written"),
        }
    }

    /// A receiver that is not there keeps no pass from being done.
    fn send(&self, input: &ReportInput) {
        if self.exporter.endpoint.is_none() {
            return;
        }
        let sent = exporters::send(&self.exporter, &input.now, input.dates.as_of);
        self.self_report.figures_exported(sent.is_ok());
        match sent {
            Ok(sent) => tracing::info!(
                points = sent.points,
                requests = sent.requests,
                "the figures are sent as metrics"
            ),
            Err(error) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string);
                tracing::error!(%error, cause, help = error.help(), "the figures were not sent");
            }
        }
    }
}
