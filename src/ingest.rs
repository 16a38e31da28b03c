//! The seam: bytes become spans and log records, those of tool calls become sightings, sightings
//! are committed.
//!
//! A request is read whole before anything of it is committed, so what cannot be read leaves
//! nothing behind. Spans and records that are no tool call are counted and forgotten; a tool call
//! that cannot be kept costs its neighbours nothing and is told to the sender.

mod collector;
mod senders;

use std::sync::Arc;

use crate::call::{InstallationSecret, Sighting, ToolRules, UnixNanos};
use crate::clock::Clock;
use crate::figures::arrival::Refusal;
use crate::figures::{ArrivalCounts, RecordKind, SourceKey, Sources};
use crate::otlp::{DecodeError, Format, Sent, sent, walk, walk_logs};
use crate::reduce::{EmptyDeclaration, Keys, PagingRules, ReduceContext, ReduceLimits};
use crate::store::{Batch, Committed, RequestDigest, StoreError, Writer};
pub use collector::Collector;
use senders::Senders;

/// Tool calls that one request may hold. A span of sixty bytes becomes a sighting of several
/// hundred, so without a cap a request could cost ten times what was admitted.
pub const MAX_CALLS: usize = 65_536;

/// Downstream attempts that are kept of one request, for the same reason. Further ones are left
/// out and told in the log: calls are worth more than what is below them.
pub const MAX_ATTEMPTS: usize = 65_536;

/// Where batches become durable.
pub trait Commit: Send + Sync + 'static {
    /// Resolves when the batch is on disk; an error means that nothing of it may be answered
    /// with success. Dropping the future is safe.
    fn commit(&self, batch: Batch) -> impl Future<Output = Result<Committed, StoreError>> + Send;
}

impl Commit for Writer {
    fn commit(&self, batch: Batch) -> impl Future<Output = Result<Committed, StoreError>> + Send {
        Self::commit(self, batch)
    }
}

impl<C: Commit> Commit for Arc<C> {
    fn commit(&self, batch: Batch) -> impl Future<Output = Result<Committed, StoreError>> + Send {
        C::commit(self, batch)
    }
}

/// Why a request was not taken. Nothing of it is kept.
#[derive(Debug, Clone, thiserror::Error)]
pub enum IngestError {
    /// The bytes are no OTLP request.
    #[error(transparent)]
    Malformed(#[from] DecodeError),
    /// The request holds more tool calls than are taken at once.
    #[error("request holds more than {MAX_CALLS} tool calls")]
    TooManyCalls,
    /// The store could not make it durable.
    #[error("store cannot take data at the moment")]
    Storage(#[from] StoreError),
}

/// What became of a request that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// What the request holds, which is how it is answered.
    pub sent: Sent,
    /// Spans or log records in the request.
    pub items: u64,
    /// Tool calls that are on disk now.
    pub kept: u64,
    /// Tool calls that could not be kept, with the first reason; none where all were.
    pub refused: Option<(u64, Refusal)>,
    /// Kept tool calls that had been kept lately already.
    pub duplicates: u64,
}

/// A request that was read and waits to be committed.
#[derive(Debug)]
pub struct Reading {
    batch: Batch,
    outcome: Outcome,
    holds_nothing_known: bool,
}

impl Reading {
    /// The digest of the request, where it is imported and may be offered again.
    pub fn imported_as(mut self, digest: RequestDigest) -> Self {
        self.batch.imported.push(digest);
        self
    }

    /// Adds a request that was read later: the two are committed as one.
    pub fn join(&mut self, later: Self) {
        let Self { batch, outcome, holds_nothing_known } = later;
        self.batch.join(batch);
        self.outcome.items += outcome.items;
        self.outcome.kept += outcome.kept;
        self.holds_nothing_known &= holds_nothing_known;
        self.outcome.refused = match (self.outcome.refused, outcome.refused) {
            (Some((times, first)), Some((more, _))) => Some((times + more, first)),
            (one, other) => one.or(other),
        };
    }

    /// What will be committed.
    pub const fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Leaves out the tool calls that `is_known` says are on disk already; how many there were.
    pub fn leave_out(&mut self, mut is_known: impl FnMut(&Sighting) -> bool) -> u64 {
        let before = self.batch.sightings.len();
        self.batch.sightings.retain(|sighting| !is_known(sighting));
        (before - self.batch.sightings.len()) as u64
    }

    /// Counts nothing of it as having arrived: it was looked at again for what came late.
    pub fn forget_arrivals(&mut self) {
        self.batch.counts.clear();
        self.batch.sources = Sources::default();
    }

    /// What arrived, as a batch of nothing else: it is counted with a later part of the same.
    pub fn take_arrivals(&mut self) -> Batch {
        let mut arrivals = Batch::of(self.batch.received, Vec::new());
        arrivals.counts = std::mem::take(&mut self.batch.counts);
        arrivals.sources = std::mem::take(&mut self.batch.sources);
        arrivals
    }

