//! Where each finding begins: one below its floors nothing is said, at them it is. Worked by hand.

use std::collections::BTreeMap;

use super::tests::{good, key, range, rules};
use super::*;
use crate::call::{Name, Outcome, SessionGrade};
use crate::figures::{PairKey, RetryClass, RewordedCount, SessionCounts, UnjudgedReason};

const SECOND: u64 = 1_000_000_000;

/// How severe `rule` is for a tool with these figures; none where nothing is found.
fn severity(rule: FindingRule, figures: Figures) -> Option<Severity> {
    let found = rules(&range(figures));
    found.into_iter().find(|(_, found)| *found == rule).map(|(severity, _)| severity)
}

fn texts(rule: FindingRule, figures: Figures) -> (String, String) {
    let found = findings(&range(figures), &RangeFigures::default());
    let found = found.into_iter().find(|found| found.rule == rule).unwrap();
    (found.sentence.to_string(), found.advice.to_string())
}

fn failing(calls: u64, outcome: Outcome, times: u64) -> Figures {
    let mut figures = good(calls, calls, calls);
    figures.outcomes = crate::figures::Counts::default();
    figures.outcomes.add(Outcome::Ok, calls - times);
    figures.outcomes.add(outcome, times);
    figures.emptiness_known = calls - times;
    figures
}

fn of_one_session(figures: Figures) -> Figures {
    Figures { sessions: 1, ..figures }
}

const NOTE: Option<Severity> = Some(Severity::Note);
const MEDIUM: Option<Severity> = Some(Severity::Medium);
const HIGH: Option<Severity> = Some(Severity::High);

#[test]
fn a_low_rate_is_severe_below_a_half() {
    let of = |successes| severity(FindingRule::LowFirstCall, good(100, successes, successes));
    assert_eq!([of(70), of(69), of(50), of(49)], [None, MEDIUM, MEDIUM, HIGH]);
}

#[test]
fn extra_attempts_need_ten_chains_one_and_a_half_attempts_and_a_twentieth_of_the_calls() {
    let of = |calls, successes, chains, attempts| {
        let mut figures = good(calls, successes, successes);
        (figures.usable_chains, figures.extra_attempts) = (chains, attempts);
        severity(FindingRule::ExtraAttempts, figures)
    };
    assert_eq!(of(100, 95, 10, 15), MEDIUM);
    assert_eq!(of(100, 95, 9, 15), None, "nine chains");
    assert_eq!(of(100, 95, 10, 14), None, "1.4 attempts");
    assert_eq!(of(101, 96, 10, 15), None, "5 of 101 calls are below 5 %");
    assert_eq!(of(20, 10, 10, 15), MEDIUM);
    assert_eq!(of(19, 9, 10, 15), None, "few calls");
}

#[test]
fn extra_attempts_name_the_client_of_four_in_five_chains() {
    let said = |of_bot: u64| {
        let mut now = range(good(200, 150, 150));
        let tool = now.tools.get_mut(&key("search")).unwrap();
        (tool.all.usable_chains, tool.all.extra_attempts) = (10, 20);
        let of = |chains| Figures { usable_chains: chains, ..good(100, 75, 75) };
        let client = |name: &str| ClientName::new(Name::cut(name));
        let clients = [(client("bot"), of(of_bot)), (client("ide"), of(10 - of_bot))];
        tool.clients = clients.map(|(name, figures)| (name, (&figures).into())).into();
        let found = findings(&now, &RangeFigures::default());
        let found = found.iter().find(|f| f.rule == FindingRule::ExtraAttempts).unwrap();
        (found.sentence.to_string(), found.client.is_some())
    };
    let (sentence, has_client) = said(8);
    let begin = "Agents retried search 2.0 times on average before getting a usable answer";
    assert!(sentence.starts_with(&format!("{begin}, nearly all of them in bot: ")), "{sentence}");
    assert!(has_client);
    let (sentence, has_client) = said(7);
    assert!(sentence.starts_with(&format!("{begin}: ")), "{sentence}");
    assert!(!has_client);
}

