//! The writer's groups on their way into the database: one insert a group, and the server's
//! acknowledgement before anything is answered. Any number of receivers do this side by side.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;

use super::attempt_row::AttemptRow;
use super::engine::Engine;
use super::receivers::Receiver;
use super::sighting_row::SightingRow;
use super::{arrivals, erased, imports};
use crate::call::{Attempt, Sighting, UnixNanos};
use crate::store::arrivals::ArrivalBook;
use crate::store::batch::Batch;
use crate::store::erased::ErasedDays;
use crate::store::error::StoreError;
use crate::store::imports::ImportedBook;
use crate::store::sink::{Patience, Sink};

/// Books of counts that wait to be sent again; further counts gather in memory meanwhile.
const MAX_PENDING: usize = 2;

/// A writer's end in a database.
#[derive(Debug)]
pub(in crate::store) struct DatabaseSink {
    engine: Arc<Engine>,
    pending: VecDeque<PendingCounts>,
    receiver: Receiver,
}

/// Counts that were sent and may be there: they are sent again as they are, with their token, so
/// that they count once.
#[derive(Debug)]
struct PendingCounts {
    token: String,
    rows: Vec<Vec<Value>>,
    imported: ImportedBook,
}

impl DatabaseSink {
    pub(super) fn start(engine: &Arc<Engine>) -> Result<Self, StoreError> {
        let receiver = Receiver::begin(engine)?;
        Ok(Self { engine: Arc::clone(engine), pending: VecDeque::new(), receiver })
    }

    /// One insert a table. Its rows are one block, and so one part in each day; the parts of
    /// several days are put in their places one after another, at the very end.
    fn insert(&self, batches: &[&Batch]) -> Result<(), StoreError> {
        let sightings: Vec<&Sighting> = batches.iter().flat_map(|batch| &batch.sightings).collect();
        let attempts = batches.iter();
        let attempts: Vec<(&Attempt, UnixNanos)> = attempts
            .flat_map(|batch| batch.attempts.iter().map(|attempt| (attempt, batch.received)))
            .collect();
        if !attempts.is_empty() {
            let token = self.engine.token();
            self.engine.twice(|| async {
                let mut insert = self.engine.client().insert::<AttemptRow<'_>>("attempts").await?;
                for (name, value) in self.engine.insert_settings(&token) {
                    insert = insert.with_setting(name, value);
                }
                for (attempt, received) in &attempts {
                    insert.write(&AttemptRow::of(attempt, *received)).await?;
                }
                insert.end().await
            })?;
        }
        if sightings.is_empty() {
            return Ok(());
        }
        let token = self.engine.token();
        self.engine.twice(|| async {
            let mut insert = self.engine.client().insert::<SightingRow<'_>>("sightings").await?;
            for (name, value) in self.engine.insert_settings(&token) {
                insert = insert.with_setting(name, value);
            }
            for sighting in &sightings {
                insert.write(&SightingRow::of(sighting)).await?;
            }
            insert.end().await
        })
    }

    /// Sends the counts that wait, the oldest first.
    fn send_pending(&mut self) -> Result<(), StoreError> {
        while let Some(counts) = self.pending.front() {
            let PendingCounts { token, rows, imported } = counts;
            self.engine.insert("arrivals", &arrivals::COLUMNS, rows, token)?;
            imports::note(&self.engine, imported)?;
            self.pending.pop_front();
        }
        Ok(())
    }
}

impl Sink for DatabaseSink {
    fn commit(&mut self, batches: &[&Batch]) -> Vec<Result<(), StoreError>> {
        let ended = self.insert(batches);
        if let Err(error) = &ended {
            tracing::warn!(%error, "failed to insert sightings; senders will try again");
        }
        vec![ended; batches.len()]
    }

    fn erased_days(&mut self) -> Result<ErasedDays, StoreError> {
        // Asked for late sightings only, and never remembered: another machine may run the pass.
        erased::read(&self.engine)
    }

    fn save_arrivals(&mut self, book: &ArrivalBook, patience: Patience) -> Result<(), StoreError> {
        let ended = self.send_pending();
        if self.pending.len() >= MAX_PENDING || book.is_empty() {
            return ended;
        }
        let counts = PendingCounts {
            token: self.engine.token(),
            rows: arrivals::rows(book),
            imported: book.imported.clone(),
        };
        self.pending.push_back(counts);
        let ended = ended.and_then(|()| self.send_pending());
        match patience {
            // They are kept here now, and sent the next time.
            Patience::None => Ok(()),
            Patience::Usual => ended,
        }
    }

    fn rest(&mut self) {
        self.receiver.beat();
    }
}
