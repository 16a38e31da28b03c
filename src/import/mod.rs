//! Import: the requests in files, as an OpenTelemetry Collector's file exporter writes them,
//! taken in as if they had been received.
//!
//! A request that was imported before is known by its digest and left out, whatever file it
//! stands in; so a file may be imported again, after it grew or after the program was killed,
//! and nothing is counted twice (`store::ImportNotes`).

mod known;
mod records;
mod source;
mod summary;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::Clock;
use crate::config::Config;
use crate::ingest::{Ingest, IngestError, Reading};
use crate::otlp::{Format, Sent, Signal, signal_of};
use crate::server;
use crate::store::{
    ErasedDays, ImportNotes, RequestDigest, Store, StoreError, Writer, WriterOptions,
};
use known::Known;
pub use records::{Damage, Place};
use records::{Record, Records};
pub use source::Source;
pub use summary::Imported;

/// Tool calls after which no further request joins a commit.
const COMMIT_CALLS: usize = 5_000;
/// Requests after which none does.
const COMMIT_REQUESTS: u32 = 1_000;
/// Bytes of requests after which none does.
const COMMIT_BYTES: usize = 16 * 1024 * 1024;

/// Why nothing, or nothing further, could be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file could not be opened. Nothing was imported.
    #[error("cannot open `{}`", .0)]
    Open(String, #[source] io::Error),
    /// The data folder could not be used; what was committed before is kept, and the same import
    /// goes on where this one ended.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The program has no runtime to commit with.
    #[error("cannot start to import")]
    Runtime(#[source] io::Error),
}

/// What the person at the terminal hears of an import.
pub trait Listener {
    /// A file begins.
    fn begin(&mut self, source: &Source);
    /// How many bytes of it have been read, as they lie on the disk.
    fn advance(&mut self, bytes: u64);
    /// A part of it could not be read; the rest is imported.
    fn damaged(&mut self, source: &Source, place: Place, damage: &Damage);
}

/// Imports `sources` into the data folder of `config`.
pub fn run(
    sources: &[Source],
    config: &Config,
    clock: &Arc<dyn Clock>,
    listener: &mut dyn Listener,
) -> Result<Imported, ImportError> {
    for source in sources {
        if matches!(source, Source::File(_)) {
            let opened = source.open(Arc::default());
            opened.map_err(|error| ImportError::Open(source.name(), error))?;
        }
    }
    let store = Store::create_configured(&config.store)?;
    let writer = Arc::new(Writer::start(&store, WriterOptions::default())?);
    let notes = store.begin_import(clock.now())?;
    let known = match notes.unnoted_since() {
        Some(since) => Known::received_since(&store, since)?,
        None => Known::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let mut import = Import {
        ingest: server::ingest(config, Arc::clone(&writer), Arc::clone(clock), store.secret()?),
        runtime: runtime.map_err(ImportError::Runtime)?,
        erased: store.erased_days()?,
        known,
        notes,
        limit: usize::try_from(config.limits.max_request_bytes.get()).unwrap_or(usize::MAX),
        waiting: None,
        imported: Imported::default(),
    };
    for source in sources {
        import.source(source, listener)?;
    }
    writer.close()?;
    import.notes.finish()?;
    Ok(import.imported)
}

/// Requests that wait to be committed together.
struct Waiting {
    reading: Reading,
    requests: u32,
    bytes: usize,
    digests: std::collections::BTreeSet<RequestDigest>,
}

struct Import {
    ingest: Ingest<Arc<Writer>>,
    runtime: tokio::runtime::Runtime,
    erased: ErasedDays,
    known: Known,
    notes: ImportNotes,
    limit: usize,
    waiting: Option<Waiting>,
    imported: Imported,
}

impl Import {
    fn source(&mut self, source: &Source, listener: &mut dyn Listener) -> Result<(), ImportError> {
        listener.begin(source);
        let read = Arc::new(AtomicU64::new(0));
        let content = source
            .open(Arc::clone(&read))
            .map_err(|error| ImportError::Open(source.name(), error))?;
        let mut records = Records::new(content, self.limit);
        while let Some((place, record)) = records.next() {
            let taken = match record {
                Record::Request(bytes, format) => self.request(&bytes, format)?,
                Record::Damaged(damage) => Err(damage),
            };
            if let Err(damage) = taken {
                self.imported.damaged += 1;
                listener.damaged(source, place, &damage);
            }
            listener.advance(read.load(Ordering::Relaxed));
        }
        self.commit()
    }

    /// Takes one request; what is wrong with it is the inner result.
    fn request(&mut self, bytes: &[u8], format: Format) -> Result<Result<(), Damage>, ImportError> {
        let digest = RequestDigest::of(bytes);
        let waits = self.waiting.as_ref().is_some_and(|waiting| waiting.digests.contains(&digest));
        if waits || self.notes.is_imported(digest)? {
            self.imported.known_requests += 1;
            return Ok(Ok(()));
        }
        let signal = match signal_of(bytes, format) {
            Ok(signal) => signal,
            Err(error) => return Ok(Err(Damage::Request(IngestError::Malformed(error)))),
        };
        match signal {
            Some(Signal::Metrics) => self.imported.metric_requests += 1,
            Some(Signal::Traces | Signal::Logs) | None => {
                let sent = if signal == Some(Signal::Logs) { Sent::Logs } else { Sent::Spans };
                let reading = match self.ingest.read(bytes, format, Some(sent)) {
                    Ok(reading) => reading.imported_as(digest),
                    Err(error) => return Ok(Err(Damage::Request(error))),
                };
                self.imported.requests += 1;
                self.join(reading, digest, bytes.len())?;
            }
        }
        Ok(Ok(()))
    }

    fn join(
        &mut self,
        mut reading: Reading,
        digest: RequestDigest,
        bytes: usize,
    ) -> Result<(), ImportError> {
        if !self.known.is_empty() {
            reading.leave_out(|sighting| self.known.take(sighting));
        }
        let waiting = match self.waiting.take() {
            Some(mut waiting) => {
                waiting.reading.join(reading);
                waiting.requests += 1;
                waiting.bytes += bytes;
                waiting.digests.insert(digest);
                waiting
            }
            None => Waiting { reading, requests: 1, bytes, digests: [digest].into() },
        };
        let is_enough = waiting.reading.batch().sightings.len() >= COMMIT_CALLS
            || waiting.requests >= COMMIT_REQUESTS
            || waiting.bytes >= COMMIT_BYTES;
        self.waiting = Some(waiting);
        if is_enough { self.commit() } else { Ok(()) }
    }

    fn commit(&mut self) -> Result<(), ImportError> {
        let Some(Waiting { reading, .. }) = self.waiting.take() else { return Ok(()) };
        self.imported.add(&reading, &self.erased);
        let refused_before = reading.arrivals().refused.total();
        match self.runtime.block_on(self.ingest.commit(reading)) {
            Ok(outcome) => {
                let refused = outcome.refused.map_or(0, |(times, _)| times);
                self.imported.refuse_closed(refused.saturating_sub(refused_before));
                Ok(())
            }
            Err(IngestError::Storage(error)) => Err(error.into()),
            // Only reading fails otherwise, and that is done.
            Err(_) => Err(StoreError::WriterStopped.into()),
        }
    }
}
