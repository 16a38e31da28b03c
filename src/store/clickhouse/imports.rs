//! Imported requests, noted in the rows of `arrivals`, beside the counts of what they held.

use std::collections::HashSet;
use std::sync::Arc;

use super::engine::Engine;
use super::json::Row;
use super::{arrivals, notes};
use crate::call::UnixNanos;
use crate::store::batch::RequestDigest;
use crate::store::error::StoreError;
use crate::store::imports::{ImportedBook, KNOWN_DAYS};

/// The time up to which everything that a running import received is noted; empty where none runs
/// and none was cut short.
const RUNNING: &str = "running_import";

/// What is known of earlier imports, for one that runs.
#[derive(Debug)]
pub(in crate::store) struct DatabaseImport {
    engine: Arc<Engine>,
    known: HashSet<[u8; 16]>,
    unnoted_since: Option<UnixNanos>,
}

impl DatabaseImport {
    /// Begins an import at `now`. Held until the writer is closed.
    pub(super) fn begin(engine: &Arc<Engine>, now: UnixNanos) -> Result<Self, StoreError> {
        let first = now.day().minus(KNOWN_DAYS);
        arrivals::forget(engine, now, first)?;
        let query = format!(
            "SELECT DISTINCT word FROM arrivals
             WHERE of = 'import' AND day >= toDate32('{first}')"
        );
        let digest = |mut row: Row| {
            let text = row.text();
            text.and_then(|text| notes::unhex(&text)).ok_or_else(|| engine.damaged("word"))
        };
        let known = engine.rows(&query)?.into_iter().map(digest).collect::<Result<_, _>>()?;
        let text = notes::read(engine, RUNNING)?.filter(|text| !text.is_empty());
        let unnoted_since = if let Some(text) = text {
            let nanos = text.parse().map_err(|_error| engine.damaged("value"))?;
            Some(UnixNanos::new(nanos))
        } else {
            notes::write(engine, RUNNING, &now.get().to_string())?;
            None
        };
        Ok(Self { engine: Arc::clone(engine), known, unnoted_since })
    }

    /// Where an earlier import was cut short.
    pub(in crate::store) const fn unnoted_since(&self) -> Option<UnixNanos> {
        self.unnoted_since
    }

    /// Whether the request was imported before.
    pub(in crate::store) fn is_imported(&self, digest: RequestDigest) -> bool {
        self.known.contains(digest.as_bytes())
    }

    /// Ends the import; everything is noted by then.
    pub(in crate::store) fn finish(self) -> Result<(), StoreError> {
        notes::write(&self.engine, RUNNING, "")
    }
}

/// Notes how far an import has come, once its requests are noted. Where this fails after that, the
/// next import looks back further than it must, and finds those requests noted.
pub(super) fn note(engine: &Engine, book: &ImportedBook) -> Result<(), StoreError> {
    let through = book.through;
    through.map_or(Ok(()), |through| notes::write(engine, RUNNING, &through.get().to_string()))
}
