//! Any figures at all, for property tests.

use proptest::option;
use proptest::prelude::*;

use super::counts::Word;
use super::{
    ArrivalCounts, Counts, DayFigures, Dependency, DependencyCounts, Figures, Histogram, PairKey,
    QualityCounts, RecoveryFigures, RewordedCount, SessionCounts,
};
use crate::call::arbitrary::{name, word};
use crate::call::{AttemptKind, ClientName, Day, ToolKey};

/// Any count that a store keeps exactly.
pub(crate) fn count() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..20, 0..=i64::MAX.unsigned_abs()]
}

/// Any counts of a closed set of words.
pub(crate) fn counts<W: Word + std::fmt::Debug>(
    times: impl Strategy<Value = u64>,
) -> impl Strategy<Value = Counts<W>> {
    prop::collection::vec(times, W::VALUES.len()).prop_map(|times| {
        let mut counts = Counts::default();
        for (word, times) in W::VALUES.iter().zip(times) {
            counts.add(*word, times);
        }
        counts
    })
}

/// Any histogram.
pub(crate) fn histogram() -> impl Strategy<Value = Histogram> {
    let buckets = prop::collection::btree_map(-1_i32..2048, 1_u64..9, 0..6);
    (count(), buckets).prop_map(|(zeros, buckets)| {
        let mut histogram = Histogram::default();
        histogram.add_zeros(zeros);
        for (bucket, times) in buckets {
            histogram.add(bucket, times);
        }
        histogram
    })
}

fn tool() -> impl Strategy<Value = ToolKey> {
    (name(), name()).prop_map(|(service, tool)| ToolKey { service, tool })
}

fn client() -> impl Strategy<Value = ClientName> {
    name().prop_map(ClientName::new)
}

/// Any figures of recovery.
fn recovery() -> impl Strategy<Value = RecoveryFigures> {
    let words = (counts(count()), counts(count()), counts(count()), counts(count()));
    let counts_of =
        prop::array::uniform4(count()).prop_map(|[attempts, failed, timed_out, nanos]| {
            DependencyCounts { attempts, failed, timed_out, nanos }
        });
    let dependency =
        (word(AttemptKind::ALL), name()).prop_map(|(kind, name)| Dependency { kind, name });
    let dependencies = prop::collection::btree_map(dependency, counts_of, 0..3);
    let status_tool = option::of(name());
    (prop::collection::vec(count(), 18), words, dependencies, status_tool).prop_map(
        |(numbers, words, dependencies, status_tool)| {
            let mut numbers = numbers.into_iter();
            let mut next = || numbers.next().unwrap();
            RecoveryFigures {
                kind_known: next(),
                timeouts_by_stage: words.0,
                timeout_fate: words.1,
                uncertain: next(),
                followed: words.2,
                status_tool,
                status_checked: next(),
                never_checked: next(),
                unsafe_replays: next(),
                keyed: next(),
                key_status_known: next(),
                duplicate_key_hits: next(),
                key_conflicts: next(),
                possible_double_writes: next(),
                attempts_known: next(),
                attempts: next(),
                writes: next(),
                business_outcome_known: next(),
                unknown_outcomes: next(),
                unknown_resolved: next(),
                budgeted: next(),
                budget_ms: next(),
                spent_ms: words.3,
                dependencies,
            }
        },
    )
}

/// Any figures, whether they add up or not.
pub(crate) fn figures() -> impl Strategy<Value = Figures> {
    let words = (counts(count()), counts(count()), counts(count()), counts(count()));
    let reworded = (name(), count(), count())
        .prop_map(|(name, retries, sessions)| (name, RewordedCount { retries, sessions }));
    let reworded = prop::collection::vec(reworded, 0..3);
    let histograms = (histogram(), histogram());
    (prop::collection::vec(count(), 23), words, histograms, reworded, recovery()).prop_map(
        |(numbers, words, histograms, reworded, recovery)| {
            let mut numbers = numbers.into_iter();
            let mut next = || numbers.next().unwrap();
            Figures {
                calls: next(),
                sessions: next(),
                grades: words.0,
                judged: next(),
                unjudged: words.1,
                outcomes: words.2,
                ok_low_confidence: next(),
                sampled: next(),
                unknown_tool_calls: next(),
                empty: next(),
                emptiness_known: next(),
                empty_accepted: next(),
                empty_reworded: next(),
                retried: next(),
                retry_classes: words.3,
                unclassified: next(),
                repeats: next(),
                first_call_successes: next(),
                confirmed_first_call_successes: next(),
                retry_chains: next(),
                usable_chains: next(),
                extra_attempts: next(),
                abandoned_chains: next(),
                last_word_failed: next(),
                last_words: next(),
                latency: histograms.0,
                result_sizes: histograms.1,
                result_bytes: next(),
                reworded: reworded.into_iter().collect(),
                reworded_known: next(),
                recovery,
            }
        },
    )
}

/// Any figures of one day.
pub(crate) fn day_figures(day: Day) -> impl Strategy<Value = DayFigures> {
    let sessions =
        (counts(count()), count(), count()).prop_map(|(sessions, single_call, shared)| {
            SessionCounts { sessions, single_call, shared }
        });
    let pair = (tool(), tool()).prop_map(|(first, next)| PairKey { first, next });
    let quality = prop::array::uniform6(count()).prop_map(
        |[sightings, duplicates, folded, late, sampled, unnamed]| QualityCounts {
            sightings,
            duplicates,
            folded,
            late,
            sampled,
            unnamed,
        },
    );
    (
        prop::collection::btree_map((tool(), client()), figures(), 0..4),
        prop::collection::btree_map(client(), count(), 0..3),
        prop::collection::btree_map(pair, count(), 0..3),
        prop::collection::btree_map(client(), sessions, 0..3),
        quality,
    )
        .prop_map(move |(tools, unknown_tool_calls, pairs, sessions, quality)| DayFigures {
            day,
            tools,
            unknown_tool_calls,
            pairs,
            sessions,
            quality,
        })
}

/// Any arrival counts that can be added up a few times.
pub(crate) fn arrival_counts() -> impl Strategy<Value = ArrivalCounts> {
    let named = || prop::collection::btree_map(name(), 1_u64..1000, 0..3);
    let totals = (0_u64..1000, 0_u64..1000, 0_u64..1000);
    (totals, named(), named(), counts(0_u64..1000), counts(0_u64..1000)).prop_map(
        |((requests, spans, log_records), kept, not_calls, refused, repaired)| ArrivalCounts {
            requests,
            spans,
            log_records,
            kept,
            not_calls,
            refused,
            repaired,
        },
    )
}
