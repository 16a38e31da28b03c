//! Findings about how tools are used together: loops, and pairs that always follow.

use super::{Finding, FindingRule, Severity, Subject, at_least, percent};
use crate::figures::counts::RetryClass;
use crate::figures::format::{count, counted, decimal};
use crate::figures::range::RangeFigures;
use crate::figures::rate::as_float;
use crate::figures::sentence::Sentence;

pub(super) fn sweeps(subject: &Subject<'_>) -> Option<Finding> {
    let figures = subject.figures();
    let sweeps = figures.retry_classes.get(RetryClass::Sweep);
    if sweeps < 20 || !at_least(sweeps, figures.calls, 10) || subject.is_of_one_session() {
        return None;
    }
    let sentence = subject.named().say(format!(
        " is called in loops: {} of {} only step one parameter on.",
        count(sweeps),
        counted(figures.calls, "call", "calls"),
    ));
    let advice = Sentence::words(
        "Offer a parameter that takes several values at once; it could save most of these calls.",
    );
    Some(subject.finding(Severity::Note, FindingRule::Sweeps, sweeps, [sentence, advice]))
}

/// Where at least every second call is followed by one for its next page, an answer takes two
/// pages or more on average: each call that is not followed by its next page ends an answer.
pub(super) fn small_pages(subject: &Subject<'_>) -> Option<Finding> {
    let figures = subject.figures();
    let turned = figures.retry_classes.get(RetryClass::Paging);
    if turned < 20 || !at_least(turned, figures.calls, 50) || subject.is_of_one_session() {
        return None;
    }
    let answers = figures.calls.saturating_sub(turned).max(1);
    let sentence = subject.named().say(format!(
        " answers in pages: {} of {} are for a further page, {} pages an answer on average.",
        count(turned),
        counted(figures.calls, "call", "calls"),
        decimal(as_float(figures.calls) / as_float(answers)),
    ));
    let advice =
        Sentence::words("Answer with more at once, or let the arguments narrow what is found.");
    Some(subject.finding(Severity::Note, FindingRule::SmallPages, turned, [sentence, advice]))
}

pub(super) fn pairs(now: &RangeFigures) -> Vec<Finding> {
    let mut found = Vec::new();
    for (pair, times) in &now.pairs {
        let first = now.tools.get(&pair.first).map(|tool| (tool.all.calls, tool.all.sessions));
        let (calls, sessions) = first.unwrap_or_default();
        if *times < 20 || !at_least(*times, calls, 60) || sessions == 1 {
            continue;
        }
        let sentence =
            Sentence::new().name(&pair.next.tool).say(" follows ").name(&pair.first.tool).say(
                format!(" in {} of {}.", percent(*times, calls), counted(calls, "call", "calls")),
            );
        let advice = Sentence::words("Consider letting ")
            .name(&pair.first.tool)
            .say(" answer with what ")
            .name(&pair.next.tool)
            .say(" fetches; it is a design note, not a fault.");
        found.push(Finding {
            severity: Severity::Note,
            rule: FindingRule::AlwaysFollows,
            tool: pair.first.clone(),
            client: None,
            count: *times,
            sentence,
            advice,
        });
    }
    found
}
