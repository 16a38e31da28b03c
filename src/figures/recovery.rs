//! Recovery of uncertain calls: what was counted (METHOD section 11).
//!
//! A call is *uncertain* when it timed out, or when its business outcome is unknown, and it is in
//! a session, where what follows can be seen. Each figure stands on a carrier, which has a count
//! of its own: where that is zero the figure is not zero but not known.

use std::collections::BTreeMap;

use super::counts::{Counts, word};
use super::rate::as_float;
use super::tool_client::Figures;
use crate::call::outcome::words;
use crate::call::{AttemptKind, CallDuration, Name, Stage};

words! {
    /// What became of a call that its caller no longer waited for.
    TimeoutFate {
        /// The server answered; the answer was lost.
        AnswerLost = "answer_lost",
        /// The server failed.
        Failed = "failed",
        /// The server was not seen: it never arrived, or nobody knows.
        Unknown = "unknown",
    }
}

words! {
    /// What followed an uncertain call within ten minutes. First match wins, in this order.
    Followed {
        /// A non-idempotent write was sent again before anyone asked for its status.
        ReplayedUnsafely = "replayed_unsafely",
        /// Its status was asked for and is known.
        CheckedKnown = "checked_known",
        /// Its status was asked for and is still not known.
        CheckedUnknown = "checked_unknown",
        /// It was sent again, and doing it twice does no more than doing it once.
        ReplayedSafely = "replayed_safely",
        /// It was sent again, and whether that is safe is not told.
        ReplayedUntold = "replayed_untold",
        /// Nothing of the kind.
        GivenUp = "given_up",
    }
}
word!(TimeoutFate, Followed, Stage);

/// What was counted. Every field can be added up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecoveryFigures {
    /// Calls whose operation kind is known.
    pub kind_known: u64,
    /// Timed-out calls by the stage that they tell.
    pub timeouts_by_stage: Counts<Stage>,
    /// Calls that their caller no longer waited for, by what became of them.
    pub timeout_fate: Counts<TimeoutFate>,
    /// Uncertain calls.
    pub uncertain: u64,
    /// Those by what followed; they add up to `uncertain`.
    pub followed: Counts<Followed>,
    /// The tool of the same service that tells what became of these calls, where one is known
    /// and there are uncertain ones; of several the first by name.
    pub status_tool: Option<Name>,
    /// Uncertain calls whose status tool answered within ten minutes.
    pub status_checked: u64,
    /// Uncertain calls whose status tool is known and did not.
    pub never_checked: u64,
    /// Uncertain non-idempotent writes that were sent again before any status check.
    pub unsafe_replays: u64,
    /// Calls with an idempotency key.
    pub keyed: u64,
    /// Those of which the server tells what it made of the key.
    pub key_status_known: u64,
    /// Those that it answered from the first result.
    pub duplicate_key_hits: u64,
    /// Calls whose key had come with other arguments.
    pub key_conflicts: u64,
    /// Non-idempotent writes without a key that were done twice within ten minutes.
    pub possible_double_writes: u64,
    /// Calls of which downstream attempts are known.
    pub attempts_known: u64,
    /// Those attempts: of what was tried most often, how often.
    pub attempts: u64,
    /// Calls of writes, idempotent or not.
    pub writes: u64,
    /// Those that tell their business outcome.
    pub business_outcome_known: u64,
    /// Those of them whose business outcome is unknown.
    pub unknown_outcomes: u64,
    /// Those of them that were resolved within ten minutes.
    pub unknown_resolved: u64,
    /// Calls that tell the time that they were given and how long they waited in a queue.
    pub budgeted: u64,
    /// The time that those were given, in milliseconds.
    pub budget_ms: u64,
    /// How those spent it, in milliseconds.
    pub spent_ms: Counts<Stage>,
    /// Downstream attempts by what was asked.
    pub dependencies: BTreeMap<Dependency, DependencyCounts>,
}

/// What a tool depends on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dependency {
    /// Of what kind it is.
    pub kind: AttemptKind,
    /// Its name.
    pub name: Name,
}

