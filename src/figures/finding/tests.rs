use std::collections::BTreeMap;

use super::*;
use crate::call::{Name, Outcome, SessionGrade};
use crate::figures::{PackedFigures, RetryClass, RewordedCount, SessionCounts, UnjudgedReason};
use proptest::prelude::*;

pub(super) fn key(name: &str) -> ToolKey {
    ToolKey { service: Name::cut("orders"), tool: Name::cut(name) }
}

pub(super) fn range(figures: Figures) -> RangeFigures {
    let client = ClientName::new(Name::cut("ide"));
    let clients = BTreeMap::from([(client, PackedFigures::from(&figures))]);
    let tool = ToolFigures { all: figures.clone(), clients };
    RangeFigures {
        overall: figures,
        tools: BTreeMap::from([(key("search"), tool)]),
        ..RangeFigures::default()
    }
}

pub(super) fn rules(now: &RangeFigures) -> Vec<(Severity, FindingRule)> {
    findings(now, &RangeFigures::default()).into_iter().map(|f| (f.severity, f.rule)).collect()
}

/// Calls that all ended well with known answers.
pub(super) fn good(calls: u64, successes: u64, confirmed: u64) -> Figures {
    let mut figures = Figures {
        calls,
        sessions: 20,
        judged: calls,
        emptiness_known: calls,
        first_call_successes: successes,
        confirmed_first_call_successes: confirmed,
        retried: calls - successes,
        ..Figures::default()
    };
    figures.outcomes.add(Outcome::Ok, calls);
    figures.retry_classes.add(RetryClass::AfterOk, calls - confirmed);
    figures.retry_classes.add(RetryClass::FanOut, confirmed - successes);
    figures
}

#[test]
fn a_healthy_tool_has_no_finding() {
    assert_eq!(rules(&range(good(1000, 960, 970))), []);
}

#[test]
fn low_and_severe_rates_fire_from_twenty_judged_calls_on() {
    let low = rules(&range(good(100, 69, 69)));
    assert!(low.contains(&(Severity::Medium, FindingRule::LowFirstCall)), "{low:?}");
    let severe = rules(&range(good(20, 9, 9)));
    assert!(severe.contains(&(Severity::High, FindingRule::LowFirstCall)), "{severe:?}");
    assert_eq!(
        rules(&range(good(100, 70, 70)))[..1],
        [(Severity::Medium, FindingRule::GreenRetries)]
    );
    assert_eq!(rules(&range(good(19, 1, 1))), []);
}

#[test]
fn what_fewer_than_twenty_sessions_show_is_no_struggle_with_a_tool() {
    use FindingRule::{BadArguments, EmptyAnswers, ExtraAttempts, GreenRetries, LowFirstCall};
    let of_sessions = |sessions| {
        let mut figures = good(400, 100, 100);
        figures.sessions = sessions;
        figures.outcomes.add(Outcome::BadArgs, 100);
        figures.empty = 200;
        figures.usable_chains = 100;
        figures.extra_attempts = 300;
        rules(&range(figures))
    };
    let found: Vec<FindingRule> = of_sessions(20).into_iter().map(|(_, rule)| rule).collect();
    for rule in [BadArguments, EmptyAnswers, ExtraAttempts, GreenRetries, LowFirstCall] {
        assert!(found.contains(&rule), "{rule} of {found:?}");
    }
    assert_eq!(of_sessions(19), []);
    assert_eq!(of_sessions(1), []);
    // Days that were covered before sessions of tools were counted.
    assert_eq!(of_sessions(0), of_sessions(20));
}

#[test]
fn a_rate_that_look_alikes_alone_made_low_is_in_its_band_and_says_so() {
    let low = rules(&range(good(400, 199, 398)));
    assert_eq!(low, [(Severity::High, FindingRule::LowFirstCall)], "49.75 %");
    let found = findings(&range(good(400, 200, 398)), &RangeFigures::default());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].severity, found[0].rule), (Severity::Medium, FindingRule::LowFirstCall));
    let advice = "Look at how it is called before you reword anything.";
    assert_eq!(found[0].advice.to_string(), advice);
    assert_eq!(
        found[0].sentence.to_string(),
        "search: 50.0\u{a0}% of 400\u{a0}judged calls right the first time, 99.5\u{a0}% once \
         look-alikes are set aside. 198 of 200\u{a0}retries look like loops, pages or parallel \
         calls."
    );
}

