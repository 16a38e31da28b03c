//! Findings about recovery (METHOD section 11): what was done twice, what nobody asked about, and
//! where the time went.
//!
//! A write that runs twice is wrong however rarely it happens, so those floors are counts; the
//! others are shares of enough calls.

use super::{Finding, FindingRule, Severity, Subject, at_least, percent};
use crate::call::{Stage, ToolKey};
use crate::figures::RangeFigures;
use crate::figures::format::{count, counted, decimal};
use crate::figures::rate::FEW_CALLS;
use crate::figures::sentence::Sentence;

/// One or two may be one person's bad afternoon.
const FLOOR: u64 = 3;
/// So many calls that nobody asked about, or that stay unknown, are a habit.
const OPEN_FLOOR: u64 = 5;

pub(super) fn findings(subject: &Subject<'_>, now: &RangeFigures) -> impl Iterator<Item = Finding> {
    [
        unsafe_replays(subject),
        double_writes(subject),
        unknown_open(subject),
        conflicts(subject),
        unchecked(subject),
        unused_status_tool(subject, now),
        amplification(subject),
        queue(subject),
    ]
    .into_iter()
    .flatten()
}

fn unsafe_replays(subject: &Subject<'_>) -> Option<Finding> {
    let recovery = &subject.figures().recovery;
    let replays = recovery.unsafe_replays;
    if replays < FLOOR {
        return None;
    }
    let sentence = subject.named().say(format!(
        " was sent again before anyone asked what had become of it, after {} of {}.",
        count(replays),
        counted(
            recovery.uncertain,
            "call that timed out or is unknown",
            "calls that timed out or are unknown"
        ),
    ));
    let advice = Sentence::words(
        "Let it take an idempotency key and answer a second call with the first result, for it \
         writes each time it is called.",
    );
    Some(subject.finding(Severity::High, FindingRule::UnsafeReplays, replays, [sentence, advice]))
}

fn double_writes(subject: &Subject<'_>) -> Option<Finding> {
    let doubles = subject.figures().recovery.possible_double_writes;
    if doubles < FLOOR {
        return None;
    }
    let sentence = subject.named().say(format!(
        " may have written twice: {} without a key went well within 10\u{a0}minutes of another \
         with the same arguments.",
        counted(doubles, "call", "calls"),
    ));
    let advice = Sentence::words(
        "Look these up in the data, then bind a key to the business operation so that it can only \
         be done once.",
    );
    Some(subject.finding(Severity::High, FindingRule::DoubleWrites, doubles, [sentence, advice]))
}

fn unknown_open(subject: &Subject<'_>) -> Option<Finding> {
    let recovery = &subject.figures().recovery;
    let open = recovery.unknown_outcomes.saturating_sub(recovery.unknown_resolved);
    if open < OPEN_FLOOR {
        return None;
    }
    let sentence = subject.named().say(format!(
        " left {} of {} with an unknown outcome open for 10\u{a0}minutes.",
        count(open),
        counted(recovery.unknown_outcomes, "write", "writes"),
    ));
    let advice = Sentence::words(
        "Answer an unknown outcome with a handle and the status tool's name, and let the status \
         tool look the operation up in the system that did it.",
    );
    Some(subject.finding(Severity::High, FindingRule::UnknownOpen, open, [sentence, advice]))
}

fn conflicts(subject: &Subject<'_>) -> Option<Finding> {
    let recovery = &subject.figures().recovery;
    let conflicts = recovery.key_conflicts;
    if conflicts < FLOOR {
        return None;
    }
    let sentence = subject.named().say(format!(
        " got {} whose idempotency key had come with other arguments, of {} with a key.",
        counted(conflicts, "call", "calls"),
        count(recovery.keyed),
    ));
    let advice = Sentence::words(
        "Say in the key's description that a changed request needs a new key, and refuse the old \
         one.",
    );
    let texts = [sentence, advice];
    Some(subject.finding(Severity::Medium, FindingRule::KeyConflicts, conflicts, texts))
}

