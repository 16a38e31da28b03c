//! Reading what is already there: tool calls out of the tables in which an OpenTelemetry
//! Collector's ClickHouse exporter keeps spans and log records.
//!
//! The engine selects the rows that may be tool calls; they are recognised and reduced as if they
//! had been received, and nothing but sightings is kept. No question holds anything that was read.
//!
//! What was read is remembered by minute: under how many rows the minute had, and a sum over them.
//! A minute whose rows have changed since is read again, and what is known of it is left out; so
//! rows that come late are found, and reading again counts nothing twice. A minute of very many
//! rows is committed in parts and remembered with the last of them; if reading ends before, what
//! was committed is known by when it was received, and left out the next time.

mod connection;
mod error;
mod json_attributes;
mod layout;
mod row;
mod slots;
mod sql;

use std::sync::Arc;
use std::time::Duration;

use super::commits::Commits;
use super::known::Known;
use super::{ImportError, Imported};
use crate::call::{Day, UnixNanos};
use crate::clock::Clock;
use crate::config::{ClickHouseOtel, Config, SqlName};
use crate::ingest::{Collector, Ingest, Reading};
use crate::otlp::{LogVisitor, Outline, Sent, Visitor};
use crate::server;
use crate::store::{Batch, RequestDigest, Store, Writer, WriterOptions};
use connection::Connection;
pub use error::TablesError;
use layout::Layout;
use row::{LogRow, SlotRow, SpanRow};
use slots::{Run, Slot, runs};
use sql::{Part, SLOT_NANOS, Table};

/// Rows after which those that were read are reduced, and their texts dropped.
const CHUNK_ROWS: usize = 1_000;
/// Bytes of attributes after which they are.
const CHUNK_BYTES: usize = 8 * 1024 * 1024;

/// How long a running writer may take to note what it has committed.
const NOTING: Duration = Duration::from_mins(1);

/// What a person hears while tables are read.
pub trait Listener {
    /// A day of a table was looked through, and this many calls of it were kept.
    fn read(&mut self, table: &SqlName, day: Day, kept: u64);
}

/// Reads the tables of `source` into the store of `config`, which no other process writes to.
pub fn run(
    source: &ClickHouseOtel,
    config: &Config,
    clock: &Arc<dyn Clock>,
    listener: &mut dyn Listener,
) -> Result<Imported, ImportError> {
    let store = Store::create_configured(&config.store)?;
    let writer = Arc::new(Writer::start(&store, WriterOptions::default())?);
    let ingest = server::ingest(config, Arc::clone(&writer), Arc::clone(clock), &store.secret()?);
    let mut reader = Reader::new(source, config, &store, &ingest, clock)?;
    let read = reader.read(listener);
    // What was committed is noted, however the reading ended.
    writer.close()?;
    read?;
    reader.commits.finish()
}

/// Reads the tables of `source` with the writer of a server that runs.
pub fn run_beside(
    source: &ClickHouseOtel,
    config: &Config,
    (store, writer): (&Store, &Arc<Writer>),
    clock: &Arc<dyn Clock>,
    listener: &mut dyn Listener,
) -> Result<Imported, ImportError> {
    let ingest = server::ingest(config, Arc::clone(writer), Arc::clone(clock), &store.secret()?);
    let mut reader = Reader::new(source, config, store, &ingest, clock)?;
    reader.read(listener)?;
    reader.wait_until_noted()?;
    reader.commits.finish()
}

/// Which of the two tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Spans,
    Logs,
}

struct Reader<'r> {
    source: &'r ClickHouseOtel,
    connection: Connection,
    store: &'r Store,
    clock: &'r dyn Clock,
    wants_attempts: bool,
    commits: Commits<'r>,
    last: Option<RequestDigest>,
}

