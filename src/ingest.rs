//! The seam: bytes become spans, tool-call spans become sightings, sightings are committed.
//!
//! A request is read whole before anything of it is committed, so what cannot be read leaves
//! nothing behind. Spans that are no tool call are counted and forgotten; a tool call that cannot
//! be kept costs its neighbours nothing and is told to the sender.

mod senders;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::call::{Attempt, InstallationSecret, Name, Sighting, ToolRules, UnixNanos};
use crate::clock::Clock;
use crate::figures::arrival::Refusal;
use crate::figures::{ArrivalCounts, RecordKind, SourceCounts, SourceKey, Sources};
use crate::otlp::{DecodeError, Format, ResourceView, ScopeView, SpanView, Visitor, walk};
use crate::recognise::{
    Recognition, is_deciding_key, is_deciding_name, is_deciding_text, is_downstream_key, recognise,
};
use crate::reduce::{
    EmptyDeclaration, PagingRules, ReduceContext, ReduceLimits, Reduced, attempt, reduce,
};
use crate::store::{Batch, Committed, RequestDigest, StoreError, Writer};
use senders::{Allowance, Senders};

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
    /// Spans in the request.
    pub spans: u64,
    /// Tool calls that are on disk now.
    pub kept: u64,
    /// Tool calls that could not be kept, with the first reason; none where all were.
    pub refused: Option<(u64, Refusal)>,
}

/// A request that was read and waits to be committed.
#[derive(Debug)]
pub struct Reading {
    batch: Batch,
    outcome: Outcome,
}

impl Reading {
    /// The digest of the request, where it is imported and may be offered again.
    pub fn imported_as(mut self, digest: RequestDigest) -> Self {
        self.batch.imported.push(digest);
        self
    }

    /// Adds a request that was read later: the two are committed as one.
    pub fn join(&mut self, later: Self) {
        let Self { batch, outcome } = later;
        self.batch.join(batch);
        self.outcome.spans += outcome.spans;
        self.outcome.kept += outcome.kept;
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
    empties: ToolRules<EmptyDeclaration>,
    conversation_attributes: Vec<String>,
    /// None where downstream attempts are not kept.
    senders: Option<Senders>,
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

    /// Reads an `ExportTraceServiceRequest`. Computes only: neither waits nor keeps anything.
    pub fn read(&self, request: &[u8], format: Format) -> Result<Reading, IngestError> {
        let now = self.clock.now();
        let mut collector = Collector {
            context: ReduceContext {
                now,
                secret: &self.secret,
                limits: &self.limits,
                paging: &self.paging,
                empties: &self.empties,
                conversation_attributes: &self.conversation_attributes,
            },
            senders: self.senders.as_ref(),
            allowance: Allowance::Some(0),
            sightings: Vec::new(),
            attempts: Vec::new(),
            counts: BTreeMap::new(),
            current: (Name::cut(""), ArrivalCounts::default()),
            sources: Sources::default(),
            source: (SourceKey::new("", "", RecordKind::Span), SourceCounts::default()),
            spans: 0,
            first_refusal: None,
        };
        walk(request, format, &mut collector)?;
        collector.finish(now)
    }

    /// Commits what was read; resolves when it is on disk.
    pub async fn commit(&self, reading: Reading) -> Result<Outcome, IngestError> {
        let committed = self.commit.commit(reading.batch).await?;
        let mut outcome = reading.outcome;
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
    senders: Option<&'c Senders>,
    /// How many more attempts are kept of the resource that is being read.
    allowance: Allowance,
    sightings: Vec<Sighting>,
    attempts: Vec<Attempt>,
    counts: BTreeMap<Name, ArrivalCounts>,
    /// The counts of the resource that is being read; moved into `counts` when the next begins.
    current: (Name, ArrivalCounts),
    sources: Sources,
    /// The counts of the scope that is being read; moved into `sources` when the next begins.
    source: (SourceKey, SourceCounts),
    spans: u64,
    first_refusal: Option<Refusal>,
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
        if let Some(senders) = self.senders.filter(|_| counts.spans > 0) {
            senders.note(&name, self.allowance);
        }
        if counts != ArrivalCounts::default() {
            self.counts.entry(name).or_default().merge(&counts);
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
        if self.attempts.len() >= MAX_ATTEMPTS {
            tracing::warn!("a request holds more client spans than are kept; the rest is left out");
        }
        let refused = self.counts.values().map(|counts| counts.refused.total()).sum();
        let outcome = Outcome {
            spans: self.spans,
            kept: kept as u64,
            refused: self.first_refusal.map(|reason| (refused, reason)),
        };
        let batch = Batch {
            received,
            sightings: self.sightings,
            attempts: self.attempts,
            counts: self.counts,
            sources: self.sources,
            imported: Vec::new(),
        };
        Ok(Reading { batch, outcome })
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

    fn resource(&mut self, service_name: &str, spans: u64) {
        self.close_resource();
        self.current = (Name::cut(service_name), ArrivalCounts { spans, ..Default::default() });
        self.spans += spans;
        self.allowance = match self.senders {
            Some(senders) => senders.allowance(&self.current.0),
            None => Allowance::Some(0),
        };
    }

    fn wants_children(&self) -> bool {
        self.allowance != Allowance::Some(0)
    }

    fn is_child_key(&self, key: &[u8]) -> bool {
        is_downstream_key(key)
    }

    fn child(&mut self, span: &SpanView<'_>) {
        if self.attempts.len() >= MAX_ATTEMPTS || !self.wants_children() {
            return;
        }
        let emitter = Some(&self.current.0).filter(|name| !name.as_str().is_empty());
        if let Some(attempt) = attempt(span, emitter, &self.context)
            && self.allowance.take()
        {
            self.attempts.push(attempt);
        }
    }

    fn scope(&mut self, name: &str, spans: u64) {
        self.close_scope();
        let emitter = self.current.0.clone();
        let key = SourceKey { emitter, scope: Name::cut(name), kind: RecordKind::Span };
        self.source = (key, SourceCounts { seen: spans, ..SourceCounts::default() });
    }

    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        let (counts, source) = (&mut self.current.1, &mut self.source.1);
        let recognised = match recognise(span, scope, resource) {
            Recognition::Call(recognised) => recognised,
            Recognition::NotACall(reason) => {
                let reason = Name::cut(reason.word());
                *source.not_calls.entry(reason.clone()).or_default() += 1;
                *counts.not_calls.entry(reason).or_default() += 1;
                return;
            }
            // What was read whole for nothing may still be below a call.
            Recognition::Ordinary => return self.child(span),
        };
        match reduce(&recognised, span, scope, resource, &self.context) {
            Ok(Reduced { sighting, repairs }) => {
                *counts.kept.entry(sighting.dialect.clone()).or_default() += 1;
                *source.kept.entry(sighting.dialect.clone()).or_default() += 1;
                if self.senders.is_some() {
                    self.allowance = Allowance::All;
                }
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
}
