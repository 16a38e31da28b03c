//! Doctor: what has arrived lately, what it lacks, and what would mend it.
//!
//! The store keeps counts of what arrives by hour and source, and the sightings of the calls;
//! both are read beside a running server, and put side by side here. Nothing is written.

mod examine;
mod json;
mod point;
mod remedies;
mod screen;
mod text;

use std::collections::BTreeMap;

use crate::call::{CallDuration, Name, UnixNanos};
use crate::figures::{RecordKind, Refusal, SourceCounts, SourceKey};
use crate::store::{ReceivedRead, Store, StoreError};
pub use examine::DialectCounts;
use examine::{Examined, examine};
pub use json::json;
pub use point::{Point, Shortfall};
pub use remedies::{Remedy, tells_what_mends_hidden_failures};
pub use text::{text, time};

/// What was found.
#[derive(Debug)]
pub struct Diagnosis {
    /// The hours that were asked for.
    pub hours: u32,
    /// From when on; the start of an hour.
    pub since: UnixNanos,
    /// Until when.
    pub until: UnixNanos,
    /// The programs that sent something, those with the most calls first.
    pub services: Vec<ServiceReport>,
    /// What came from sources beyond those that are told apart.
    pub others: SourceCounts,
    /// How many sightings are there, and how many of them were looked at.
    pub examined: ReceivedRead,
    /// A file of sightings that could not be read whole, in words.
    pub damage: Option<String>,
}

/// What one program sent.
#[derive(Debug)]
pub struct ServiceReport {
    /// Its `service.name`; empty where it is not told.
    pub name: Name,
    /// Its instrumentations, those with the most calls first.
    pub sources: Vec<SourceReport>,
}

/// What one instrumentation of a program sent.
#[derive(Debug)]
pub struct SourceReport {
    /// The instrumentation scope's name; empty where it is not told.
    pub scope: Name,
    /// What kind of records.
    pub kind: RecordKind,
    /// Its records by what became of them.
    pub counts: SourceCounts,
    /// Its calls, by dialect.
    pub dialects: Vec<DialectReport>,
}

/// The calls of one dialect in one source.
#[derive(Debug)]
pub struct DialectReport {
    /// The dialect's stable name.
    pub dialect: Name,
    /// What they carry.
    pub counts: DialectCounts,
    /// In what they fall short.
    pub shortfalls: Vec<Shortfall>,
}

impl ServiceReport {
    /// Records that arrived.
    pub fn seen(&self) -> u64 {
        self.sources.iter().map(|source| source.counts.seen).sum()
    }

    /// Calls that were looked at.
    pub fn calls(&self) -> u64 {
        self.sources.iter().map(SourceReport::calls).sum()
    }

    /// Whether any call of it was kept.
    pub fn has_calls(&self) -> bool {
        self.sources.iter().any(SourceReport::has_calls)
    }

    /// Whether nothing but metrics came.
    pub fn has_metrics_only(&self) -> bool {
        self.sources.iter().all(|source| source.kind == RecordKind::Metric)
    }
}

impl SourceReport {
    /// Calls that were looked at.
    pub fn calls(&self) -> u64 {
        self.dialects.iter().map(|dialect| dialect.counts.calls).sum()
    }

    /// Whether any call of it was kept, looked at or not.
    pub fn has_calls(&self) -> bool {
        self.calls() > 0 || self.counts.calls() > 0
    }

    /// Dialects whose calls were kept and could not be looked at, with how many: there were later
    /// ones enough, or their day's sightings are erased.
    pub fn not_looked_at(&self) -> impl Iterator<Item = (&Name, u64)> {
        let is_there = |name: &Name| self.dialects.iter().any(|each| each.dialect == *name);
        let kept = self.counts.kept.iter().filter(move |(name, _)| !is_there(name));
        kept.map(|(name, times)| (name, *times)).filter(|(_, times)| *times > 0)
    }

    /// Records that nothing about looks like a tool call.
    pub fn ordinary(&self) -> u64 {
        let SourceCounts { seen, not_calls, refused, .. } = &self.counts;
        let told = self.counts.calls() + not_calls.values().sum::<u64>() + refused.total();
        seen.saturating_sub(told)
    }
}

