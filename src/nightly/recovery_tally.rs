//! Recovery figures while they are added up (METHOD section 11).

use std::collections::BTreeMap;

use super::call::Call;
use super::names::{NameId, Names};
use super::recovery::Recovered;
use crate::call::{
    AttemptKind, BusinessOutcome, KeyStatus, Name, OperationKind, Outcome, Recovery, Stage,
};
use crate::figures::{Dependency, DependencyCounts, Followed, RecoveryFigures};

/// Dependencies that are told apart per day, tool and client; the rest goes under one name.
const MAX_DEPENDENCIES: usize = 32;
/// The name under which the rest goes.
const OTHERS: &str = "others";

/// What was counted of one tool and client.
#[derive(Debug, Default)]
pub(super) struct RecoveryTally {
    /// All but what has names.
    figures: RecoveryFigures,
    status_tools: Vec<NameId>,
    dependencies: BTreeMap<(AttemptKind, NameId), DependencyCounts>,
}

impl RecoveryTally {
    /// Adds a call and what was found about it; that is none outside of sessions.
    pub(super) fn add(&mut self, call: &Call, recovered: Option<&Recovered>) {
        if let Some(recovery) = &call.recovery {
            self.add_told(call, &recovery.told);
            if let Some(fate) = recovery.fate {
                self.figures.timeout_fate.add(fate, 1);
            }
            if let Some(attempts) = recovery.attempts() {
                self.figures.attempts_known += 1;
                self.figures.attempts += u64::from(attempts);
            }
            for (kind, name, counts) in &recovery.downstream.by {
                self.dependencies.entry((*kind, *name)).or_default().merge(counts);
            }
        }
        if let Some(recovered) = recovered {
            self.add_recovered(recovered);
        } else {
            let told = call.recovery.as_ref().and_then(|recovery| recovery.told.key_status);
            self.figures.key_conflicts += u64::from(told == Some(KeyStatus::Conflict));
        }
    }

    fn add_told(&mut self, call: &Call, told: &Recovery<NameId>) {
        let figures = &mut self.figures;
        figures.kind_known += u64::from(told.kind.is_some());
        if let Some(stage) = told.stage.filter(|_| call.outcome == Outcome::Timeout) {
            figures.timeouts_by_stage.add(stage, 1);
        }
        // A server that keeps the key to itself still tells what it made of it.
        let is_keyed = told.key.is_some() || told.key_status.is_some();
        figures.keyed += u64::from(is_keyed);
        figures.key_status_known += u64::from(told.key_status.is_some());
        figures.duplicate_key_hits += u64::from(told.key_status == Some(KeyStatus::Replayed));
        if matches!(told.kind, Some(OperationKind::Write | OperationKind::IdempotentWrite)) {
            figures.writes += 1;
            figures.business_outcome_known += u64::from(told.business_outcome.is_some());
            let is_unknown = told.business_outcome == Some(BusinessOutcome::Unknown);
            figures.unknown_outcomes += u64::from(is_unknown);
        }
        if let Some(budget) = told.budget
            && let Some(total) = budget.total_ms.filter(|_| budget.spent(Stage::Queue).is_some())
        {
            figures.budgeted += 1;
            figures.budget_ms += u64::from(total);
            for stage in Stage::ALL {
                figures.spent_ms.add(*stage, u64::from(budget.spent(*stage).unwrap_or(0)));
            }
        }
    }

    fn add_recovered(&mut self, recovered: &Recovered) {
        let figures = &mut self.figures;
        if let Some(followed) = recovered.followed {
            figures.uncertain += 1;
            figures.followed.add(followed, 1);
            figures.unsafe_replays += u64::from(followed == Followed::ReplayedUnsafely);
            figures.status_checked += u64::from(recovered.is_checked);
            let is_known = recovered.status_tool.is_some();
            figures.never_checked += u64::from(is_known && !recovered.is_checked);
        }
        figures.unknown_resolved += u64::from(recovered.is_resolved);
        figures.key_conflicts += u64::from(recovered.is_key_conflict);
        figures.possible_double_writes += u64::from(recovered.is_double_write);
        if let Some(tool) = recovered.status_tool
            && !self.status_tools.contains(&tool)
        {
            self.status_tools.push(tool);
        }
    }

    /// Adds what another one holds.
    pub(super) fn merge(&mut self, other: Self) {
        self.figures.merge(&other.figures);
        for tool in other.status_tools {
            if !self.status_tools.contains(&tool) {
                self.status_tools.push(tool);
            }
        }
        for (key, counts) in other.dependencies {
            self.dependencies.entry(key).or_default().merge(&counts);
        }
    }

    /// The figures.
    pub(super) fn into_figures(self, names: &Names) -> RecoveryFigures {
        let mut figures = self.figures;
        figures.status_tool = self.status_tools.into_iter().map(|tool| names.name(tool)).min();
        let named = self
            .dependencies
            .into_iter()
            .map(|((kind, name), counts)| (Dependency { kind, name: names.name(name) }, counts));
        let mut named: Vec<(Dependency, DependencyCounts)> = named.collect();
        named.sort_by(|(a, x), (b, y)| y.attempts.cmp(&x.attempts).then_with(|| a.cmp(b)));
        for (place, (dependency, counts)) in named.into_iter().enumerate() {
            let key = if place < MAX_DEPENDENCIES {
                dependency
            } else {
                Dependency { name: Name::cut(OTHERS), ..dependency }
            };
            figures.dependencies.entry(key).or_default().merge(&counts);
        }
        figures
    }
}
