//! Import: telemetry that is kept already, taken in as if it had been received: the requests in
//! files, as an OpenTelemetry Collector's file exporter writes them, and the tables of its
//! ClickHouse exporter ([`otel_tables`]).
//!
//! A request that was imported before is known by its digest and left out, whatever file it
//! stands in; so a file may be imported again, after it grew or after the program was killed,
//! and nothing is counted twice (`store::ImportNotes`).

mod commits;
mod known;
pub mod otel_tables;
mod records;
mod source;
mod summary;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::Clock;
use crate::config::Config;
use crate::ingest::IngestError;
use crate::otlp::{Format, Sent, Signal, signal_of};
use crate::server;
use crate::store::{RequestDigest, Store, StoreError, Writer, WriterOptions};
use commits::Commits;
pub use records::{Damage, Place};
use records::{Record, Records};
pub use source::Source;
pub use summary::Imported;

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
    /// What tables hold could not be taken.
    #[error("what the tables hold cannot be taken")]
    Reading(#[source] IngestError),
    /// Tables could not be read, or not to the end.
    #[error(transparent)]
    Tables(#[from] otel_tables::TablesError),
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
    let ingest = server::ingest(config, Arc::clone(&writer), Arc::clone(clock), &store.secret()?);
    let mut import = Import {
        commits: Commits::begin(&store, &ingest, clock.now())?,
        limit: usize::try_from(config.limits.max_request_bytes.get()).unwrap_or(usize::MAX),
    };
    for source in sources {
        import.source(source, listener)?;
    }
    writer.close()?;
    import.commits.finish()
}

struct Import<'c> {
    commits: Commits<'c>,
    limit: usize,
}

impl Import<'_> {
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
                self.commits.imported.damaged += 1;
                listener.damaged(source, place, &damage);
            }
            listener.advance(read.load(Ordering::Relaxed));
        }
        self.commits.commit()
    }

    /// Takes one request; what is wrong with it is the inner result.
    fn request(&mut self, bytes: &[u8], format: Format) -> Result<Result<(), Damage>, ImportError> {
        let digest = RequestDigest::of(bytes);
        if self.commits.is_known(digest)? {
            self.commits.imported.known_requests += 1;
            return Ok(Ok(()));
        }
        let signal = match signal_of(bytes, format) {
            Ok(signal) => signal,
            Err(error) => return Ok(Err(Damage::Request(IngestError::Malformed(error)))),
        };
        match signal {
            Some(Signal::Metrics) => self.commits.imported.metric_requests += 1,
            Some(Signal::Traces | Signal::Logs) | None => {
                let sent = if signal == Some(Signal::Logs) { Sent::Logs } else { Sent::Spans };
                let reading = match self.commits.ingest.read(bytes, format, Some(sent)) {
                    Ok(reading) => reading,
                    Err(error) => return Ok(Err(Damage::Request(error))),
                };
                self.commits.imported.requests += 1;
                self.commits.join(reading, &[digest], bytes.len())?;
            }
        }
        Ok(Ok(()))
    }
}
