//! Findings about how often a tool is understood the first time.

use super::{Finding, FindingRule, Severity, Subject, at_least, percent, rate_text};
use crate::figures::change::{Change, Direction};
use crate::figures::counts::RetryClass;
use crate::figures::format::{counted, decimal, points, rate_percent};
use crate::figures::rate::{Band, Rate};
use crate::figures::sentence::Sentence;
use crate::figures::tool_client::Figures;

/// A parameter's name is shown only if it was seen in at least this many sessions (METHOD
/// section 3).
pub const SESSIONS_TO_NAME: u64 = 5;

pub(super) fn findings(subject: &Subject<'_>) -> impl Iterator<Item = Finding> {
    // One of a tool's findings says what its cause is; the others do not repeat it.
    let fell = fell(subject);
    let low = low(subject, fell.is_some());
    let extra = extra_attempts(subject, fell.is_some() || low.is_some());
    let all = [fell, low, extra, green_retries(subject)];
    all.into_iter().flatten().filter(|_| subject.is_widespread())
}

fn fell(subject: &Subject<'_>) -> Option<Finding> {
    let (now, before) = (subject.figures(), &subject.before?.all);
    let change = Change::between(before.first_call_success(), now.first_call_success())?;
    if change.direction() != Direction::Worse {
        return None;
    }
    let severity = if change.difference() <= -0.1 { Severity::High } else { Severity::Medium };
    let interval = change.interval();
    let sentence = subject.named().say(format!(
        ": first-call success fell from {} to {} ({} points, 95\u{a0}% {} to {}).",
        rate_percent(change.before()),
        rate_percent(change.now()),
        points(change.difference()),
        points(interval.low),
        points(interval.high),
    ));
    let confirmed =
        Change::between(before.confirmed_first_call_success(), now.confirmed_first_call_success());
    let advice = match confirmed.map(Change::direction) {
        Some(Direction::Worse) => main_cause(now),
        _ => Sentence::words(
            "Confirmed first-call success did not fall: the new retries look like loops, pages \
             or parallel calls rather than rewordings.",
        ),
    };
    let advice = advice.say(format!(
        " {} judged, {} before.",
        counted(now.judged, "call", "calls"),
        counted(before.judged, "call", "calls"),
    ));
    Some(subject.finding(severity, FindingRule::FirstCallFell, now.judged, [sentence, advice]))
}

fn low(subject: &Subject<'_>, is_cause_said: bool) -> Option<Finding> {
    let figures = subject.figures();
    let rate = figures.first_call_success().filter(|rate| !rate.is_few())?;
    let severity = match rate.band() {
        Band::Severe => Severity::High,
        Band::Low => Severity::Medium,
        Band::Friction | Band::Healthy => return None,
    };
    let confirmed = figures.confirmed_first_call_success();
    let is_confirmed = confirmed
        .is_some_and(|confirmed: Rate| matches!(confirmed.band(), Band::Severe | Band::Low));
    let sentence = subject.named().say(format!(
        ": {} right the first time{}.",
        rate_percent(rate),
        match (figures.retried, figures.look_alikes()) {
            (0, _) => "; none was retried".to_owned(),
            (retried, 0) =>
                format!("; no look-alikes among its {}", counted(retried, "retry", "retries")),
            _ => format!(", {} once look-alikes are set aside", rate_text(confirmed)),
        },
    ));
    let rests_on = format!("{} judged.", counted(figures.judged, "call", "calls"));
    // A faultless getter in a loop reads low by the window rule alone; it is worth knowing,
    // and nothing is broken.
    let (severity, advice) = if is_confirmed {
        let cause = if is_cause_said { Sentence::new() } else { main_cause(figures).say(" ") };
        (severity, cause)
    } else {
        let words = format!(
            "{} of {} look like loops, pages or parallel calls: look there before you reword \
             anything. ",
            crate::figures::format::count(figures.look_alikes()),
            counted(figures.retried, "retry", "retries"),
        );
        (Severity::Note, Sentence::words(words))
    };
    Some(subject.finding(
        severity,
        FindingRule::LowFirstCall,
        figures.judged,
        [sentence, advice.say(rests_on)],
    ))
}

fn extra_attempts(subject: &Subject<'_>, is_cause_said: bool) -> Option<Finding> {
    let figures = subject.figures();
    let mean = figures.extra_attempts_mean()?;
    let is_far_reaching = figures.usable_chains >= 10
        && !figures.few_calls()
        && at_least(figures.confirmed_retries(), figures.calls, 5);
    if !is_far_reaching || mean < 1.5 {
        return None;
    }
    let client = subject.only_client(|figures| figures.usable_chains);
    let sentence = Sentence::words("Agents retried ")
        .name(&subject.key.tool)
        .say(format!(" {} times on average before getting a usable answer", decimal(mean)));
    let sentence = match client {
        Some(client) => sentence.say(", nearly all of them in ").name(client.name()).say("."),
        None => sentence.say("."),
    };
    let cause = if is_cause_said { Sentence::new() } else { main_cause(figures).say(" ") };
    let mut advice = cause.say(format!(
        "{} ended usable",
        counted(figures.usable_chains, "retry chain", "retry chains"),
    ));
    advice = match figures.abandoned_chains {
        0 => advice.say("."),
        abandoned => advice.say(format!(", {abandoned} were abandoned.")),
    };
    let mut finding = subject.finding(
        Severity::Medium,
        FindingRule::ExtraAttempts,
        figures.usable_chains,
        [sentence, advice],
    );
    finding.client = client.cloned();
    Some(finding)
}

