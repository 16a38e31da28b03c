//! The seam: bytes become spans and log records, those of tool calls become sightings, sightings
//! are committed.
//!
//! A request is read whole before anything of it is committed, so what cannot be read leaves
//! nothing behind. Spans and records that are no tool call are counted and forgotten; a tool call that cannot
//! be kept costs its neighbours nothing and is told to the sender.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::call::{InstallationSecret, Name, Sighting, UnixNanos};
use crate::clock::Clock;
use crate::figures::arrival::Refusal;
use crate::figures::{ArrivalCounts, RecordKind, SourceCounts, SourceKey, Sources};
use crate::otlp::{
    DecodeError, Format, LogView, LogVisitor, ResourceView, ScopeView, Sent, SpanView, Visitor,
    sent, walk, walk_logs,
};
use crate::recognise::{
    Recognition, as_span, is_deciding_event, is_deciding_key, is_deciding_name, is_deciding_text,
    recognise, recognise_log,
};
use crate::reduce::{PagingRules, ReduceContext, ReduceLimits, Reduced, reduce};
use crate::store::{Batch, Committed, RequestDigest, StoreError, Writer};

/// Tool calls that one request may hold. A span of sixty bytes becomes a sighting of several
/// hundred, so without a cap a request could cost ten times what was admitted.
pub const MAX_CALLS: usize = 65_536;

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
    secret: InstallationSecret,
    limits: ReduceLimits,
    paging: PagingRules,
    conversation_attributes: Vec<String>,
}

impl<C: Commit> Ingest<C> {
    /// Takes requests into `commit`, with METHOD's rules as they are by default.
    pub fn new(commit: C, clock: Arc<dyn Clock>, secret: InstallationSecret) -> Self {
        Self {
            commit,
            clock,
            secret,
            limits: ReduceLimits::default(),
            paging: PagingRules::default(),
            conversation_attributes: Vec::new(),
        }
    }

    /// The same with other limits.
    pub fn with_limits(self, limits: ReduceLimits) -> Self {
        Self { limits, ..self }
    }

    /// The same with declared paging parameters.
    pub fn with_paging(self, paging: PagingRules) -> Self {
        Self { paging, ..self }
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
        let mut collector = Collector {
            context: ReduceContext {
                now,
                secret: &self.secret,
                limits: &self.limits,
                paging: &self.paging,
                conversation_attributes: &self.conversation_attributes,
            },
            sightings: Vec::new(),
            counts: BTreeMap::new(),
            current: (Name::cut(""), ArrivalCounts::default()),
            sources: Sources::default(),
            source: (SourceKey::new("", "", RecordKind::Span), SourceCounts::default()),
            is_of,
            items: 0,
            first_refusal: None,
            holds_nothing_known: false,
        };
        match is_of {
            Sent::Spans => walk(request, format, &mut collector)?,
            Sent::Logs => walk_logs(request, format, &mut collector)?,
        }
        collector.finish(now)
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

/// Collects what a request leaves behind.
struct Collector<'c> {
    context: ReduceContext<'c>,
    sightings: Vec<Sighting>,
    counts: BTreeMap<Name, ArrivalCounts>,
    /// The counts of the resource that is being read; moved into `counts` when the next begins.
    current: (Name, ArrivalCounts),
    sources: Sources,
    /// The counts of the scope that is being read; moved into `sources` when the next begins.
    source: (SourceKey, SourceCounts),
    is_of: Sent,
    items: u64,
    first_refusal: Option<Refusal>,
    holds_nothing_known: bool,
}

impl Collector<'_> {
    fn close_scope(&mut self) {
        let counts = std::mem::take(&mut self.source.1);
        if counts != SourceCounts::default() {
            self.sources.of(self.source.0.clone()).merge(&counts);
        }
    }

    fn close_resource(&mut self) {
        self.close_scope();
        let (name, counts) =
            std::mem::replace(&mut self.current, (Name::cut(""), ArrivalCounts::default()));
        if counts != ArrivalCounts::default() {
            self.counts.entry(name).or_default().merge(&counts);
        }
    }

    fn open_resource(&mut self, service_name: &str, counts: ArrivalCounts) {
        self.close_resource();
        self.current = (Name::cut(service_name), counts);
    }