impl<'r> Reader<'r> {
    fn new(
        source: &'r ClickHouseOtel,
        config: &Config,
        store: &'r Store,
        ingest: &'r Ingest<Arc<Writer>>,
        clock: &'r Arc<dyn Clock>,
    ) -> Result<Self, ImportError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ImportError::Runtime)?;
        Ok(Self {
            source,
            connection: Connection::new(source, runtime)?,
            store,
            clock: clock.as_ref(),
            wants_attempts: config.recovery.downstream_attempts,
            commits: Commits::begin(store, ingest, clock.now())?,
            last: None,
        })
    }

    /// Reads both tables, day by day, up to the last whole minute.
    fn read(&mut self, listener: &mut dyn Listener) -> Result<(), ImportError> {
        let (traces, logs) = (&self.source.traces_table, &self.source.logs_table);
        let spans = Layout::of_spans(&self.connection, traces)?;
        let records = Layout::of_logs(&self.connection, logs)?;
        if spans.is_none() && records.is_none() {
            return Err(TablesError::NoTable {
                traces: traces.to_string(),
                logs: logs.to_string(),
                database: self.source.database.to_string(),
            }
            .into());
        }
        let now = self.clock.now();
        let first = now.day().minus(self.source.since.days());
        let until = now.get() - now.get() % SLOT_NANOS;
        for (kind, name, layout) in [(Kind::Spans, traces, spans), (Kind::Logs, logs, records)] {
            let Some(layout) = layout else { continue };
            let wants_attempts = self.wants_attempts && kind == Kind::Spans;
            let table = Table { kind, name, layout, wants_attempts };
            let query = self.connection.query(&table.days());
            let query = query.param("from", sql_time(first.start().get()));
            let days: Vec<u32> = self.connection.all(query.param("to", sql_time(until)))?;
            for day in days.into_iter().filter_map(Day::from_number) {
                let before = self.commits.imported.calls();
                self.day(&table, day, until.min(day.end().get()))?;
                let calls = self.commits.imported.calls().saturating_sub(before);
                listener.read(name, day, calls);
            }
        }
        Ok(())
    }

    /// Reads those minutes of a day that were not read yet, or have changed.
    fn day(&mut self, table: &Table<'_>, day: Day, until: u64) -> Result<(), ImportError> {
        let sql = if table.kind == Kind::Spans { table.span_slots() } else { table.log_slots() };
        let query = self.connection.query(&sql).param("day", sql_time(day.start().get()));
        let query = query.param("from", sql_time(day.start().get())).param("to", sql_time(until));
        let found: Vec<SlotRow> = self.connection.all(query)?;
        let mut slots = Vec::with_capacity(found.len());
        for row in found {
            let slot = Slot::of(self.source, table.name, row);
            let is_done = self.commits.is_known(slot.content)?;
            let is_again = !is_done && self.commits.is_known(slot.seen)?;
            slots.push((slot, is_done, is_again));
        }
        let mut known = None;
        for run in runs(&slots) {
            if run.is_again && known.is_none() {
                known = Some(Known::around(self.store, day)?);
            }
            let known = known.as_mut().filter(|_| run.is_again);
            self.run(table, day, &run, known)?;
        }
        Ok(())
    }

    /// Reads some minutes and commits them.
    fn run(
        &mut self,
        table: &Table<'_>,
        day: Day,
        run: &Run,
        mut known: Option<&mut Known>,
    ) -> Result<(), ImportError> {
        // What arrived is counted once the minute is remembered: all of it or nothing.
        let nothing = || Batch::of(UnixNanos::new(0), Vec::new());
        let mut arrived = nothing();
        for number in 0..run.parts {
            let part = Part { number, of: run.parts };
            let (mut reading, bytes) = self.part(table, day, run, part, known.as_deref_mut())?;
            let is_last = number + 1 == run.parts;
            if is_last {
                reading.add_arrivals(std::mem::replace(&mut arrived, nothing()));
            } else {
                arrived.join(reading.take_arrivals());
            }
            let digests = if is_last { run.digests.as_slice() } else { &[] };
            self.commits.join(reading, digests, bytes)?;
            self.commits.commit()?;
        }
        self.commits.imported.requests += run.minutes;
        self.last = run.digests.last().copied();
        Ok(())
    }

    /// Reads one part of them.
    fn part(
        &mut self,
        table: &Table<'_>,
        day: Day,
        run: &Run,
        part: Part,
        known: Option<&mut Known>,
    ) -> Result<(Reading, usize), ImportError> {
        let sql = if table.kind == Kind::Spans { table.spans(part) } else { table.logs(part) };
        let query = self.connection.query(&sql).param("day", sql_time(day.start().get()));
        let query = query.param("from", sql_time(run.from)).param("to", sql_time(run.to));
        let (reading, bytes) = match table.kind {
            Kind::Spans => self.spans(query, table.layout)?,
            Kind::Logs => self.logs(query)?,
        };
        let mut reading = if let Some(reading) = reading {
            reading
        } else {
            // A part may be empty, and still tells that the minute was read.
            let nothing = self.commits.ingest.read_shown(Sent::Spans, |_collector| {});
            nothing.map_err(ImportError::Reading)?
        };
        if let Some(known) = known {
            reading.leave_out(|sighting| known.take(sighting));
            self.commits.imported.late += reading.batch().sightings.len() as u64;
            reading.forget_arrivals();
        }
        Ok((reading, bytes))
    }

    fn spans(
        &self,
        query: clickhouse::query::Query,
        layout: Layout,
    ) -> Result<(Option<Reading>, usize), ImportError> {
        let mut rows = self.connection.begin::<SpanRow>(query)?;
        let mut gathered = Gathered::default();
        while let Some(mut row) = self.connection.next(&mut rows)? {
            if !layout.has_scope {
                row.settle_scope();
            }
            let bytes = row.bytes();
            if gathered.add(row, bytes) {
                gathered.reduce(self.commits.ingest, Sent::Spans, show_spans)?;
            }
        }
        gathered.reduce(self.commits.ingest, Sent::Spans, show_spans)?;
        Ok((gathered.reading, gathered.bytes))
    }

    fn logs(
        &self,
        query: clickhouse::query::Query,
    ) -> Result<(Option<Reading>, usize), ImportError> {
        let mut rows = self.connection.begin::<LogRow>(query)?;
        let mut gathered = Gathered::default();
        while let Some(row) = self.connection.next(&mut rows)? {
            let bytes = row.bytes();
            if gathered.add(row, bytes) {
                gathered.reduce(self.commits.ingest, Sent::Logs, show_logs)?;
            }
        }
        gathered.reduce(self.commits.ingest, Sent::Logs, show_logs)?;
        Ok((gathered.reading, gathered.bytes))
    }

    /// Waits until a writer that goes on has noted what was committed last.
    fn wait_until_noted(&self) -> Result<(), ImportError> {
        const LOOK: Duration = Duration::from_millis(50);
        let Some(last) = self.last else { return Ok(()) };
        let mut waited = Duration::ZERO;
        while !self.commits.is_known(last)? && waited < NOTING {
            std::thread::sleep(LOOK);
            waited += LOOK;
        }
        Ok(())
    }
}