fn unchecked(subject: &Subject<'_>) -> Option<Finding> {
    let recovery = &subject.figures().recovery;
    let status_tool = recovery.status_tool.as_ref()?;
    let (never, checked) = (recovery.never_checked, recovery.status_checked);
    let all = never.saturating_add(checked);
    if never < OPEN_FLOOR || !at_least(never, all, 50) {
        return None;
    }
    let sentence = subject
        .named()
        .say(format!(
            " timed out or ended unknown in {}; {} were followed by no answer of ",
            counted(all, "call", "calls"),
            percent(never, all),
        ))
        .name(status_tool)
        .say(".");
    let advice = Sentence::words("Name ")
        .name(status_tool)
        .say(" and the handle to ask it with in the message of the timeout: it is what the model reads next.");
    Some(subject.finding(
        Severity::Medium,
        FindingRule::UncheckedTimeouts,
        never,
        [sentence, advice],
    ))
}

fn unused_status_tool(subject: &Subject<'_>, now: &RangeFigures) -> Option<Finding> {
    let recovery = &subject.figures().recovery;
    let status_tool = recovery.status_tool.as_ref()?;
    let key = ToolKey { service: subject.key.service.clone(), tool: status_tool.clone() };
    let calls = now.tools.get(&key).map_or(0, |tool| tool.all.calls);
    if calls > 0 || recovery.never_checked < OPEN_FLOOR {
        return None;
    }
    let sentence = Sentence::words("Nobody called ")
        .name(status_tool)
        .say(", though ")
        .name(&subject.key.tool)
        .say(format!(" timed out or ended unknown {} times.", count(recovery.never_checked)));
    let advice = Sentence::words(
        "Models find a status tool by its description: let it begin with when to call it, and \
         check that clients are offered it.",
    );
    let never = recovery.never_checked;
    Some(subject.finding(Severity::Note, FindingRule::UnusedStatusTool, never, [sentence, advice]))
}

fn amplification(subject: &Subject<'_>) -> Option<Finding> {
    let figures = subject.figures();
    let recovery = &figures.recovery;
    let amplified = figures.amplification()?;
    if recovery.attempts_known < FEW_CALLS || amplified <= 3.0 {
        return None;
    }
    let per_call = recovery.attempts_per_call()?;
    let sentence = subject.named().say(format!(
        " multiplies retries by {}: {} downstream attempts a call, {} calls a retry chain.",
        decimal(amplified),
        decimal(per_call),
        decimal(1.0 + figures.extra_attempts_mean().unwrap_or(0.0)),
    ));
    let worst = recovery.dependencies.iter().max_by_key(|(dependency, counts)| {
        (counts.failed + counts.timed_out, std::cmp::Reverse(*dependency))
    });
    let advice = match worst.filter(|(_, counts)| counts.failed + counts.timed_out > 0) {
        Some((dependency, counts)) => Sentence::new().name(&dependency.name).say(format!(
            " failed or timed out in {} of {}: retry at one layer only, with a budget.",
            count(counts.failed + counts.timed_out),
            counted(counts.attempts, "attempt", "attempts"),
        )),
        None => Sentence::words("Retry at one layer only, with a budget."),
    };
    let severity = if amplified > 10.0 { Severity::High } else { Severity::Medium };
    let known = recovery.attempts_known;
    Some(subject.finding(severity, FindingRule::Amplification, known, [sentence, advice]))
}

fn queue(subject: &Subject<'_>) -> Option<Finding> {
    let recovery = &subject.figures().recovery;
    let waited = recovery.spent_ms.get(Stage::Queue);
    if recovery.budgeted < FEW_CALLS || !at_least(waited, recovery.budget_ms, 50) {
        return None;
    }
    let sentence = subject.named().say(format!(
        " spends {} of its time budget waiting in a queue, over {}.",
        percent(waited, recovery.budget_ms),
        counted(recovery.budgeted, "call", "calls"),
    ));
    let advice = Sentence::words(
        "Refuse early when the rest of the budget cannot be enough, for a longer timeout only \
         lengthens the queue.",
    );
    let budgeted = recovery.budgeted;
    Some(subject.finding(Severity::Medium, FindingRule::QueueBudget, budgeted, [sentence, advice]))
}
