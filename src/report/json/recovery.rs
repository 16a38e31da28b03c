//! The figures of METHOD section 11: each is null, with its reason, until its carrier is there.

use std::collections::BTreeMap;

use serde::Serialize;

use super::document::Words;
use super::{six_decimals, three_decimals, words};
use crate::figures::rate::as_float;
use crate::figures::{Dependency, DependencyCounts, Figures};

#[derive(Serialize)]
pub(super) struct RecoveryOut<'f> {
    timeouts_by_stage: Option<Words>,
    timeout_fate: Option<Words>,
    /// Timed-out and unknown calls within sessions, and what followed them.
    uncertain: u64,
    followed: Option<Words>,
    status_tool: Option<&'f str>,
    status_checked: Option<u64>,
    never_checked: Option<u64>,
    unsafe_replays: Option<u64>,
    keyed_calls: u64,
    duplicate_key_hits: Option<u64>,
    key_conflicts: Option<u64>,
    possible_double_writes: Option<u64>,
    amplification: Option<f64>,
    attempts_per_call: Option<f64>,
    writes: u64,
    unknown_outcomes: Option<u64>,
    unknown_resolved: Option<u64>,
    budget: Option<BudgetOut>,
    dependencies: Vec<DependencyOut<'f>>,
    not_instrumented: BTreeMap<&'static str, &'static str>,
}

/// The time that calls were given, and how they spent it, in milliseconds.
#[derive(Serialize)]
struct BudgetOut {
    calls: u64,
    total_ms: u64,
    spent_ms: Words,
}

#[derive(Serialize)]
struct DependencyOut<'f> {
    kind: &'static str,
    dependency: &'f str,
    attempts: u64,
    failed: u64,
    timed_out: u64,
    mean_ms: Option<f64>,
}

impl<'f> RecoveryOut<'f> {
    pub(super) fn of(figures: &'f Figures) -> Self {
        let (recovery, known) = (&figures.recovery, figures.known_recovery());
        let stages = known.timeouts_by_stage.as_ref().map(|(stages, untold)| {
            let mut stages = words(stages);
            stages.insert("untold", *untold);
            stages
        });
        let missing = figures.missing_recovery().into_iter();
        Self {
            timeouts_by_stage: stages,
            timeout_fate: known.timeout_fate.as_ref().map(words),
            uncertain: recovery.uncertain,
            followed: known.followed.as_ref().map(words),
            status_tool: recovery.status_tool.as_ref().map(crate::call::Name::as_str),
            status_checked: known.status_checked,
            never_checked: known.never_checked,
            unsafe_replays: known.unsafe_replays,
            keyed_calls: recovery.keyed,
            duplicate_key_hits: known.duplicate_key_hits,
            key_conflicts: known.key_conflicts,
            possible_double_writes: known.possible_double_writes,
            amplification: known.amplification.map(six_decimals),
            attempts_per_call: recovery.attempts_per_call().map(six_decimals),
            writes: recovery.writes,
            unknown_outcomes: known.unknown_outcomes,
            unknown_resolved: known.unknown_resolved,
            budget: (recovery.budgeted > 0).then(|| BudgetOut {
                calls: recovery.budgeted,
                total_ms: recovery.budget_ms,
                spent_ms: words(&recovery.spent_ms),
            }),
            dependencies: recovery.dependencies.iter().map(dependency).collect(),
            not_instrumented: missing.map(|gone| (gone.figure, gone.reason)).collect(),
        }
    }
}

fn dependency<'f>(
    (dependency, counts): (&'f Dependency, &'f DependencyCounts),
) -> DependencyOut<'f> {
    DependencyOut {
        kind: dependency.kind.word(),
        dependency: dependency.name.as_str(),
        attempts: counts.attempts,
        failed: counts.failed,
        timed_out: counts.timed_out,
        mean_ms: counts.mean().map(|mean| three_decimals(as_float(mean.as_nanos()) / 1e6)),
    }
}