/// Rows whose texts are still held, and what those before them left.
struct Gathered<R> {
    rows: Vec<R>,
    held: usize,
    bytes: usize,
    reading: Option<Reading>,
}

impl<R> Default for Gathered<R> {
    fn default() -> Self {
        Self { rows: Vec::new(), held: 0, bytes: 0, reading: None }
    }
}

impl<R> Gathered<R> {
    /// Adds a row; whether it is time to reduce.
    fn add(&mut self, row: R, bytes: usize) -> bool {
        self.rows.push(row);
        self.held += bytes;
        self.bytes += bytes;
        self.rows.len() >= CHUNK_ROWS || self.held >= CHUNK_BYTES
    }

    /// Reduces the rows and drops them.
    fn reduce(
        &mut self,
        ingest: &Ingest<Arc<Writer>>,
        is_of: Sent,
        show: fn(&[R], &mut Collector<'_>),
    ) -> Result<(), ImportError> {
        let rows = std::mem::take(&mut self.rows);
        self.held = 0;
        if rows.is_empty() {
            return Ok(());
        }
        let read = ingest.read_shown(is_of, |collector| show(&rows, collector));
        let read = read.map_err(ImportError::Reading)?;
        match &mut self.reading {
            Some(reading) => reading.join(read),
            none => *none = Some(read),
        }
        Ok(())
    }
}

/// Shows rows, which come by service and scope.
fn show_spans(rows: &[SpanRow], collector: &mut Collector<'_>) {
    for of_service in rows.chunk_by(|one, other| one.service == other.service) {
        let Some(first) = of_service.first() else { continue };
        collector.resource(&first.service, of_service.len() as u64);
        for of_scope in of_service.chunk_by(|one, other| one.scope_name == other.scope_name) {
            let Some(first) = of_scope.first() else { continue };
            collector.scope(&first.scope_name, of_scope.len() as u64);
            for row in of_scope {
                let span = row.span();
                if row.is_wanted {
                    collector.span(&span, &row.scope(), &row.resource());
                } else {
                    collector.child(&span);
                }
            }
        }
    }
}

fn show_logs(rows: &[LogRow], collector: &mut Collector<'_>) {
    for of_service in rows.chunk_by(|one, other| one.service == other.service) {
        let Some(first) = of_service.first() else { continue };
        collector.resource(&first.service, of_service.len() as u64);
        for of_scope in of_service.chunk_by(|one, other| one.scope_name == other.scope_name) {
            let Some(first) = of_scope.first() else { continue };
            collector.scope(&first.scope_name, of_scope.len() as u64);
            for row in of_scope {
                collector.log(row.log(), &row.scope(), &row.resource());
            }
        }
    }
}

/// A time as a parameter of a question.
fn sql_time(nanos: u64) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX)
}
