//! The recovery figures of one tool and client as the numbers of one row, and back.

use super::figure_numbers::{counted, counts};
use crate::figures::RecoveryFigures;

/// How many columns of `day_recovery` come before the numbers.
pub(super) const KEYS: usize = 2;

/// The numbers of a row of `day_recovery`, in the order of its columns after the key.
pub(super) fn numbers(figures: &RecoveryFigures) -> Vec<u64> {
    // Every field is named, so that a new figure cannot be forgotten here.
    let RecoveryFigures {
        kind_known,
        timeouts_by_stage,
        timeout_fate,
        uncertain,
        followed,
        status_checked,
        never_checked,
        unsafe_replays,
        keyed,
        key_status_known,
        duplicate_key_hits,
        key_conflicts,
        possible_double_writes,
        attempts_known,
        attempts,
        writes,
        business_outcome_known,
        unknown_outcomes,
        unknown_resolved,
        budgeted,
        budget_ms,
        spent_ms,
        status_tool: _,  // a name
        dependencies: _, // rows of their own
    } = figures;
    let scalars = [
        kind_known,
        uncertain,
        status_checked,
        never_checked,
        unsafe_replays,
        keyed,
        key_status_known,
        duplicate_key_hits,
        key_conflicts,
        possible_double_writes,
        attempts_known,
        attempts,
        writes,
        business_outcome_known,
        unknown_outcomes,
        unknown_resolved,
        budgeted,
        budget_ms,
    ];
    let mut numbers: Vec<u64> = scalars.into_iter().copied().collect();
    numbers.extend(counts(timeouts_by_stage));
    numbers.extend(counts(timeout_fate));
    numbers.extend(counts(followed));
    numbers.extend(counts(spent_ms));
    numbers
}

/// The figures in a row's numbers, which must be as many as [`numbers`] gives. The status tool and
/// the dependencies stand apart.
pub(super) fn figures(numbers: impl IntoIterator<Item = u64>) -> RecoveryFigures {
    let mut numbers = numbers.into_iter();
    let mut next = || numbers.next().unwrap_or_default();
    // Fields are evaluated in the order in which they stand here: the order of the columns.
    RecoveryFigures {
        kind_known: next(),
        uncertain: next(),
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
        timeouts_by_stage: counted(&mut next),
        timeout_fate: counted(&mut next),
        followed: counted(&mut next),
        spent_ms: counted(&mut next),
        status_tool: None,
        dependencies: std::collections::BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Stage;
    use crate::figures::{Followed, TimeoutFate};
    use crate::store::columns::DAY_RECOVERY;

    #[test]
    fn each_number_lands_under_its_own_name() {
        // The n-th number after the key is n, so a value tells the column that it came from.
        let figures = figures(1..);
        let value = |name: &str| {
            let columns = DAY_RECOVERY.columns.iter().skip(KEYS);
            let found = columns.zip(1_u64..).find(|(column, _)| **column == name);
            found.unwrap().1
        };
        assert_eq!(figures.uncertain, value("uncertain"));
        assert_eq!(figures.key_conflicts, value("key_conflicts"));
        assert_eq!(figures.budget_ms, value("budget_ms"));
        assert_eq!(figures.timeouts_by_stage.get(Stage::Auth), value("timeout_auth"));
        assert_eq!(figures.timeout_fate.get(TimeoutFate::Unknown), value("fate_unknown"));
        assert_eq!(figures.followed.get(Followed::GivenUp), value("then_given_up"));
        assert_eq!(figures.spent_ms.get(Stage::Audit), value("spent_ms_audit"));
        let again: Vec<u64> = (1..).take(DAY_RECOVERY.columns.len() - KEYS).collect();
        assert_eq!(numbers(&figures), again);
    }
}