impl Diagnosis {
    /// Whether nothing has arrived at all.
    pub fn is_empty(&self) -> bool {
        self.services.is_empty() && self.others == SourceCounts::default()
    }

    /// Calls that could not be kept, of every source.
    pub fn refused(&self) -> crate::figures::Counts<Refusal> {
        let mut refused = self.others.refused.clone();
        let sources = self.services.iter().flat_map(|service| &service.sources);
        sources.for_each(|source| refused.merge(&source.counts.refused));
        refused
    }

    /// What would have been found where nothing is: no data folder, or nothing in it.
    pub fn nothing(hours: u32, now: UnixNanos) -> Self {
        Self {
            hours,
            since: start(hours, now),
            until: now,
            services: Vec::new(),
            others: SourceCounts::default(),
            examined: ReceivedRead::default(),
            damage: None,
        }
    }
}

/// The start of the hour in which the time begins: what arrived is counted by the hour.
fn start(hours: u32, now: UnixNanos) -> UnixNanos {
    let hour = CallDuration::from_secs(3600).as_nanos();
    let since = now.saturating_sub(CallDuration::from_nanos(hour.saturating_mul(hours.into())));
    UnixNanos::new(since.get() / hour * hour)
}

/// What arrived in `store` in the last `hours`.
pub fn diagnose(store: &Store, hours: u32, now: UnixNanos) -> Result<Diagnosis, StoreError> {
    let since = start(hours, now);
    let mut services: BTreeMap<Name, BTreeMap<(Name, RecordKind), SourceReport>> = BTreeMap::new();
    let mut others = SourceCounts::default();
    // Before the sightings: a call that comes in between is then at worst not counted as seen.
    for (key, counts) in store.sources(since)?.iter() {
        match key {
            Some(SourceKey { emitter, scope, kind }) => {
                let sources = services.entry(emitter.clone()).or_default();
                let source = SourceReport {
                    scope: scope.clone(),
                    kind: *kind,
                    counts: counts.clone(),
                    dialects: Vec::new(),
                };
                sources.insert((scope.clone(), *kind), source);
            }
            None => others.merge(counts),
        }
    }
    let Examined { groups, read, damage } = examine(store, since)?;
    for (key, counts) in groups {
        let sources = services.entry(key.emitter).or_default();
        let kind = kind_of(&key.scope, &key.dialect, sources);
        let source = sources.entry((key.scope.clone(), kind)).or_insert_with(|| SourceReport {
            scope: key.scope,
            kind,
            counts: SourceCounts::default(),
            dialects: Vec::new(),
        });
        // The counts of the last seconds are written after the calls.
        source.counts.seen = source.counts.seen.max(counts.calls + counts.duplicates);
        let shortfalls = point::shortfalls(key.dialect.as_str(), &counts);
        source.dialects.push(DialectReport { dialect: key.dialect, counts, shortfalls });
    }
    let mut services: Vec<ServiceReport> = services
        .into_iter()
        .map(|(name, sources)| {
            let mut sources: Vec<_> = sources.into_values().collect();
            sources.sort_by_key(|source| std::cmp::Reverse((source.calls(), source.counts.seen)));
            for source in &mut sources {
                let calls = |each: &DialectReport| std::cmp::Reverse(each.counts.calls);
                source.dialects.sort_by_key(calls);
            }
            ServiceReport { name, sources }
        })
        .collect();
    services.sort_by_key(|service| std::cmp::Reverse((service.calls(), service.seen())));
    let damage = damage.map(|error| error.to_string());
    Ok(Diagnosis { hours, since, until: now, services, others, examined: read, damage })
}

/// The kind of records in which a dialect was seen; spans, where that is not written yet.
fn kind_of(
    scope: &Name,
    dialect: &Name,
    sources: &BTreeMap<(Name, RecordKind), SourceReport>,
) -> RecordKind {
    let kept_it = |kind: &RecordKind| {
        let source = sources.get(&(scope.clone(), *kind));
        source.is_some_and(|source| source.counts.kept.contains_key(dialect))
    };
    RecordKind::ALL.iter().copied().find(kept_it).unwrap_or(RecordKind::Span)
}