#[test]
fn a_fall_beyond_the_interval_is_found_and_tells_whether_it_is_confirmed() {
    let before = range(good(900, 639, 700));
    let found = findings(&range(good(892, 517, 560)), &before);
    assert_eq!(found[0].rule, FindingRule::FirstCallFell);
    assert_eq!(found[0].severity, Severity::High); // 71.0 to 58.0 is 13 points
    let found = findings(&range(good(892, 517, 700)), &before);
    let fell = found.iter().find(|f| f.rule == FindingRule::FirstCallFell).unwrap();
    assert!(fell.sentence.to_string().ends_with("confirmed first-call success did not fall."));
    assert!(fell.sentence.to_string().contains("892\u{a0}calls judged, 900 before"));
    assert!(
        findings(&range(good(892, 625, 700)), &before)
            .iter()
            .all(|f| f.rule != FindingRule::FirstCallFell)
    );
}

#[test]
fn extra_attempts_read_as_the_method_says() {
    let mut figures = good(300, 240, 240);
    figures.retry_chains = 25;
    figures.usable_chains = 20;
    figures.abandoned_chains = 5;
    figures.extra_attempts = 48;
    figures.reworded_known = 60;
    let count = RewordedCount { retries: 45, sessions: 9 };
    figures.reworded.insert(Name::cut("customer_ref"), count);
    let rare = RewordedCount { retries: 59, sessions: 4 };
    figures.reworded.insert(Name::cut("secret_name"), rare);
    let found = findings(&range(figures), &RangeFigures::default());
    let extra = found.iter().find(|f| f.rule == FindingRule::ExtraAttempts).unwrap();
    assert_eq!(
        extra.sentence.to_string(),
        "Agents retried search 2.4 times on average before getting a usable answer: 20\u{a0}retry \
         chains ended usable, 5\u{a0}were abandoned. 75\u{a0}% of the rewordings change \
         customer_ref."
    );
    assert_eq!(extra.count, 20);
    let said = |f: &Finding| format!("{} {}", f.sentence, f.advice);
    assert!(!found.iter().any(|f| said(f).contains("secret_name")));
}

#[test]
fn refusals_and_failures_need_fifty_calls_and_a_tenth_of_them() {
    let with = |calls: u64, outcome, times: u64| {
        let mut figures = good(calls, calls, calls);
        figures.outcomes = super::super::Counts::default();
        figures.outcomes.add(Outcome::Ok, calls - times);
        figures.outcomes.add(outcome, times);
        figures.emptiness_known = calls - times;
        rules(&range(figures))
    };
    assert_eq!(with(50, Outcome::BadArgs, 5), [(Severity::Medium, FindingRule::BadArguments)]);
    assert_eq!(with(50, Outcome::BadArgs, 4), []);
    assert_eq!(with(49, Outcome::BadArgs, 40), []);
    assert_eq!(with(100, Outcome::Timeout, 30), [(Severity::High, FindingRule::Failures)]);
}

#[test]
fn empties_fire_above_a_twentieth_and_are_severe_above_a_fifth() {
    let with = |empty| {
        let figures = Figures { empty, empty_reworded: empty, ..good(100, 95, 95) };
        rules(&range(figures))
    };
    assert_eq!(with(5), []);
    assert_eq!(with(6), [(Severity::Note, FindingRule::EmptyAnswers)]);
    assert_eq!(with(21), [(Severity::Medium, FindingRule::EmptyAnswers)]);
}

#[test]
fn a_tool_slower_than_the_window_is_named() {
    let mut figures = good(20, 20, 20);
    for _ in 0..20 {
        figures.latency.record(41_000_000_000);
    }
    assert_eq!(rules(&range(figures)), [(Severity::Note, FindingRule::SlowTool)]);
}

#[test]
fn missing_hashes_and_unknown_emptiness_are_named() {
    let mut figures = Figures { calls: 100, ..Figures::default() };
    figures.outcomes.add(Outcome::Ok, 100);
    figures.unjudged.add(UnjudgedReason::NoArgsHash, 100);
    assert_eq!(
        rules(&range(figures)),
        [
            (Severity::Note, FindingRule::HashesMissing),
            (Severity::Note, FindingRule::EmptinessMissing)
        ]
    );
}

#[test]
fn sessions_that_are_not_real_are_named_with_a_tool() {
    let mut now = range(good(100, 100, 100));
    let client = ClientName::new(Name::cut("ide"));
    let mut sessions = SessionCounts { single_call: 95, shared: 2, ..SessionCounts::default() };
    sessions.sessions.add(SessionGrade::B, 100);
    now.sessions.insert(client, sessions);
    let found = findings(&now, &RangeFigures::default());
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].rule, FindingRule::FragmentedSessions);
    assert_eq!(found[0].tool, key("search"));
    assert!(found[0].sentence.to_string().starts_with("95\u{a0}% of 100\u{a0}sessions of ide"));
    assert_eq!(found[1].rule, FindingRule::SharedSessions);
}

