//! Findings about what a tool answers: refusals, failures, nothing, too late.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::first_call::{top_parameter, with_parameter};
use super::{Finding, FindingRule, Severity, Subject, at_least, percent};
use crate::call::{Name, Outcome, ToolKey};
use crate::figures::counts::RetryClass;
use crate::figures::format::{count, counted, milliseconds};
use crate::figures::range::{RangeFigures, ToolFigures};
use crate::figures::rate::FEW_CALLS;
use crate::figures::sentence::Sentence;

/// Fewer calls than this say nothing about failures.
const CALLS_FOR_FAILURES: u64 = 50;
/// The retry window in milliseconds.
const WINDOW_MS: f64 = 30_000.0;

pub(super) fn findings(subject: &Subject<'_>) -> impl Iterator<Item = Finding> {
    [bad_arguments(subject), failures(subject), empties(subject), last_word(subject), slow(subject)]
        .into_iter()
        .flatten()
}

fn bad_arguments(subject: &Subject<'_>) -> Option<Finding> {
    let figures = subject.figures();
    let refused = figures.outcomes.get(Outcome::BadArgs);
    let is_enough = figures.calls >= CALLS_FOR_FAILURES && subject.is_widespread();
    if !is_enough || !at_least(refused, figures.calls, 10) {
        return None;
    }
    let corrected = figures.retry_classes.get(RetryClass::AfterBadArgs);
    let sentence = subject.named().say(format!(
        " refuses {} of {}; {} of the {} refused calls were put right by other arguments within \
         30\u{a0}s.",
        percent(refused, figures.calls),
        counted(figures.calls, "call", "calls"),
        count(corrected),
        count(refused),
    ));
    let sentence = with_parameter(sentence, figures);
    let advice = match top_parameter(figures) {
        Some((name, _)) => Sentence::words("Read the description of ")
            .name(name)
            .say(", and put into it and into the schema what the error message explains."),
        None => Sentence::words(
            "Read the parameters' descriptions, and put into them and into the schema what the \
             error message explains.",
        ),
    };
    let severity =
        if at_least(refused, figures.calls, 30) { Severity::High } else { Severity::Medium };
    Some(subject.finding(severity, FindingRule::BadArguments, refused, [sentence, advice]))
}

fn failures(subject: &Subject<'_>) -> Option<Finding> {
    let figures = subject.figures();
    let kinds = [
        (Outcome::ToolError, "tool errors"),
        (Outcome::Crashed, "crashes"),
        (Outcome::Timeout, "timeouts"),
        (Outcome::Cancelled, "cancelled"),
        (Outcome::Error, "of a kind that was not told"),
    ]
    .map(|(outcome, words)| (figures.outcomes.get(outcome), words));
    let failed: u64 = kinds.iter().map(|(count, _)| count).sum();
    let is_enough = figures.calls >= CALLS_FOR_FAILURES && !subject.is_of_one_session();
    if !is_enough || !at_least(failed, figures.calls, 10) {
        return None;
    }
    let (most, words) = kinds.into_iter().rev().max_by_key(|(count, _)| *count)?;
    let sentence = subject.named().say(format!(
        " failed in {} of {}, {} of them {words}.{}",
        percent(failed, figures.calls),
        counted(figures.calls, "call", "calls"),
        count(most),
        match figures.retry_classes.get(RetryClass::AfterFailure) {
            0 => String::new(),
            1 => " Once the model then tried other arguments.".to_owned(),
            times => format!(" {} times the model then tried other arguments.", count(times)),
        },
    ));
    let advice = Sentence::words(
        "Mend this before you reword anything: other arguments may not help against it.",
    );
    let severity =
        if at_least(failed, figures.calls, 30) { Severity::High } else { Severity::Medium };
    Some(subject.finding(severity, FindingRule::Failures, failed, [sentence, advice]))
}

/// Where at least this many tools of one service fail, and half of those that are called as often,
/// they fail together.
const TOOLS_OF_AN_OUTAGE: usize = 3;

