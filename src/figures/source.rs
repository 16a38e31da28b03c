//! Who sends what: records by the program that sent them and the instrumentation that made them.
//! What `firstcall doctor` tells of what is not kept rests on these counts; names are the only
//! texts in them.

use std::collections::BTreeMap;

use super::arrival::Refusal;
use super::counts::Counts;
use crate::call::Name;
use crate::call::outcome::words;

words! {
    /// What kind of telemetry a record is.
    RecordKind {
        /// A span.
        Span = "span",
        /// A log record.
        Log = "log",
        /// A request of metrics, which are taken and dropped unread.
        Metric = "metric",
    }
}

/// Where records come from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceKey {
    /// The resource's `service.name`; empty where it is not told.
    pub emitter: Name,
    /// The instrumentation scope's name; empty where it is not told.
    pub scope: Name,
    /// What kind of records.
    pub kind: RecordKind,
}

impl SourceKey {
    /// The source of records of `kind` that `scope` made in `emitter`.
    pub fn new(emitter: &str, scope: &str, kind: RecordKind) -> Self {
        Self { emitter: Name::cut(emitter), scope: Name::cut(scope), kind }
    }
}

/// Records of one source by what became of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceCounts {
    /// Records that arrived.
    pub seen: u64,
    /// Tool calls that were kept, by dialect.
    pub kept: BTreeMap<Name, u64>,
    /// Records that look like a tool call and are none, by the reason's stable word.
    pub not_calls: BTreeMap<Name, u64>,
    /// Tool calls that could not be kept.
    pub refused: Counts<Refusal>,
}

impl SourceCounts {
    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.seen = self.seen.saturating_add(other.seen);
        for (to, from) in [(&mut self.kept, &other.kept), (&mut self.not_calls, &other.not_calls)] {
            for (name, times) in from {
                let to = to.entry(name.clone()).or_default();
                *to = to.saturating_add(*times);
            }
        }
        self.refused.merge(&other.refused);
    }

    /// Tool calls that were kept, of every dialect.
    pub fn calls(&self) -> u64 {
        self.kept.values().fold(0, |sum, times| sum.saturating_add(*times))
    }
}

/// Counts of many sources, bounded however many there are: those beyond
/// [`Sources::MAX`] are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sources {
    named: BTreeMap<SourceKey, SourceCounts>,
    others: SourceCounts,
}

impl Sources {
    /// Sources that are told apart.
    pub const MAX: usize = 1000;

    /// The counts of `key`.
    pub fn of(&mut self, key: SourceKey) -> &mut SourceCounts {
        if self.named.len() >= Self::MAX && !self.named.contains_key(&key) {
            return &mut self.others;
        }
        self.named.entry(key).or_default()
    }

    /// The counts of all sources that are not told apart.
    pub const fn others(&mut self) -> &mut SourceCounts {
        &mut self.others
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        for (key, counts) in &other.named {
            self.of(key.clone()).merge(counts);
        }
        self.others.merge(&other.others);
    }

    /// Every source with its counts, in order; without a key those that are not told apart.
    pub fn iter(&self) -> impl Iterator<Item = (Option<&SourceKey>, &SourceCounts)> {
        let named = self.named.iter().map(|(key, counts)| (Some(key), counts));
        let others = (self.others != SourceCounts::default()).then_some((None, &self.others));
        named.chain(others)
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Takes back one tool call of `dialect` that turned out not to be kept, and counts it as
    /// refused.
    pub fn refuse_kept(&mut self, emitter: &Name, scope: &Name, dialect: &Name, why: Refusal) {
        let of_kinds = RecordKind::ALL.iter().map(|kind| SourceKey {
            emitter: emitter.clone(),
            scope: scope.clone(),
            kind: *kind,
        });
        let holds = |counts: &SourceCounts| counts.kept.get(dialect).is_some_and(|kept| *kept > 0);
        let key = of_kinds.into_iter().find(|key| self.named.get(key).is_some_and(holds));
        let counts = match key {
            Some(key) => self.of(key),
            None => &mut self.others,
        };
        if let Some(kept) = counts.kept.get_mut(dialect).filter(|kept| **kept > 0) {
            *kept -= 1;
            counts.refused.add(why, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> SourceKey {
        SourceKey::new(&format!("service {number}"), "scope", RecordKind::Span)
    }

    #[test]
    fn sources_beyond_the_limit_are_counted_together() {
        let mut sources = Sources::default();
        for number in 0..Sources::MAX + 3 {
            sources.of(key(number)).seen += 1;
        }
        sources.of(key(0)).seen += 1;
        assert_eq!(sources.iter().count(), Sources::MAX + 1);
        let seen = |key: Option<SourceKey>| {
            sources.iter().find(|(each, _)| *each == key.as_ref()).unwrap().1.seen
        };
        assert_eq!((seen(Some(key(0))), seen(None)), (2, 3));
        let mut twice = sources.clone();
        twice.merge(&sources);
        assert_eq!(twice.iter().count(), Sources::MAX + 1);
        assert_eq!(twice.others().seen, 6);
    }

    #[test]
    fn a_call_that_was_refused_after_all_is_no_longer_kept() {
        let (emitter, scope, dialect) = (Name::cut("a"), Name::cut("s"), Name::cut("plain"));
        let mut sources = Sources::default();
        let log = SourceKey::new("a", "s", RecordKind::Log);
        sources.of(log.clone()).kept.insert(dialect.clone(), 2);
        sources.refuse_kept(&emitter, &scope, &dialect, Refusal::DayClosed);
        sources.refuse_kept(&emitter, &scope, &Name::cut("other"), Refusal::DayClosed);
        assert_eq!(sources.of(log.clone()).calls(), 1);
        assert_eq!(sources.of(log).refused.get(Refusal::DayClosed), 1);
        assert_eq!(sources.others().refused.total(), 0);
    }
}