/// Attempts at one dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DependencyCounts {
    /// Client spans.
    pub attempts: u64,
    /// Those that failed, timed-out ones not among them.
    pub failed: u64,
    /// Those that timed out.
    pub timed_out: u64,
    /// How long they took together, in nanoseconds.
    pub nanos: u64,
}

impl DependencyCounts {
    /// Adds another's counts.
    pub const fn merge(&mut self, other: &Self) {
        self.attempts = self.attempts.saturating_add(other.attempts);
        self.failed = self.failed.saturating_add(other.failed);
        self.timed_out = self.timed_out.saturating_add(other.timed_out);
        self.nanos = self.nanos.saturating_add(other.nanos);
    }

    /// How long one took on average.
    pub const fn mean(&self) -> Option<CallDuration> {
        match self.nanos.checked_div(self.attempts) {
            Some(nanos) => Some(CallDuration::from_nanos(nanos)),
            None => None,
        }
    }
}

impl RecoveryFigures {
    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.kind_known += other.kind_known;
        self.timeouts_by_stage.merge(&other.timeouts_by_stage);
        self.timeout_fate.merge(&other.timeout_fate);
        self.uncertain += other.uncertain;
        self.followed.merge(&other.followed);
        if let Some(theirs) = &other.status_tool
            && self.status_tool.as_ref().is_none_or(|mine| theirs < mine)
        {
            self.status_tool = Some(theirs.clone());
        }
        self.status_checked += other.status_checked;
        self.never_checked += other.never_checked;
        self.unsafe_replays += other.unsafe_replays;
        self.keyed += other.keyed;
        self.key_status_known += other.key_status_known;
        self.duplicate_key_hits += other.duplicate_key_hits;
        self.key_conflicts += other.key_conflicts;
        self.possible_double_writes += other.possible_double_writes;
        self.attempts_known += other.attempts_known;
        self.attempts = self.attempts.saturating_add(other.attempts);
        self.writes += other.writes;
        self.business_outcome_known += other.business_outcome_known;
        self.unknown_outcomes += other.unknown_outcomes;
        self.unknown_resolved += other.unknown_resolved;
        self.budgeted += other.budgeted;
        self.budget_ms = self.budget_ms.saturating_add(other.budget_ms);
        self.spent_ms.merge(&other.spent_ms);
        for (dependency, counts) in &other.dependencies {
            self.dependencies.entry(dependency.clone()).or_default().merge(counts);
        }
    }

    /// Whether nothing was counted at all.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Downstream attempts per call; none where none are known.
    pub fn attempts_per_call(&self) -> Option<f64> {
        (self.attempts_known > 0).then(|| as_float(self.attempts) / as_float(self.attempts_known))
    }
}

impl Figures {
    /// Retry amplification: downstream attempts per call, times the calls that a retry chain takes
    /// (1 and its mean extra attempts); none where no attempt is known.
    pub fn amplification(&self) -> Option<f64> {
        let per_call = self.recovery.attempts_per_call()?;
        Some(per_call * (1.0 + self.extra_attempts_mean().unwrap_or(0.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_multiply_with_the_calls_of_a_chain() {
        let mut figures = Figures::default();
        assert_eq!(figures.amplification(), None);
        figures.recovery.attempts_known = 10;
        figures.recovery.attempts = 20;
        assert_eq!(figures.amplification(), Some(2.0));
        // Two chains of three calls each on the way to a usable answer.
        figures.usable_chains = 2;
        figures.extra_attempts = 4;
        assert_eq!(figures.amplification(), Some(6.0));
    }

    #[test]
    fn counts_by_dependency_add_up() {
        let dependency = Dependency { kind: AttemptKind::Http, name: Name::cut("ledger") };
        let counts = DependencyCounts { attempts: 2, failed: 1, timed_out: 0, nanos: 10 };
        let mut one = RecoveryFigures::default();
        one.dependencies.insert(dependency.clone(), counts);
        let mut both = one.clone();
        both.merge(&one);
        let sum = both.dependencies[&dependency];
        assert_eq!((sum.attempts, sum.failed, sum.nanos), (4, 2, 20));
        assert_eq!(sum.mean(), Some(CallDuration::from_nanos(5)));
        assert!(!both.is_nothing());
    }
}
