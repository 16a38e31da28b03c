//! Findings about how often a tool is understood the first time.

use std::collections::BTreeSet;

use super::{Finding, FindingRule, Severity, Subject, at_least, percent, rate_text};
use crate::call::Name;
use crate::figures::change::{Change, Direction};
use crate::figures::counts::RetryClass;
use crate::figures::format::{count, counted, decimal, points, rate_percent};
use crate::figures::range::RangeFigures;
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
    let extra = extra_attempts(subject);
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
        ": first-call success fell from {} to {} ({} points, 95\u{a0}% {} to {}; {} judged, {} \
         before).",
        rate_percent(change.before()),
        rate_percent(change.now()),
        points(change.difference()),
        points(interval.low),
        points(interval.high),
        counted(now.judged, "call", "calls"),
        count(before.judged),
    ));
    let confirmed =
        Change::between(before.confirmed_first_call_success(), now.confirmed_first_call_success());
    let texts = match confirmed.map(Change::direction) {
        Some(Direction::Worse) => {
            let [cause, advice] = main_cause(now);
            [sentence.then(cause), advice]
        }
        _ => [
            sentence.say(" Its confirmed first-call success did not fall."),
            Sentence::words(
                "Look for new loops, pages or parallel calls before you reword anything.",
            ),
        ],
    };
    Some(subject.finding(severity, FindingRule::FirstCallFell, now.judged, texts))
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
        ": {} of {} right the first time{}.",
        rate_percent(rate),
        counted(figures.judged, "judged call", "judged calls"),
        match (figures.retried, figures.look_alikes()) {
            (0, _) => "; none was retried".to_owned(),
            (retried, 0) =>
                format!("; no look-alikes among its {}", counted(retried, "retry", "retries")),
            _ => format!(", {} once look-alikes are set aside", rate_text(confirmed)),
        },
    ));
    // A faultless getter in a loop reads low by the window rule alone. The band is the rule's
    // (METHOD section 6); the words say that nothing is broken.
    let texts = if !is_confirmed {
        let sentence = sentence.say(format!(
            " {} of {} look like loops, pages or parallel calls.",
            count(figures.look_alikes()),
            counted(figures.retried, "retry", "retries"),
        ));
        let advice = Sentence::words("Look at how it is called before you reword anything.");
        [sentence, advice]
    } else if is_cause_said {
        let advice =
            Sentence::words("Start with what is said of its fall; both may have one cause.");
        [sentence, advice]
    } else {
        let [cause, advice] = main_cause(figures);
        [sentence.then(cause), advice]
    };
    Some(subject.finding(severity, FindingRule::LowFirstCall, figures.judged, texts))
}

fn extra_attempts(subject: &Subject<'_>) -> Option<Finding> {
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
        Some(client) => sentence.say(", nearly all of them in ").name(client.name()),
        None => sentence,
    };
    let sentence = sentence.say(format!(
        ": {} ended usable, {} abandoned.",
        counted(figures.usable_chains, "retry chain", "retry chains"),
        counted(figures.abandoned_chains, "was", "were"),
    ));
    let advice = match top_parameter(figures) {
        Some((name, _)) => Sentence::words("Compare the first and the last ")
            .name(name)
            .say(" of such a chain, and put the difference into the description."),
        None => Sentence::words(
            "Compare the first and the last call of such a chain, and put the difference into \
             the description.",
        ),
    };
    let mut finding = subject.finding(
        Severity::Medium,
        FindingRule::ExtraAttempts,
        figures.usable_chains,
        [with_parameter(sentence, figures), advice],
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
    let sentence = with_parameter(sentence, figures);
    let sentence = match figures.unclassified {
        0 => sentence,
        part => sentence.say(format!(
            " Of {} it could not be told whether they were loops or pages.",
            counted(part, "retry", "retries"),
        )),
    };
    let advice = match top_parameter(figures) {
        Some((name, _)) => Sentence::words("Say in its description which form ")
            .name(name)
            .say(" takes, with one example."),
        None => Sentence::words(
            "Say in the description what the tool returns, for which question, and what it does \
             not cover.",
        ),
    };
    let severity =
        if at_least(after_ok, figures.calls, 15) { Severity::Medium } else { Severity::Note };
    Some(subject.finding(severity, FindingRule::GreenRetries, after_ok, [sentence, advice]))
}

/// The sentence with another one about the parameter that is reworded most, where there is one.
pub(super) fn with_parameter(sentence: Sentence, figures: &Figures) -> Sentence {
    match top_parameter(figures) {
        Some((name, share)) => {
            sentence.say(format!(" {share} of the rewordings change ")).name(name).say(".")
        }
        None => sentence,
    }
}

/// The parameter that is reworded most, with its share of the comparable rewordings; only
/// where it was seen in enough sessions and in enough of them.
pub fn top_parameter(figures: &Figures) -> Option<(&Name, String)> {
    let (name, count) = figures
        .reworded
        .iter()
        .filter(|(_, count)| count.sessions >= SESSIONS_TO_NAME)
        .max_by(|a, b| a.1.retries.cmp(&b.1.retries).then_with(|| b.0.cmp(a.0)))?;
    at_least(count.retries, figures.reworded_known, 25)
        .then(|| (name, percent(count.retries, figures.reworded_known)))
}

/// The parameters that were seen in enough sessions of one tool. Where tools are added up, a session
/// counts once for each: there only these may be named.
pub fn nameable(now: &RangeFigures) -> BTreeSet<&Name> {
    let of_tools = now.tools.values().flat_map(|tool| &tool.all.reworded);
    let seen = of_tools.filter(|(_, count)| count.sessions >= SESSIONS_TO_NAME);
    seen.map(|(name, _)| name).collect()
}

/// What most of the calls that were not right the first time have in common, and what helps: a
/// sentence each.
fn main_cause(figures: &Figures) -> [Sentence; 2] {
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
    let most = causes.into_iter().rev().max_by_key(|(count, _)| *count);
    match most.filter(|(count, _)| *count > 0) {
        Some((count, cause)) => {
            let found = Sentence::words(format!(" {}", cause.found(count)));
            let found = match cause {
                Cause::Failure => found,
                _ => with_parameter(found, figures),
            };
            [found, Sentence::words(cause.advice())]
        }
        None => [
            Sentence::new(),
            Sentence::words("Look at its single calls with ")
                .name(&Name::cut("firstcall nightly --day DAY --explain TOOL"))
                .say("."),
        ],
    }
}

#[derive(Clone, Copy)]
enum Cause {
    BadArguments,
    Failure,
    Empty,
    GoodAnswer,
}

impl Cause {
    fn found(self, count: u64) -> String {
        match self {
            Self::BadArguments => format!("{} refused.", counted(count, "call was", "calls were")),
            Self::Failure => {
                format!("{} while running.", counted(count, "call failed", "calls failed"))
            }
            Self::Empty => format!("{} nothing.", counted(count, "answer held", "answers held")),
            Self::GoodAnswer => {
                format!(
                    "{} asked again in other words.",
                    counted(count, "good answer was", "good answers were")
                )
            }
        }
    }

    const fn advice(self) -> &'static str {
        match self {
            Self::BadArguments => {
                "Put into the schema and the description what the error message explains."
            }
            Self::Failure => "Mend the tool before you reword it.",
            Self::Empty => "Let an empty answer say why it is empty and what to try instead.",
            Self::GoodAnswer => {
                "Say in the description which form its arguments take, with one example."
            }
        }
    }
}