#[test]
fn green_retries_need_twenty_and_a_twentieth_of_the_calls() {
    let of = |calls, after_ok| {
        severity(FindingRule::GreenRetries, good(calls, calls - after_ok, calls - after_ok))
    };
    assert_eq!([of(400, 20), of(401, 20), of(100, 19)], [NOTE, None, None]);
    // 15 % of 140 is 21.
    assert_eq!([of(140, 21), of(141, 21)], [MEDIUM, NOTE]);
}

#[test]
fn refused_arguments_say_which_description_to_read() {
    let with = |retries, sessions| {
        let mut figures = failing(50, Outcome::BadArgs, 5);
        figures.retry_classes.add(RetryClass::AfterBadArgs, 4);
        figures.reworded_known = 20;
        figures.reworded.insert(Name::cut("due"), RewordedCount { retries, sessions });
        texts(FindingRule::BadArguments, figures)
    };
    let refuses = "search refuses 10\u{a0}% of 50\u{a0}calls; 4 of the 5 refused calls were put \
                   right by other arguments within 30\u{a0}s.";
    let (sentence, advice) = with(5, 5);
    assert_eq!(sentence, format!("{refuses} 25\u{a0}% of the rewordings change due."));
    let said = "Read the description of due, and put into it and into the schema what the error \
                message explains.";
    assert_eq!(advice, said);
    let unnamed = "Read the parameters' descriptions, and put into them and into the schema what \
                   the error message explains.";
    // Seen in four sessions, and changed in a fifth of the rewordings: no name.
    for (retries, sessions) in [(5, 4), (4, 5)] {
        assert_eq!(with(retries, sessions), (refuses.to_owned(), unnamed.to_owned()));
    }
}

#[test]
fn refusals_and_failures_are_severe_from_three_in_ten_on() {
    for (rule, outcome) in [
        (FindingRule::BadArguments, Outcome::BadArgs),
        (FindingRule::Failures, Outcome::ToolError),
        (FindingRule::Failures, Outcome::Crashed),
        (FindingRule::Failures, Outcome::Timeout),
        (FindingRule::Failures, Outcome::Cancelled),
        (FindingRule::Failures, Outcome::Error),
    ] {
        let of = |calls, times| severity(rule, failing(calls, outcome, times));
        assert_eq!([of(50, 4), of(50, 5), of(49, 49)], [None, MEDIUM, None], "{outcome}");
        assert_eq!([of(50, 14), of(50, 15)], [MEDIUM, HIGH], "{outcome}");
        let alone = of_one_session(failing(50, outcome, 15));
        assert_eq!(severity(rule, alone), None, "{outcome}");
    }
}

/// A finding's tool, its severity, its words and its advice.
type Said = (String, Severity, String, String);

/// The findings of failures of a service's tools: a name, its calls and how many failed.
fn failures_of(tools: &[(&str, u64, u64)]) -> Vec<Said> {
    let mut now = RangeFigures::default();
    for (name, calls, failed) in tools {
        let all = failing(*calls, Outcome::Timeout, *failed);
        now.tools.insert(key(name), ToolFigures { all, clients: BTreeMap::new() });
    }
    let elsewhere = ToolKey { service: Name::cut("ledger"), tool: Name::cut("other") };
    let all = failing(100, Outcome::Timeout, 40);
    now.tools.insert(elsewhere, ToolFigures { all, clients: BTreeMap::new() });
    let found = findings(&now, &RangeFigures::default());
    let found = found.into_iter().filter(|found| found.rule == FindingRule::Failures);
    let said = |one: Finding| {
        let (tool, sentence) = (one.tool.tool.as_str().to_owned(), one.sentence.to_string());
        (tool, one.severity, sentence, one.advice.to_string())
    };
    found.map(said).collect()
}

