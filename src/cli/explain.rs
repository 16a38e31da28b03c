//! `firstcall nightly --explain`: why each call of a tool counted as it did.

use std::fmt::Write;

use super::{ExitCode, Failure, print};
use crate::call::hidden::plain;
use crate::call::{Confidence, Day, UnixNanos};
use crate::nightly::{
    self, ChainKind, Counted, Declared, ExplainedCall, Question, Standing, Terms,
};
use crate::store::Store;

/// The columns, `first_call` and `confirmed` by the two rules.
const COLUMNS: [&str; 16] = [
    "start",
    "took",
    "service",
    "tool",
    "client",
    "session",
    "grade",
    "outcome",
    "is_empty",
    "judged",
    "retry",
    "chain",
    "first_call",
    "confirmed",
    "seen",
    "recovery",
];

/// Prints a table of the calls, with tabs between its columns. Where the question names no day,
/// it is about the last covered one.
pub(super) fn print_calls(
    store: &Store,
    terms: Terms,
    declared: &Declared,
    (tool, client, day): (String, Option<String>, Option<Day>),
) -> Result<(), Failure> {
    let last_covered = || -> Result<Day, Failure> {
        let last = store.coverage()?.last().map(|covered| covered.day);
        let none = Failure::new(ExitCode::NothingToReport, "no day is covered yet");
        last.ok_or_else(|| none.with_hint("name a day with --day, or run `firstcall nightly`"))
    };
    let day = day.map_or_else(last_covered, Ok)?;
    let question = Question { tool, client, day };
    let calls = nightly::explain(store, terms, declared, &question)?;
    if calls.is_empty() {
        let of = question.client.map_or_else(String::new, |c| format!(" by `{}`", plain(&c)));
        let error = format!("no call of `{}`{of} on {day}", plain(&question.tool));
        let hint = "a tool is given by its name, or as service/name; \
                    `firstcall export calls` lists a day's calls";
        return Err(Failure::new(ExitCode::NothingToReport, error).with_hint(hint));
    }
    let mut table = format!("{}\n", COLUMNS.join("\t"));
    for call in &calls {
        // Writing to a text cannot fail.
        writeln!(table, "{}", cells(call, day).join("\t")).ok();
    }
    print(&table)
}

fn cells(call: &ExplainedCall, day: Day) -> [String; 16] {
    let judged = match call.standing {
        Standing::Judged => "yes".to_owned(),
        Standing::Unjudged(reason) => format!("no: {reason}"),
        Standing::OfNoTool => "no: unknown_tool".to_owned(),
    };
    let took = call.end.get().saturating_sub(call.start.get());
    [
        time(call.start, day),
        format!("{} s", seconds(took)),
        plain(&call.service),
        plain(&call.tool),
        plain(&call.client),
        call.session.map_or_else(nothing, |session| session.to_string()),
        call.grade.word().to_uppercase(),
        outcome(call),
        call.emptiness.to_string(),
        judged,
        retry(call, day),
        chain(call, day),
        counted(call.counted()),
        counted(call.counted_as_confirmed()),
        seen(call),
        call.recovery.map_or_else(nothing, |recovery| recovery.to_string()),
    ]
}

fn nothing() -> String {
    "-".to_owned()
}

fn outcome(call: &ExplainedCall) -> String {
    match call.confidence {
        Confidence::Low if call.outcome == crate::call::Outcome::Ok => {
            format!("{} (low confidence)", call.outcome)
        }
        _ => call.outcome.to_string(),
    }
}

fn retry(call: &ExplainedCall, day: Day) -> String {
    let retried = call.retry.map(|retry| {
        let untested = if retry.is_untested { ", unclassified" } else { "" };
        format!("{} by {}{untested}", retry.class, time(retry.witness_start, day))
    });
    match (retried, call.is_repeat) {
        (None, false) => nothing(),
        (None, true) => "repeat".to_owned(),
        (Some(retried), false) => retried,
        (Some(retried), true) => format!("{retried}; repeat"),
    }
}

