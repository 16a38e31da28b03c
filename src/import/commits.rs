//! What was read is committed together, noted as imported, and left out where an import that was
//! cut short has left it on disk already.

use std::sync::Arc;

use super::known::Known;
use super::{ImportError, Imported};
use crate::call::UnixNanos;
use crate::ingest::{Ingest, IngestError, Reading};
use crate::store::{ErasedDays, ImportNotes, RequestDigest, Store, StoreError, Writer};

/// Tool calls after which no further request joins a commit.
const COMMIT_CALLS: usize = 5_000;
/// Requests after which none does.
const COMMIT_REQUESTS: u32 = 1_000;
/// Bytes of requests after which none does.
const COMMIT_BYTES: usize = 16 * 1024 * 1024;

/// Requests that wait to be committed together.
struct Waiting {
    reading: Reading,
    requests: u32,
    bytes: usize,
    digests: std::collections::BTreeSet<RequestDigest>,
}

/// The commits of one import.
pub(super) struct Commits<'c> {
    pub(super) ingest: &'c Ingest<Arc<Writer>>,
    pub(super) imported: Imported,
    runtime: tokio::runtime::Runtime,
    erased: ErasedDays,
    known: Known,
    notes: ImportNotes,
    waiting: Option<Waiting>,
}

impl<'c> Commits<'c> {
    /// Begins an import into `store` by `ingest`, whose writer is this process's.
    pub(super) fn begin(
        store: &Store,
        ingest: &'c Ingest<Arc<Writer>>,
        now: UnixNanos,
    ) -> Result<Self, ImportError> {
        let notes = store.begin_import(now)?;
        let known = match notes.unnoted_since() {
            Some(since) => Known::received_since(store, since)?,
            None => Known::default(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        Ok(Self {
            ingest,
            imported: Imported::default(),
            runtime: runtime.map_err(ImportError::Runtime)?,
            erased: store.erased_days()?,
            known,
            notes,
            waiting: None,
        })
    }

    /// Whether the request was imported before, or waits to be.
    pub(super) fn is_known(&self, digest: RequestDigest) -> Result<bool, StoreError> {
        let waits = self.waiting.as_ref().is_some_and(|waiting| waiting.digests.contains(&digest));
        Ok(waits || self.notes.is_imported(digest)?)
    }

    /// Adds what was read of one request, or of what has several digests; it was `bytes` long.
    pub(super) fn join(
        &mut self,
        mut reading: Reading,
        digests: &[RequestDigest],
        bytes: usize,
    ) -> Result<(), ImportError> {
        for digest in digests {
            reading = reading.imported_as(*digest);
        }
        if !self.known.is_empty() {
            reading.leave_out(|sighting| self.known.take(sighting));
        }
        let waiting = match self.waiting.take() {
            Some(mut waiting) => {
                waiting.reading.join(reading);
                waiting.requests += 1;
                waiting.bytes += bytes;
                waiting.digests.extend(digests);
                waiting
            }
            None => {
                Waiting { reading, requests: 1, bytes, digests: digests.iter().copied().collect() }
            }
        };
        let is_enough = waiting.reading.batch().sightings.len() >= COMMIT_CALLS
            || waiting.requests >= COMMIT_REQUESTS
            || waiting.bytes >= COMMIT_BYTES;
        self.waiting = Some(waiting);
        if is_enough { self.commit() } else { Ok(()) }
    }

    /// Commits what waits.
    pub(super) fn commit(&mut self) -> Result<(), ImportError> {
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

    /// Ends the import when the writer has noted everything, which it has once it is closed.
    pub(super) fn finish(self) -> Result<Imported, ImportError> {
        self.notes.finish()?;
        Ok(self.imported)
    }
}