#[test]
fn tools_of_a_service_that_fail_together_have_one_finding_that_speaks_for_all() {
    let found = failures_of(&[
        ("a", 100, 12),
        ("b", 100, 35),
        ("c", 50, 5),
        ("d", 100, 9),
        ("e", 1000, 0),
        ("f", 49, 49),
    ]);
    let order: Vec<_> =
        found.iter().map(|(tool, severity, ..)| (tool.as_str(), *severity)).collect();
    let (high, note) = (Severity::High, Severity::Note);
    assert_eq!(order, [("other", high), ("b", high), ("a", note), ("c", note)]);
    for (tool, _, sentence, advice) in &found {
        let is_shared = tool != "other";
        let said = " 3 of the service's 5 tools with 50 calls or more fail in a tenth of them.";
        assert_eq!(sentence.ends_with(said), is_shared, "{sentence}");
        assert_eq!(advice.starts_with("Look for what these tools share"), is_shared, "{advice}");
    }
    // Two are no outage, and neither are three of seven.
    let two = failures_of(&[("a", 100, 12), ("b", 100, 35)]);
    let three_of_seven: Vec<_> = ["a", "b", "c", "d", "e", "f", "g"]
        .into_iter()
        .map(|name| (name, 100, if name < "d" { 12 } else { 0 }))
        .collect();
    for found in [two, failures_of(&three_of_seven)] {
        assert!(found.iter().all(|(_, severity, ..)| *severity != Severity::Note), "{found:?}");
        assert!(found.iter().all(|(.., sentence, _)| !sentence.contains("service's")), "{found:?}");
    }
}

#[test]
fn empties_need_five_of_twenty_known_answers() {
    let of = |known, empty| {
        let figures = Figures { emptiness_known: known, empty, ..good(100, 95, 95) };
        severity(FindingRule::EmptyAnswers, figures)
    };
    assert_eq!([of(20, 5), of(20, 4), of(19, 5)], [MEDIUM, None, None]);
    // More than 5 %, and medium above 20 %.
    assert_eq!([of(100, 5), of(100, 6), of(100, 20), of(100, 21)], [None, NOTE, NOTE, MEDIUM]);
}

#[test]
fn empties_that_are_reworded_call_for_words_and_others_for_a_look() {
    let advice = |empty_reworded| {
        let figures = Figures { empty: 10, empty_reworded, ..good(100, 90, 90) };
        texts(FindingRule::EmptyAnswers, figures).1
    };
    let words = "Say in the description that nothing may match, and let an empty answer say what \
                 was searched.";
    assert_eq!(advice(5), words);
    assert_eq!(advice(4), "Make sure that nothing found and nothing allowed read differently.");
}

#[test]
fn last_words_need_twenty_sessions_and_a_fifth_of_them() {
    let of = |last_words, last_word_failed| {
        let figures = Figures { last_words, last_word_failed, ..good(100, 95, 95) };
        severity(FindingRule::LastWord, figures)
    };
    assert_eq!([of(20, 4), of(20, 3), of(19, 19)], [NOTE, None, None]);
}

#[test]
fn a_tool_is_slow_where_the_nineteenth_of_twenty_calls_is() {
    let of = |calls, fast: u64, slow: u64, seconds: u64| {
        let mut figures = good(calls, calls, calls);
        (0..fast).for_each(|_| figures.latency.record(SECOND));
        (0..slow).for_each(|_| figures.latency.record(seconds * SECOND));
        severity(FindingRule::SlowTool, figures)
    };
    assert_eq!([of(20, 18, 2, 41), of(20, 19, 1, 41), of(19, 0, 19, 41)], [NOTE, None, None]);
    // Thirty seconds lie in the bucket whose middle is 2^(1113.5/32) ns, 29.8 s; 31 s in one with
    // 31.2 s.
    assert_eq!([of(20, 0, 20, 30), of(20, 0, 20, 31)], [None, NOTE]);
}

#[test]
fn loops_and_pages_need_twenty_calls_and_more_than_one_session() {
    let of = |calls, class, times| {
        let mut figures = good(calls, calls - times, calls);
        figures.retry_classes = crate::figures::Counts::default();
        figures.retry_classes.add(class, times);
        figures
    };
    let sweeps = |calls, times| severity(FindingRule::Sweeps, of(calls, RetryClass::Sweep, times));
    assert_eq!([sweeps(200, 20), sweeps(201, 20), sweeps(100, 19)], [NOTE, None, None]);
    let pages =
        |calls, times| severity(FindingRule::SmallPages, of(calls, RetryClass::Paging, times));
    assert_eq!([pages(40, 20), pages(41, 20), pages(38, 19)], [NOTE, None, None]);
    for (rule, class) in
        [(FindingRule::Sweeps, RetryClass::Sweep), (FindingRule::SmallPages, RetryClass::Paging)]
    {
        assert_eq!(severity(rule, of(40, class, 20)), NOTE);
        assert_eq!(severity(rule, of_one_session(of(40, class, 20))), None);
    }
}

