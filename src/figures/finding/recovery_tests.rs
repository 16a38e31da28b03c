//! Findings about recovery, from figures written by hand.

use std::collections::BTreeMap;

use super::*;
use crate::call::{AttemptKind, Name, Stage};
use crate::figures::{Dependency, DependencyCounts, RecoveryFigures};

fn found(recovery: RecoveryFigures) -> Vec<Finding> {
    found_beside(recovery, 0)
}

/// The findings of a tool with these figures, whose status tool was called so often.
fn found_beside(recovery: RecoveryFigures, status_calls: u64) -> Vec<Finding> {
    let key = |name: &str| ToolKey { service: Name::cut("shop"), tool: Name::cut(name) };
    let figures = Figures { calls: 100, recovery, ..Figures::default() };
    let status = Figures { calls: status_calls, ..Figures::default() };
    let tool = |all: Figures| ToolFigures { all, clients: BTreeMap::new() };
    let mut tools = BTreeMap::from([(key("create_order"), tool(figures))]);
    if status_calls > 0 {
        tools.insert(key("get_order_status"), tool(status));
    }
    let now = RangeFigures { tools, ..RangeFigures::default() };
    let all = findings(&now, &RangeFigures::default());
    all.into_iter().filter(|found| found.rule.is_about_recovery()).collect()
}

fn rules(recovery: RecoveryFigures) -> Vec<(Severity, FindingRule, u64)> {
    found(recovery).into_iter().map(|found| (found.severity, found.rule, found.count)).collect()
}

#[test]
fn what_is_done_twice_is_found_from_three_on() {
    let replays =
        |times| RecoveryFigures { unsafe_replays: times, uncertain: 8, ..Default::default() };
    assert_eq!(rules(replays(2)), []);
    assert_eq!(rules(replays(3)), [(Severity::High, FindingRule::UnsafeReplays, 3)]);
    assert_eq!(
        found(replays(3))[0].sentence.to_string(),
        "create_order was sent again before anyone asked what had become of it, after 3 of \
         8\u{a0}calls that timed out or are unknown."
    );
    let doubles = |times| RecoveryFigures { possible_double_writes: times, ..Default::default() };
    assert_eq!(rules(doubles(2)), []);
    assert_eq!(rules(doubles(3)), [(Severity::High, FindingRule::DoubleWrites, 3)]);
    let conflicts =
        |times| RecoveryFigures { key_conflicts: times, keyed: 40, ..Default::default() };
    assert_eq!(rules(conflicts(2)), []);
    assert_eq!(rules(conflicts(3)), [(Severity::Medium, FindingRule::KeyConflicts, 3)]);
}

#[test]
fn unknown_outcomes_are_found_where_five_stay_open() {
    let open = |resolved| RecoveryFigures {
        unknown_outcomes: 9,
        unknown_resolved: resolved,
        ..Default::default()
    };
    assert_eq!(rules(open(5)), []);
    assert_eq!(rules(open(4)), [(Severity::High, FindingRule::UnknownOpen, 5)]);
}

#[test]
fn timeouts_that_nobody_checks_are_found_with_their_status_tool() {
    let figures = |never, checked| RecoveryFigures {
        status_tool: Some(Name::cut("get_order_status")),
        never_checked: never,
        status_checked: checked,
        ..Default::default()
    };
    assert_eq!(found_beside(figures(4, 0), 1), []);
    assert_eq!(found_beside(figures(5, 6), 9), []);
    let unchecked = found_beside(figures(5, 5), 9);
    assert_eq!(unchecked.len(), 1);
    assert_eq!(unchecked[0].rule, FindingRule::UncheckedTimeouts);
    assert_eq!(
        unchecked[0].sentence.to_string(),
        "create_order timed out or ended unknown in 10\u{a0}calls; 50\u{a0}% were followed by no \
         answer of get_order_status."
    );
    let rules: Vec<_> = found(figures(5, 0)).into_iter().map(|found| found.rule).collect();
    assert_eq!(rules, [FindingRule::UncheckedTimeouts, FindingRule::UnusedStatusTool]);
}

#[test]
fn amplification_is_found_above_three_over_twenty_calls() {
    let figures = |known, attempts| {
        let ledger = Dependency { kind: AttemptKind::Http, name: Name::cut("ledger") };
        let counts = DependencyCounts { attempts, failed: 7, timed_out: 1, nanos: 0 };
        RecoveryFigures {
            attempts_known: known,
            attempts,
            dependencies: BTreeMap::from([(ledger, counts)]),
            ..Default::default()
        }
    };
    assert_eq!(rules(figures(20, 60)), []);
    assert_eq!(rules(figures(19, 190)), []);
    assert_eq!(rules(figures(20, 61)), [(Severity::Medium, FindingRule::Amplification, 20)]);
    assert_eq!(rules(figures(20, 201))[0].0, Severity::High);
    let found = found(figures(20, 80));
    assert!(found[0].sentence.to_string().contains("retries by 4.0: 4.0 downstream attempts"));
    assert!(found[0].advice.to_string().starts_with("ledger failed or timed out in 8 of 80"));
}

#[test]
fn a_budget_that_goes_into_waiting_is_found_from_half_on() {
    let figures = |calls, waited| {
        let mut figures =
            RecoveryFigures { budgeted: calls, budget_ms: 100_000, ..Default::default() };
        figures.spent_ms.add(Stage::Queue, waited);
        figures
    };
    assert_eq!(rules(figures(20, 49_999)), []);
    assert_eq!(rules(figures(19, 90_000)), []);
    assert_eq!(rules(figures(20, 50_000)), [(Severity::Medium, FindingRule::QueueBudget, 20)]);
}