fn chain(call: &ExplainedCall, day: Day) -> String {
    call.chain.map_or_else(nothing, |chain| {
        let kind = match chain.kind {
            ChainKind::NotOfRetries => "no rewording".to_owned(),
            ChainKind::Usable { extra_attempts } => format!("usable after {extra_attempts} more"),
            ChainKind::Abandoned => "abandoned".to_owned(),
        };
        format!("{} {kind}", time(chain.start, day))
    })
}

fn counted(counted: Option<Counted>) -> String {
    let word = match counted {
        None => "-",
        Some(Counted::Success) => "yes",
        Some(Counted::Failed) => "no: failed",
        Some(Counted::Empty) => "no: empty",
        Some(Counted::Retried) => "no: retried",
    };
    word.to_owned()
}

/// How often the call was seen, and whether calls beside it are missing.
fn seen(call: &ExplainedCall) -> String {
    let mut text = call.sightings.to_string();
    if call.duplicates > 0 {
        // Writing to a text cannot fail.
        write!(text, ", {} of them again", call.duplicates).ok();
    }
    if call.is_sampled {
        text.push_str(", sampled");
    }
    text
}

/// `23:59:50.000`, with more digits where they say more, and the day where it is another one.
fn time(instant: UnixNanos, day: Day) -> String {
    let nanos = instant.get() % 86_400_000_000_000;
    let (minutes, nanos) = (nanos / 60_000_000_000, nanos % 60_000_000_000);
    let of = instant.day();
    let of = if of == day { String::new() } else { format!(" of {of}") };
    let pad = if nanos < 10_000_000_000 { "0" } else { "" };
    format!("{:02}:{:02}:{pad}{}{of}", minutes / 60, minutes % 60, seconds(nanos))
}