#[test]
fn a_pair_needs_twenty_times_and_three_in_five_of_the_calls() {
    let of = |calls, times, sessions| {
        let mut now = range(Figures { sessions, ..good(calls, calls, calls) });
        now.pairs.insert(PairKey { first: key("search"), next: key("get") }, times);
        rules(&now)
    };
    let note = vec![(Severity::Note, FindingRule::AlwaysFollows)];
    assert_eq!(of(33, 20, 20), note, "60.6 %");
    assert_eq!(of(34, 20, 20), [], "58.8 %");
    assert_eq!(of(19, 19, 20), []);
    assert_eq!((of(100, 60, 20), of(100, 59, 20)), (note, Vec::new()));
    assert_eq!(of(100, 100, 1), [], "what one session does");
}

#[test]
fn missing_telemetry_is_named_from_a_fifth_and_from_a_half_on() {
    let hashes = |calls, missing| {
        let mut figures = good(calls, calls, calls);
        figures.judged -= missing;
        figures.first_call_successes -= missing;
        figures.confirmed_first_call_successes -= missing;
        figures.unjudged.add(UnjudgedReason::NoArgsHash, missing);
        severity(FindingRule::HashesMissing, figures)
    };
    assert_eq!([hashes(20, 4), hashes(20, 3), hashes(19, 19)], [NOTE, None, None]);
    let emptiness = |ok, known| {
        let figures = Figures { emptiness_known: known, ..good(ok, ok, ok) };
        severity(FindingRule::EmptinessMissing, figures)
    };
    assert_eq!([emptiness(20, 10), emptiness(20, 11), emptiness(19, 0)], [NOTE, None, None]);
}

#[test]
fn sessions_are_unreal_from_ninety_five_of_a_hundred_and_from_fifty_on() {
    let of = |sessions, single_call, shared, of_client: &str| {
        let mut now = range(good(200, 200, 200));
        let mut counts = SessionCounts { single_call, shared, ..SessionCounts::default() };
        counts.sessions.add(SessionGrade::B, sessions);
        now.sessions.insert(ClientName::new(Name::cut(of_client)), counts);
        rules(&now)
    };
    let fragmented = vec![(Severity::Medium, FindingRule::FragmentedSessions)];
    assert_eq!((of(100, 95, 0, "ide"), of(100, 94, 0, "ide")), (fragmented.clone(), vec![]));
    // 95 % of 50 is 47.5.
    assert_eq!((of(50, 48, 0, "ide"), of(50, 47, 0, "ide")), (fragmented, vec![]));
    assert_eq!(of(49, 49, 0, "ide"), []);
    assert_eq!(of(49, 0, 1, "ide"), [(Severity::Note, FindingRule::SharedSessions)]);
    // A client that called no tool: there is no finding without a tool.
    assert_eq!(of(100, 100, 9, "idle"), []);
}

#[test]
fn over_several_tools_only_a_name_that_one_of_them_saw_often_enough_is_shown() {
    let tool = |parameters: &[(&str, u64)]| {
        let mut tool = ToolFigures::default();
        for (name, sessions) in parameters {
            let count = RewordedCount { retries: 1, sessions: *sessions };
            tool.all.reworded.insert(Name::cut(name), count);
        }
        tool
    };
    // One session that calls both tools is one of each: four sessions in all may have `secret`.
    let tools =
        [("a", tool(&[("secret", 4), ("query", 4)])), ("b", tool(&[("secret", 4), ("query", 5)]))];
    let tools = tools.into_iter().map(|(name, tool)| (key(name), tool)).collect();
    let now = RangeFigures { tools, ..RangeFigures::default() };
    let shown: Vec<&str> = nameable(&now).into_iter().map(Name::as_str).collect();
    assert_eq!(shown, ["query"]);
}