/// Failures that several tools of a service share come from behind them: one finding, the gravest,
/// keeps its severity and speaks for all; the others are notes.
pub(super) fn set_outages_apart(found: &mut [Finding], now: &RangeFigures) {
    let mut failing: BTreeMap<Name, Vec<&mut Finding>> = BTreeMap::new();
    for finding in found.iter_mut().filter(|finding| finding.rule == FindingRule::Failures) {
        failing.entry(finding.tool.service.clone()).or_default().push(finding);
    }
    for (service, mut findings) in failing {
        let is_called = |(key, tool): &(&ToolKey, &ToolFigures)| {
            key.service == service && tool.all.calls >= CALLS_FOR_FAILURES
        };
        let (tools, fail) = (now.tools.iter().filter(is_called).count(), findings.len());
        if fail < TOOLS_OF_AN_OUTAGE || fail * 2 < tools {
            continue;
        }
        findings.sort_by_key(|one| (one.severity, Reverse(one.count), one.tool.clone()));
        for (place, finding) in findings.into_iter().enumerate() {
            let said = format!(
                " {fail} of the service's {tools} tools with {CALLS_FOR_FAILURES} calls or more \
                 fail in a tenth of them."
            );
            finding.sentence = std::mem::take(&mut finding.sentence).say(said);
            finding.advice = Sentence::words(
                "Look for what these tools share, such as a dependency or a deployment, before you \
                 mend or reword any of them.",
            );
            if place > 0 {
                finding.severity = Severity::Note;
            }
        }
    }
}

fn empties(subject: &Subject<'_>) -> Option<Finding> {
    let figures = subject.figures();
    let is_share_known = figures.emptiness_known >= FEW_CALLS;
    // More than 5 %, in integers.
    let is_elevated = u128::from(figures.empty) * 100 > u128::from(figures.emptiness_known) * 5;
    if !is_share_known || !is_elevated || figures.empty < 5 || !subject.is_widespread() {
        return None;
    }
    let sentence = subject.named().say(format!(
        " answered with nothing in {} of {}; models reworded {} of them and took {} as the answer.",
        percent(figures.empty, figures.emptiness_known),
        counted(figures.emptiness_known, "good call", "good calls"),
        count(figures.empty_reworded),
        count(figures.empty_accepted),
    ));
    let advice = if at_least(figures.empty_reworded, figures.empty, 50) {
        "Say in the description that nothing may match, and let an empty answer say what was searched."
    } else {
        "Make sure that nothing found and nothing allowed read differently."
    };
    let severity = if u128::from(figures.empty) * 100 > u128::from(figures.emptiness_known) * 20 {
        Severity::Medium
    } else {
        Severity::Note
    };
    let texts = [sentence, Sentence::words(advice)];
    Some(subject.finding(severity, FindingRule::EmptyAnswers, figures.empty, texts))
}

fn last_word(subject: &Subject<'_>) -> Option<Finding> {
    let figures = subject.figures();
    let failed = figures.last_word_failed;
    if figures.last_words < FEW_CALLS || !at_least(failed, figures.last_words, 20) {
        return None;
    }
    let sentence = Sentence::words(format!(
        "{} of the {} that ended with ",
        count(failed),
        counted(figures.last_words, "session", "sessions"),
    ))
    .name(&subject.key.tool)
    .say(
        " ended with a failure or an empty answer: the nearest that telemetry comes to seeing a \
         model give up.",
    );
    let advice = Sentence::words("Read in your own logs what such a session had been asked for.");
    Some(subject.finding(Severity::Note, FindingRule::LastWord, failed, [sentence, advice]))
}

fn slow(subject: &Subject<'_>) -> Option<Finding> {
    let figures = subject.figures();
    let p95 = figures.latency.percentile(95)? / 1e6;
    if figures.calls < FEW_CALLS || p95 <= WINDOW_MS {
        return None;
    }
    let sentence = subject.named().say(format!(
        " is slower than the window of 30\u{a0}s: p95 is {} over {}. A retry after such an answer \
         is not seen, so its first-call success reads too high.",
        milliseconds(p95),
        counted(figures.calls, "call", "calls"),
    ));
    let advice = Sentence::words("Judge it by its outcomes and its latency instead.");
    Some(subject.finding(Severity::Note, FindingRule::SlowTool, figures.calls, [sentence, advice]))
}