#[test]
fn loops_and_pairs_are_notes() {
    let mut figures = good(200, 100, 200);
    figures.retry_classes = super::super::Counts::default();
    figures.retry_classes.add(RetryClass::Sweep, 100);
    let mut now = range(figures);
    let pair = super::super::PairKey { first: key("search"), next: key("get") };
    now.pairs.insert(pair, 120);
    let found = rules(&now);
    assert!(found.contains(&(Severity::Note, FindingRule::Sweeps)), "{found:?}");
    assert!(found.contains(&(Severity::Note, FindingRule::AlwaysFollows)), "{found:?}");
}

#[test]
fn pages_that_are_too_small_are_named_from_two_pages_an_answer_on() {
    let with = |calls: u64, turned: u64| {
        let mut figures = good(calls, calls, calls);
        figures.retried = turned;
        figures.retry_classes.add(RetryClass::Paging, turned);
        findings(&range(figures), &RangeFigures::default())
    };
    // 150 of 200 calls are followed by their next page, so 50 end an answer: 4 pages each.
    let found = with(200, 150);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].severity, found[0].rule), (Severity::Note, FindingRule::SmallPages));
    assert_eq!((&found[0].tool, found[0].count), (&key("search"), 150));
    assert_eq!(
        found[0].sentence.to_string(),
        "search answers in pages: 150 of 200\u{a0}calls are for a further page, 4.0 pages an \
         answer on average."
    );
    assert_eq!(with(200, 100).len(), 1);
    assert_eq!(with(200, 99), []);
    assert_eq!(with(30, 19), []);
}

/// One tool with the calls, successes and confirmed successes of each client.
fn by_client(clients: &[(&str, u64, u64, u64)]) -> RangeFigures {
    let mut tool = ToolFigures::default();
    for (client, calls, successes, confirmed) in clients {
        let figures = good(*calls, *successes, *confirmed);
        tool.all.merge(&figures);
        tool.clients.insert(ClientName::new(Name::cut(client)), PackedFigures::from(&figures));
    }
    RangeFigures {
        overall: tool.all.clone(),
        tools: BTreeMap::from([(key("search"), tool)]),
        ..RangeFigures::default()
    }
}

fn splits(clients: &[(&str, u64, u64, u64)]) -> Vec<Finding> {
    let found = findings(&by_client(clients), &RangeFigures::default());
    found.into_iter().filter(|found| found.rule == FindingRule::ClientSplit).collect()
}

#[test]
fn a_client_that_fares_worse_beyond_chance_is_named_with_the_tool() {
    // 95 % intervals by hand: 60 of 100 is 50.2 to 69.1 %, 180 of 200 is 85.1 to 93.4 %.
    let found = splits(&[("bot", 100, 60, 62), ("cli", 100, 91, 92), ("ide", 100, 89, 90)]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, Severity::Medium);
    assert_eq!(found[0].client, Some(ClientName::new(Name::cut("bot"))));
    assert_eq!((&found[0].tool, found[0].count), (&key("search"), 100));
    assert_eq!(
        found[0].sentence.to_string(),
        "bot gets search right the first time in 60.0\u{a0}% of 100\u{a0}judged calls, the other \
         clients in 90.0\u{a0}% of 200; once look-alikes are set aside, 62.0\u{a0}% and \
         91.0\u{a0}%."
    );
    // 75 against 90 of 100 is 15 points: 65.7 to 82.5 % and 85.1 to 93.4 %.
    let found = splits(&[("bot", 100, 75, 75), ("ide", 200, 180, 180)]);
    assert_eq!(found[0].severity, Severity::Note);
}

#[test]
fn chance_few_calls_trifles_and_look_alikes_split_no_clients() {
    // 78 of 100 is 68.9 to 85.0 %, 85 of 100 is 76.7 to 90.7 %: they meet.
    assert_eq!(splits(&[("bot", 100, 78, 78), ("ide", 100, 85, 85)]), []);
    assert_eq!(splits(&[("bot", 19, 2, 2), ("ide", 200, 190, 190)]), []);
    assert_eq!(splits(&[("bot", 200, 20, 20), ("ide", 19, 19, 19)]), []);
    // Nine points of ten thousand calls each are far beyond chance, and small.
    assert_eq!(splits(&[("bot", 10_000, 8600, 8600), ("ide", 10_000, 9500, 9500)]), []);
    // The client calls in parallel; once that is set aside the two are alike.
    assert_eq!(splits(&[("bot", 100, 40, 95), ("ide", 100, 95, 95)]), []);
    assert_eq!(splits(&[("bot", 500, 100, 100)]), []);
}