    fn open_scope(&mut self, name: &str, kind: RecordKind, seen: u64) {
        self.close_scope();
        let emitter = self.current.0.clone();
        let key = SourceKey { emitter, scope: Name::cut(name), kind };
        self.source = (key, SourceCounts { seen, ..SourceCounts::default() });
    }

    /// Takes in what was looked at: keeps its sighting, or counts why there is none.
    fn take(
        &mut self,
        recognition: Recognition,
        span: &SpanView<'_>,
        scope: &ScopeView<'_>,
        resource: &ResourceView<'_>,
    ) {
        let (counts, source) = (&mut self.current.1, &mut self.source.1);
        let recognised = match recognition {
            Recognition::Call(recognised) => recognised,
            Recognition::NotACall(reason) => {
                let reason = Name::cut(reason.word());
                *source.not_calls.entry(reason.clone()).or_default() += 1;
                *counts.not_calls.entry(reason).or_default() += 1;
                return;
            }
            Recognition::Ordinary => return,
        };
        match reduce(&recognised, span, scope, resource, &self.context) {
            Ok(Reduced { sighting, repairs }) => {
                *counts.kept.entry(sighting.dialect.clone()).or_default() += 1;
                *source.kept.entry(sighting.dialect.clone()).or_default() += 1;
                for repair in repairs {
                    counts.repaired.add(repair, 1);
                }
                // One past the limit is enough to refuse the request.
                if self.sightings.len() <= MAX_CALLS {
                    self.sightings.push(sighting);
                }
            }
            Err(refusal) => {
                counts.refused.add(refusal, 1);
                source.refused.add(refusal, 1);
                self.first_refusal.get_or_insert(refusal);
            }
        }
    }

    fn finish(mut self, received: UnixNanos) -> Result<Reading, IngestError> {
        self.close_resource();
        for counts in self.counts.values_mut() {
            counts.requests = 1;
        }
        let kept = self.sightings.len();
        if kept > MAX_CALLS {
            return Err(IngestError::TooManyCalls);
        }
        let refused = self.counts.values().map(|counts| counts.refused.total()).sum();
        let outcome = Outcome {
            sent: self.is_of,
            items: self.items,
            kept: kept as u64,
            refused: self.first_refusal.map(|reason| (refused, reason)),
            duplicates: 0,
        };
        let batch = Batch {
            received,
            sightings: self.sightings,
            counts: self.counts,
            sources: self.sources,
            imported: Vec::new(),
        };
        Ok(Reading { batch, outcome, holds_nothing_known: self.holds_nothing_known })
    }
}

impl Visitor for Collector<'_> {
    fn is_deciding_key(&self, key: &[u8]) -> bool {
        is_deciding_key(key)
    }

    fn is_deciding_text(&self, key: &[u8], text: &[u8]) -> bool {
        is_deciding_text(key, text)
    }

    fn is_deciding_name(&self, name: &[u8]) -> bool {
        is_deciding_name(name)
    }

    fn nothing_known(&mut self) {
        self.holds_nothing_known = true;
    }

    fn resource(&mut self, service_name: &str, spans: u64) {
        self.open_resource(service_name, ArrivalCounts { spans, ..Default::default() });
        self.items += spans;
    }

    fn scope(&mut self, name: &str, spans: u64) {
        self.open_scope(name, RecordKind::Span, spans);
    }

    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        self.take(recognise(span, scope, resource), span, scope, resource);
    }
}

impl LogVisitor for Collector<'_> {
    fn is_deciding_event(&self, name: &[u8]) -> bool {
        is_deciding_event(name)
    }

    fn nothing_known(&mut self) {
        self.holds_nothing_known = true;
    }

    fn resource(&mut self, service_name: &str, log_records: u64) {
        self.open_resource(service_name, ArrivalCounts { log_records, ..Default::default() });
        self.items += log_records;
    }

    fn scope(&mut self, name: &str, log_records: u64) {
        self.open_scope(name, RecordKind::Log, log_records);
    }

    fn log(&mut self, log: LogView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        let log = as_span(log);
        self.take(recognise_log(&log, scope, resource), &log, scope, resource);
    }
}