    /// Counts what arrived with earlier parts as well.
    pub fn add_arrivals(&mut self, arrivals: Batch) {
        let received = self.batch.received;
        self.batch.join(arrivals);
        self.batch.received = received;
    }

    /// Whether the request is JSON that holds something, and nothing of it is OTLP's.
    pub const fn holds_nothing_known(&self) -> bool {
        self.holds_nothing_known
    }

    /// What arrived, all emitters together.
    pub fn arrivals(&self) -> ArrivalCounts {
        let mut all = ArrivalCounts::default();
        self.batch.counts.values().for_each(|counts| all.merge(counts));
        all
    }
}

/// Takes requests in.
#[derive(Debug)]
pub struct Ingest<C> {
    commit: C,
    clock: Arc<dyn Clock>,
    keys: Keys,
    limits: ReduceLimits,
    paging: PagingRules,
    empties: ToolRules<EmptyDeclaration>,
    conversation_attributes: Vec<String>,
    /// None where downstream attempts are not kept.
    senders: Option<Senders>,
}

impl<C: Commit> Ingest<C> {
    /// Takes requests into `commit`, with METHOD's rules as they are by default.
    pub fn new(commit: C, clock: Arc<dyn Clock>, secret: &InstallationSecret) -> Self {
        Self {
            commit,
            clock,
            keys: Keys::of(secret),
            limits: ReduceLimits::default(),
            paging: PagingRules::default(),
            empties: ToolRules::default(),
            conversation_attributes: Vec::new(),
            senders: Some(Senders::default()),
        }
    }

    /// The same without downstream attempts.
    pub fn without_attempts(self) -> Self {
        Self { senders: None, ..self }
    }

    /// The same with other limits.
    pub fn with_limits(self, limits: ReduceLimits) -> Self {
        Self { limits, ..self }
    }

    /// The same with declared paging parameters.
    pub fn with_paging(self, paging: PagingRules) -> Self {
        Self { paging, ..self }
    }

    /// The same with declarations of what an empty answer looks like.
    pub fn with_empties(self, empties: ToolRules<EmptyDeclaration>) -> Self {
        Self { empties, ..self }
    }

    /// The same with attributes that name a conversation, asked before the known ones.
    pub fn with_conversation_attributes(self, conversation_attributes: Vec<String>) -> Self {
        Self { conversation_attributes, ..self }
    }

    /// Reads an `ExportTraceServiceRequest` or an `ExportLogsServiceRequest`; where `as_sent` does
    /// not say which, the request itself does. Computes only: neither waits nor keeps anything.
    pub fn read(
        &self,
        request: &[u8],
        format: Format,
        as_sent: Option<Sent>,
    ) -> Result<Reading, IngestError> {
        let is_of = as_sent.unwrap_or_else(|| sent(request, format));
        let now = self.clock.now();
        let mut collector = Collector::new(self.context(now), self.senders.as_ref(), is_of);
        match is_of {
            Sent::Spans => walk(request, format, &mut collector)?,
            Sent::Logs => walk_logs(request, format, &mut collector)?,
        }
        collector.finish(now)
    }

    /// Takes items that were kept elsewhere than in a request: `show` shows them, one resource
    /// after the other and its wanted items first, as the walkers of OTLP show a request's.
    pub fn read_shown(
        &self,
        is_of: Sent,
        show: impl FnOnce(&mut Collector<'_>),
    ) -> Result<Reading, IngestError> {
        let now = self.clock.now();
        let mut collector = Collector::new(self.context(now), self.senders.as_ref(), is_of);
        show(&mut collector);
        collector.finish(now)
    }

    fn context(&self, now: UnixNanos) -> ReduceContext<'_> {
        ReduceContext {
            now,
            keys: &self.keys,
            limits: &self.limits,
            paging: &self.paging,
            empties: &self.empties,
            conversation_attributes: &self.conversation_attributes,
        }
    }

    /// Counts a request of metrics, which are dropped unread, so that it can be told that they
    /// are all that comes. A count that is lost is nothing that a sender should hear of.
    pub async fn note_metrics(&self) {
        let mut batch = Batch::of(self.clock.now(), Vec::new());
        batch.sources.of(SourceKey::new("", "", RecordKind::Metric)).seen = 1;
        if let Err(error) = self.commit.commit(batch).await {
            tracing::debug!(%error, "a request of metrics could not be counted");
        }
    }

    /// Commits what was read; resolves when it is on disk.
    pub async fn commit(&self, reading: Reading) -> Result<Outcome, IngestError> {
        let committed = self.commit.commit(reading.batch).await?;
        let mut outcome = Outcome { duplicates: committed.duplicates, ..reading.outcome };
        if committed.refused > 0 {
            let (times, reason) = outcome.refused.unwrap_or((0, Refusal::DayClosed));
            outcome.kept = outcome.kept.saturating_sub(committed.refused);
            outcome.refused = Some((times.saturating_add(committed.refused), reason));
        }
        Ok(outcome)
    }
}
