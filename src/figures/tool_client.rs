//! The figures of one tool with one client on one day, and everything merged from them.

use std::collections::BTreeMap;

use super::counts::{Counts, RetryClass, UnjudgedReason};
use super::histogram::Histogram;
use super::rate::{Rate, as_float};
use super::recovery::RecoveryFigures;
use crate::call::{Name, Outcome, SessionGrade};

/// What was counted (METHOD sections 4 to 9; names as section 13). Every field can be added up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Figures {
    /// Calls, unknown tools not among them.
    pub calls: u64,
    /// Sessions in which it was called; one that reaches over midnight counts once per day. Where
    /// several tools are added up, a session counts once per tool that it called.
    pub sessions: u64,
    /// Calls by how well their session is known.
    pub grades: Counts<SessionGrade>,
    /// Calls that were judged.
    pub judged: u64,
    /// Calls that were not, by reason; `judged` and these add up to `calls`.
    pub unjudged: Counts<UnjudgedReason>,
    /// Calls by how they ended.
    pub outcomes: Counts<Outcome>,
    /// Calls that ended well by an instrumentation known to hide failures.
    pub ok_low_confidence: u64,
    /// Calls that a sampling mark says others are missing beside.
    pub sampled: u64,
    /// Calls that asked for a tool that is not there; counted per client, not among `calls`.
    pub unknown_tool_calls: u64,
    /// Ok calls whose answer held nothing.
    pub empty: u64,
    /// Ok calls whose emptiness is known.
    pub emptiness_known: u64,
    /// Empty answers that were the session's last call of the tool.
    pub empty_accepted: u64,
    /// Empty answers that were reworded: retried, and the retry is no look-alike.
    pub empty_reworded: u64,
    /// Calls that were retried by `window-30s`, judged ones and others.
    pub retried: u64,
    /// Those retries by class; they add up to `retried`.
    pub retry_classes: Counts<RetryClass>,
    /// Confirmed retries whose `paging` or `sweep` could not be tested for want of arguments.
    pub unclassified: u64,
    /// Calls that an earlier one within the window had with the same arguments.
    pub repeats: u64,
    /// Judged calls: ok, not empty, not retried.
    pub first_call_successes: u64,
    /// Judged calls: ok, not empty, not a confirmed retry.
    pub confirmed_first_call_successes: u64,
    /// Chains with two or more distinct hashes, look-alike-only ones left out.
    pub retry_chains: u64,
    /// Retry chains whose last call is usable.
    pub usable_chains: u64,
    /// Extra attempts, summed over the usable retry chains.
    pub extra_attempts: u64,
    /// Retry chains whose last call is not usable.
    pub abandoned_chains: u64,
    /// Sessions whose last call of any tool was of this one (METHOD section 9, last word).
    pub last_words: u64,
    /// Those of them whose last call failed or was empty.
    pub last_word_failed: u64,
    /// Latency in nanoseconds.
    pub latency: Histogram,
    /// Result sizes in bytes, where known.
    pub result_sizes: Histogram,
    /// The sum of those sizes.
    pub result_bytes: u64,
    /// In how many confirmed retries each top-level parameter was changed, added or removed.
    pub reworded: BTreeMap<Name, RewordedCount>,
    /// Confirmed retries in which parameters could be compared.
    pub reworded_known: u64,
    /// Recovery of uncertain calls (METHOD section 11).
    pub recovery: RecoveryFigures,
}

/// How often one parameter was reworded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RewordedCount {
    /// Confirmed retries in which it was changed, added or removed.
    pub retries: u64,
    /// Sessions in which it was seen; a name is shown from five on (METHOD section 3). Where
    /// several tools are added up, a session counts once per tool that it called.
    pub sessions: u64,
}

impl Figures {
    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.calls += other.calls;
        self.sessions += other.sessions;
        self.grades.merge(&other.grades);
        self.judged += other.judged;
        self.unjudged.merge(&other.unjudged);
        self.outcomes.merge(&other.outcomes);
        self.ok_low_confidence += other.ok_low_confidence;
        self.sampled += other.sampled;
        self.unknown_tool_calls += other.unknown_tool_calls;
        self.empty += other.empty;
        self.emptiness_known += other.emptiness_known;
        self.empty_accepted += other.empty_accepted;
        self.empty_reworded += other.empty_reworded;
        self.retried += other.retried;
        self.retry_classes.merge(&other.retry_classes);
        self.unclassified += other.unclassified;
        self.repeats += other.repeats;
        self.first_call_successes += other.first_call_successes;
        self.confirmed_first_call_successes += other.confirmed_first_call_successes;
        self.retry_chains += other.retry_chains;
        self.usable_chains += other.usable_chains;
        self.extra_attempts += other.extra_attempts;
        self.abandoned_chains += other.abandoned_chains;
        self.last_word_failed += other.last_word_failed;
        self.last_words += other.last_words;
        self.latency.merge(&other.latency);
        self.result_sizes.merge(&other.result_sizes);
        self.result_bytes += other.result_bytes;
        for (name, count) in &other.reworded {
            let mine = self.reworded.entry(name.clone()).or_default();
            mine.retries += count.retries;
            mine.sessions += count.sessions;
        }
        self.reworded_known += other.reworded_known;
        self.recovery.merge(&other.recovery);
    }

    /// First-call success; none where no call was judged.
    pub fn first_call_success(&self) -> Option<Rate> {
        Rate::of(self.first_call_successes, self.judged)
    }

    /// Confirmed first-call success; none where no call was judged.
    pub fn confirmed_first_call_success(&self) -> Option<Rate> {
        Rate::of(self.confirmed_first_call_successes, self.judged)
    }

    /// Retries that look like rewordings and are not.
    pub fn look_alikes(&self) -> u64 {
        self.retry_classes.iter().filter(|(class, _)| class.is_look_alike()).map(|(_, n)| n).sum()
    }

    /// Retries that are no look-alikes.
    pub fn confirmed_retries(&self) -> u64 {
        self.retry_classes.total() - self.look_alikes()
    }

    /// Mean extra attempts over retry chains that ended usable; none where there are none.
    pub fn extra_attempts_mean(&self) -> Option<f64> {
        (self.usable_chains > 0)
            .then(|| as_float(self.extra_attempts) / as_float(self.usable_chains))
    }

    /// The mean size of a result in bytes; none where no size is known.
    pub fn result_bytes_mean(&self) -> Option<f64> {
        let known = self.result_sizes.total();
        (known > 0).then(|| as_float(self.result_bytes) / as_float(known))
    }

    /// Whether there are too few judged calls for a verdict.
    pub const fn few_calls(&self) -> bool {
        self.judged < super::rate::FEW_CALLS
    }
}