/// Seconds with three decimals, or with nine where three would hide something: every rule of the
/// method is exact to the nanosecond.
fn seconds(nanos: u64) -> String {
    let (whole, part) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    if part.is_multiple_of(1_000_000) {
        format!("{whole}.{:03}", part / 1_000_000)
    } else {
        format!("{whole}.{part:09}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{CallDuration, Emptiness, Outcome, SessionGrade};
    use crate::figures::{RetryClass, UnjudgedReason};
    use crate::nightly::{ExplainedChain, ExplainedRetry};

    fn day() -> Day {
        "2026-11-29".parse().unwrap()
    }

    fn after_midnight(nanos: u64) -> UnixNanos {
        day().start().saturating_add(CallDuration::from_nanos(nanos))
    }

    fn call() -> ExplainedCall {
        ExplainedCall {
            service: "shop".to_owned(),
            tool: "search".to_owned(),
            client: "bot\n".to_owned(),
            session: Some(3),
            grade: SessionGrade::B,
            start: after_midnight(43_200_000_000_000),
            end: after_midnight(43_201_500_000_000),
            outcome: Outcome::Ok,
            emptiness: Emptiness::No,
            standing: Standing::Judged,
            retry: None,
            is_repeat: false,
            chain: None,
            confidence: Confidence::High,
            is_sampled: false,
            sightings: 1,
            duplicates: 0,
            recovery: None,
        }
    }

    /// One column of a call's line.
    fn cell(column: &str, call: &ExplainedCall) -> String {
        let at = COLUMNS.iter().position(|name| *name == column).unwrap();
        cells(call, day())[at].clone()
    }

    #[test]
    fn a_plain_call_is_told_in_one_line_that_its_names_cannot_break() {
        let line = cells(&call(), day()).join("|");
        assert_eq!(
            line,
            "12:00:00.000|1.500 s|shop|search|bot\u{fffd}|3|B|ok|no|yes|-|-|yes|yes|1|-"
        );
    }

    #[test]
    fn times_are_exact_and_say_another_day() {
        let time = |nanos| time(after_midnight(nanos), day());
        assert_eq!(time(86_390_250_000_000), "23:59:50.250");
        assert_eq!(time(5_000_000_001), "00:00:05.000000001");
        assert_eq!(time(86_400_000_000_000 + 5_000_000_000), "00:00:05.000 of 2026-11-30");
        assert_eq!(seconds(30_000_000_000), "30.000");
        assert_eq!(seconds(30_000_000_001), "30.000000001");
    }

    #[test]
    fn every_reason_not_to_judge_has_its_word() {
        let with = |standing| {
            let call = ExplainedCall { standing, ..call() };
            ["judged", "first_call", "confirmed"].map(|column| cell(column, &call))
        };
        for (reason, words) in [
            (UnjudgedReason::NoTime, "no: no_time"),
            (UnjudgedReason::NoSession, "no: no_session"),
            (UnjudgedReason::NoArgsHash, "no: no_args_hash"),
            (UnjudgedReason::UnknownComparison, "no: unknown_comparison"),
        ] {
            assert_eq!(with(Standing::Unjudged(reason)), [words, "-", "-"]);
        }
        assert_eq!(UnjudgedReason::ALL.len(), 4);
        assert_eq!(with(Standing::OfNoTool), ["no: unknown_tool", "-", "-"]);
        let call = ExplainedCall { session: None, grade: SessionGrade::E, ..call() };
        assert_eq!((cell("session", &call), cell("grade", &call)), ("-".into(), "E".into()));
    }

    #[test]
    fn every_class_tells_its_witness_and_what_became_of_the_call() {
        use Emptiness::{No, Unknown, Yes};
        let with = |class, outcome, emptiness| {
            let witness_start = after_midnight(43_210_000_000_000);
            let retry = Some(ExplainedRetry { witness_start, class, is_untested: false });
            let call = ExplainedCall { outcome, emptiness, retry, ..call() };
            ["retry", "first_call", "confirmed"].map(|column| cell(column, &call))
        };
        for (class, outcome, emptiness, words) in [
            (RetryClass::FanOut, Outcome::Ok, No, ["fan_out", "no: retried", "yes"]),
            (RetryClass::FanOut, Outcome::Crashed, No, ["fan_out", "no: failed", "no: failed"]),
            (RetryClass::Paging, Outcome::Ok, Yes, ["paging", "no: empty", "no: empty"]),
            (RetryClass::Sweep, Outcome::Ok, Unknown, ["sweep", "no: retried", "yes"]),
            (
                RetryClass::AfterBadArgs,
                Outcome::BadArgs,
                Unknown,
                ["after_bad_args", "no: failed", "no: failed"],
            ),
            (
                RetryClass::AfterFailure,
                Outcome::Timeout,
                Unknown,
                ["after_failure", "no: failed", "no: failed"],
            ),
            (RetryClass::AfterEmpty, Outcome::Ok, Yes, ["after_empty", "no: empty", "no: empty"]),
            (RetryClass::AfterOk, Outcome::Ok, No, ["after_ok", "no: retried", "no: retried"]),
        ] {
            let [retry, first, confirmed] = words;
            let told = [&format!("{retry} by 12:00:10.000"), first, confirmed].map(str::to_owned);
            assert_eq!(with(class, outcome, emptiness), told);
        }
    }

    #[test]
    fn what_else_is_known_of_a_call_stands_beside_it() {
        let witness_start = after_midnight(86_405_000_000_000);
        let class = RetryClass::AfterOk;
        let retry = Some(ExplainedRetry { witness_start, class, is_untested: true });
        let both = ExplainedCall { retry, is_repeat: true, ..call() };
        assert_eq!(
            cell("retry", &both),
            "after_ok by 00:00:05.000 of 2026-11-30, unclassified; repeat"
        );
        assert_eq!(cell("retry", &ExplainedCall { is_repeat: true, ..call() }), "repeat");
        let chain = |kind| {
            let chain = Some(ExplainedChain { start: call().start, kind });
            cell("chain", &ExplainedCall { chain, ..call() })
        };
        assert_eq!(chain(ChainKind::NotOfRetries), "12:00:00.000 no rewording");
        let usable = ChainKind::Usable { extra_attempts: 2 };
        assert_eq!(chain(usable), "12:00:00.000 usable after 2 more");
        assert_eq!(chain(ChainKind::Abandoned), "12:00:00.000 abandoned");
        let low = ExplainedCall { confidence: Confidence::Low, ..call() };
        assert_eq!(cell("outcome", &low), "ok (low confidence)");
        let failed = ExplainedCall { outcome: Outcome::Error, ..low };
        assert_eq!(cell("outcome", &failed), "error");
        let often = ExplainedCall { sightings: 4, duplicates: 1, is_sampled: true, ..call() };
        assert_eq!(cell("seen", &often), "4, 1 of them again, sampled");
    }
}