fn green_retries(subject: &Subject<'_>) -> Option<Finding> {
    let figures = subject.figures();
    let after_ok = figures.retry_classes.get(RetryClass::AfterOk);
    if after_ok < 20 || !at_least(after_ok, figures.calls, 5) {
        return None;
    }
    let sentence = Sentence::words("After ")
        .say(counted(after_ok, "good answer", "good answers"))
        .say(" of ")
        .name(&subject.key.tool)
        .say(format!(
            " the model asked again in other words ({} of {}); every log is green.",
            percent(after_ok, figures.calls),
            counted(figures.calls, "call", "calls"),
        ));
    let advice = match top_parameter(figures) {
        Some((name, share)) => Sentence::words(format!("{share} of the rewordings change "))
            .name(name)
            .say(". Say in its description which form it takes, with one example."),
        None => Sentence::words(
            "The answer was not what was meant. Say in the description what the tool returns, \
             for which question, and what it does not cover.",
        ),
    };
    let advice = match figures.unclassified {
        0 => advice,
        part => advice.say(format!(
            " For {} it could not be told whether they were loops or pages.",
            counted(part, "retry", "retries"),
        )),
    };
    let severity =
        if at_least(after_ok, figures.calls, 15) { Severity::Medium } else { Severity::Note };
    Some(subject.finding(severity, FindingRule::GreenRetries, after_ok, [sentence, advice]))
}

/// The parameter that is reworded most, with its share of the comparable rewordings; only
/// where it was seen in enough sessions and in enough of them.
pub fn top_parameter(figures: &Figures) -> Option<(&crate::call::Name, String)> {
    let (name, count) = figures
        .reworded
        .iter()
        .filter(|(_, count)| count.sessions >= SESSIONS_TO_NAME)
        .max_by(|a, b| a.1.retries.cmp(&b.1.retries).then_with(|| b.0.cmp(a.0)))?;
    at_least(count.retries, figures.reworded_known, 25)
        .then(|| (name, percent(count.retries, figures.reworded_known)))
}

/// What most of the calls that were not right the first time have in common, and what helps.
fn main_cause(figures: &Figures) -> Sentence {
    use crate::call::Outcome;
    let outcome = |outcome| figures.outcomes.get(outcome);
    let failed = [
        Outcome::ToolError,
        Outcome::Crashed,
        Outcome::Timeout,
        Outcome::Cancelled,
        Outcome::Error,
    ]
    .into_iter()
    .map(outcome)
    .sum::<u64>();
    let causes = [
        (outcome(Outcome::BadArgs), Cause::BadArguments),
        (failed, Cause::Failure),
        (figures.empty, Cause::Empty),
        (figures.retry_classes.get(RetryClass::AfterOk), Cause::GoodAnswer),
    ];
    let Some((count, cause)) =
        causes.into_iter().rev().max_by_key(|(count, _)| *count).filter(|(count, _)| *count > 0)
    else {
        return Sentence::words("No single cause stands out.");
    };
    cause.sentence(figures, count)
}

#[derive(Clone, Copy)]
enum Cause {
    BadArguments,
    Failure,
    Empty,
    GoodAnswer,
}

impl Cause {
    fn sentence(self, figures: &Figures, count: u64) -> Sentence {
        let parameter = |sentence: Sentence| match top_parameter(figures) {
            Some((name, share)) => {
                sentence.say(format!("; {share} of the rewordings change ")).name(name)
            }
            None => sentence,
        };
        let (start, end) = match self {
            Self::BadArguments => (
                parameter(Sentence::words(format!(
                    "{} refused",
                    counted(count, "call was", "calls were")
                ))),
                ". Move what the error message explains into the schema and the description.",
            ),
            Self::Failure => (
                Sentence::words(format!(
                    "{} while running",
                    counted(count, "call failed", "calls failed")
                )),
                ". Mend the tool before you reword it.",
            ),
            Self::Empty => (
                parameter(Sentence::words(format!(
                    "{} nothing",
                    counted(count, "answer held", "answers held")
                ))),
                ". Let an empty answer say why it is empty and what to try instead.",
            ),
            Self::GoodAnswer => (
                parameter(Sentence::words(format!(
                    "Most retries follow good answers ({})",
                    counted(count, "call", "calls")
                ))),
                ". Say in the description which form its arguments take, with one example.",
            ),
        };
        start.say(end)
    }
}