/// Figures that add up as a pass would make them, from a few small numbers.
fn any_figures() -> impl Strategy<Value = Figures> {
    let part = 0..200_u64;
    prop::collection::vec(part, 14).prop_map(|parts| {
        let [good, bad_args, failed, empty, fan, page, sweep, ok, rest @ ..] =
            <[u64; 14]>::try_from(parts).unwrap();
        let calls = good + bad_args + failed + empty + fan + page + sweep + ok;
        let mut figures = Figures {
            calls,
            judged: calls,
            first_call_successes: good,
            confirmed_first_call_successes: good + fan + page + sweep,
            retried: bad_args + failed + empty + fan + page + sweep + ok,
            empty,
            empty_reworded: empty,
            emptiness_known: (calls - bad_args - failed).min(empty + rest[0]),
            usable_chains: rest[1],
            extra_attempts: rest[1] * 2,
            abandoned_chains: rest[2],
            retry_chains: rest[1] + rest[2],
            last_words: rest[3] + rest[4],
            last_word_failed: rest[3],
            unclassified: rest[5],
            reworded_known: ok + empty,
            ..Figures::default()
        };
        let reworded = RewordedCount { retries: ok, sessions: rest[0] };
        figures.reworded.insert(Name::cut("customer_ref"), reworded);
        let outcomes = [(Outcome::BadArgs, bad_args), (Outcome::Timeout, failed)];
        for (outcome, times) in outcomes {
            figures.outcomes.add(outcome, times);
        }
        figures.outcomes.add(Outcome::Ok, calls - bad_args - failed);
        for (class, times) in [
            (RetryClass::FanOut, fan),
            (RetryClass::Paging, page),
            (RetryClass::Sweep, sweep),
            (RetryClass::AfterBadArgs, bad_args),
            (RetryClass::AfterFailure, failed),
            (RetryClass::AfterEmpty, empty),
            (RetryClass::AfterOk, ok),
        ] {
            figures.retry_classes.add(class, times);
        }
        figures.latency.record(rest[5] * 1_000_000_000);
        figures
    })
}

/// The sentence as a reader sees it, with names and no-break spaces plain.
fn plain(sentence: &Sentence) -> String {
    sentence.to_string().replace('\u{a0}', " ")
}

proptest! {
    /// Each says a figure, the count that it rests on, and one thing to do.
    #[test]
    fn every_finding_has_a_figure_its_count_and_one_sentence_of_what_to_do(
        now in any_figures(),
        before in any_figures(),
        sessions in (0..200_u64, 0..3_u64),
    ) {
        let mut now = range(now);
        let mut counts = SessionCounts { single_call: sessions.0, shared: sessions.1, ..SessionCounts::default() };
        counts.sessions.add(SessionGrade::A, sessions.0 + sessions.1);
        now.sessions.insert(ClientName::new(Name::cut("ide")), counts);
        let pair = super::super::PairKey { first: key("search"), next: key("get") };
        now.pairs.insert(pair, now.overall.calls * 2 / 3);
        let mut found = findings(&now, &range(before));
        found.extend(never_called(&key("idle"), 7, now.overall.calls, Some(1200)));
        for finding in found {
            let (sentence, advice) = (plain(&finding.sentence), plain(&finding.advice));
            prop_assert!(sentence.contains(|c: char| c.is_ascii_digit()), "{}", sentence);
            prop_assert!(sentence.ends_with('.') && !sentence.contains("  "), "{}", sentence);
            // The count stands in the sentence, or the whole of which a percent is told.
            let rests_on = [finding.count, now.overall.calls, now.overall.judged];
            let ok = now.overall.outcomes.get(Outcome::Ok);
            let known = [now.overall.emptiness_known, ok, sessions.0 + sessions.1];
            let is_counted = rests_on.into_iter().chain(known).any(|count| {
                sentence.contains(&crate::figures::format::count(count))
            });
            prop_assert!(is_counted, "{}: {}", finding.count, sentence);
            prop_assert!(advice.ends_with('.') && !advice.contains(". "), "{}", advice);
            prop_assert!(advice.starts_with(char::is_uppercase), "{}", advice);
            prop_assert!(!advice.contains(|c: char| c.is_ascii_digit()), "{}", advice);
        }
    }
}

#[test]
fn a_tool_that_is_offered_and_never_called_is_named_where_others_are_called() {
    let found = never_called(&key("idle"), 7, 20, Some(1234)).unwrap();
    assert_eq!((found.severity, found.rule), (Severity::Note, FindingRule::NeverCalled));
    assert_eq!(
        found.sentence.to_string(),
        "idle is offered and was not called on 7\u{a0}covered days, while 20\u{a0}calls went to \
         other tools. Clients that list the tools are sent 1.2\u{a0}kB for it."
    );
    assert_eq!(never_called(&key("idle"), 7, 19, None), None);
    assert_eq!(never_called(&key("idle"), 0, 500, None), None);
}
