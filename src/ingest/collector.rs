//! What a request leaves behind, collected as it is walked.

use std::collections::BTreeMap;

use super::senders::{Allowance, Senders};
use super::{IngestError, MAX_ATTEMPTS, MAX_CALLS, Outcome, Reading};
use crate::call::{Attempt, Name, Sighting, UnixNanos};
use crate::figures::arrival::Refusal;
use crate::figures::{ArrivalCounts, RecordKind, SourceCounts, SourceKey, Sources};
use crate::otlp::{LogView, LogVisitor, Outline, ResourceView, ScopeView, Sent, SpanView, Visitor};
use crate::recognise::{
    Recognition, as_span, is_deciding_event, is_deciding_key, is_deciding_name, is_deciding_text,
    is_downstream_key, recognise, recognise_log,
};
use crate::reduce::{NameCache, ReduceContext, Reduced, attempt, reduce};
use crate::store::Batch;

/// Collects what a request leaves behind.
#[derive(Debug)]
pub struct Collector<'c> {
    context: ReduceContext<'c>,
    senders: Option<&'c Senders>,
    /// How many more attempts are kept of the resource that is being read.
    allowance: Allowance,
    sightings: Vec<Sighting>,
    attempts: Vec<Attempt>,
    /// Dependencies' names.
    names: NameCache,
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

impl<'c> Collector<'c> {
    pub(super) fn new(
        context: ReduceContext<'c>,
        senders: Option<&'c Senders>,
        is_of: Sent,
    ) -> Self {
        Self {
            context,
            senders,
            allowance: Allowance::Some(0),
            sightings: Vec::new(),
            attempts: Vec::new(),
            names: NameCache::default(),
            counts: BTreeMap::new(),
            current: (Name::cut(""), ArrivalCounts::default()),
            sources: Sources::default(),
            source: (SourceKey::new("", "", RecordKind::Span), SourceCounts::default()),
            is_of,
            items: 0,
            first_refusal: None,
            holds_nothing_known: false,
        }
    }

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

    pub(super) fn finish(mut self, received: UnixNanos) -> Result<Reading, IngestError> {
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
            sent: self.is_of,
            items: self.items,
            kept: kept as u64,
            refused: self.first_refusal.map(|reason| (refused, reason)),
            duplicates: 0,
        };
        let batch = Batch {
            received,
            sightings: self.sightings,
            attempts: self.attempts,
            counts: self.counts,
            sources: self.sources,
            imported: Vec::new(),
        };
        Ok(Reading { batch, outcome, holds_nothing_known: self.holds_nothing_known })
    }
}

impl Outline for Collector<'_> {
    fn nothing_known(&mut self) {
        self.holds_nothing_known = true;
    }

    fn resource(&mut self, service_name: &str, items: u64) {
        self.close_resource();
        self.items += items;
        let name = Name::cut(service_name);
        let counts = match self.is_of {
            Sent::Spans => ArrivalCounts { spans: items, ..ArrivalCounts::default() },
            Sent::Logs => ArrivalCounts { log_records: items, ..ArrivalCounts::default() },
        };
        // Nothing lies below a log record.
        self.allowance = match (self.is_of, self.senders) {
            (Sent::Spans, Some(senders)) => senders.allowance(&name),
            _ => Allowance::Some(0),
        };
        self.current = (name, counts);
    }

    fn scope(&mut self, name: &str, items: u64) {
        self.close_scope();
        let kind = match self.is_of {
            Sent::Spans => RecordKind::Span,
            Sent::Logs => RecordKind::Log,
        };
        let key = SourceKey { emitter: self.current.0.clone(), scope: Name::cut(name), kind };
        self.source = (key, SourceCounts { seen: items, ..SourceCounts::default() });
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
        if let Some(attempt) = attempt(span, emitter, &mut self.names, &self.context)
            && self.allowance.take()
        {
            self.attempts.push(attempt);
        }
    }

    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        self.take(recognise(span, scope, resource), span, scope, resource);
    }
}

impl LogVisitor for Collector<'_> {
    fn is_deciding_event(&self, name: &[u8]) -> bool {
        is_deciding_event(name)
    }

    fn log(&mut self, log: LogView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        let log = as_span(log);
        self.take(recognise_log(&log, scope, resource), &log, scope, resource);
    }
}
