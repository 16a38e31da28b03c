//! Two hundred recorded agent runs through ingest, store and pass. What can be worked out from
//! the file by plain loops must be what the pass says.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::sync::Arc;

use firstcall::call::{CallDuration, Outcome, UnixNanos};
use firstcall::clock::ManualClock;
use firstcall::figures::{RangeFigures, RetryClass, ToolFigures};
use firstcall::ingest::Ingest;
use firstcall::nightly::{self, DaysToRun};
use firstcall::otlp::Format;
use firstcall::store::{Store, Writer, WriterOptions};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde::Deserialize;
use serde_json::Value;

use super::captures::replay::receive_and_judge;
use super::receive::client::post;
use super::receive::spans::{NOON, request, text};
use crate::support::stores::{Place, on_each_store};

const SECOND: u64 = 1_000_000_000;

#[derive(Debug, Deserialize)]
struct Run {
    session: String,
    calls: Vec<Recorded>,
}

#[derive(Debug, Deserialize)]
struct Recorded {
    turn: u64,
    tool: String,
    arguments: Value,
    outcome: String,
    is_empty: bool,
    #[serde(skip)]
    start: u64,
}

impl Recorded {
    fn is_again(&self, first: &Self) -> bool {
        self.tool == first.tool && self.arguments != first.arguments && self.start > first.start
    }
}

/// The runs with a clock: 5 s from call to call within a turn, 60 s from turn to turn.
fn runs() -> Vec<Run> {
    let parse = |line: &str| {
        let mut run: Run = serde_json::from_str(line).unwrap();
        let (mut at, mut turn) = (NOON, None);
        for call in &mut run.calls {
            at += match turn {
                None => 0,
                Some(before) if before == call.turn => 5 * SECOND,
                Some(_) => 60 * SECOND,
            };
            turn = Some(call.turn);
            call.start = at;
        }
        run
    };
    include_str!("../data/agent-trajectories.jsonl").lines().map(parse).collect()
}

/// How many calls are asked again by `is_again`, per tool: every call against every other.
fn retried(is_again: impl Fn(&Recorded, &Recorded) -> bool) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for run in runs() {
        for first in &run.calls {
            if run.calls.iter().any(|later| is_again(first, later)) {
                *found.entry(first.tool.clone()).or_default() += 1;
            }
        }
    }
    found
}

fn within_the_window(first: &Recorded, later: &Recorded) -> bool {
    later.is_again(first) && later.start - first.start <= 30 * SECOND
}

fn span(number: u64, session: &str, call: &Recorded) -> Span {
    let mut attributes = vec![
        text("mcp.method.name", "tools/call"),
        text("gen_ai.tool.name", &call.tool),
        text("gen_ai.tool.call.arguments", &call.arguments.to_string()),
        text("gen_ai.tool.call.result", if call.is_empty { "" } else { "an answer" }),
        text("gen_ai.conversation.id", session),
    ];
    if call.outcome == "tool_error" {
        attributes.push(text("error.type", "tool_error"));
    }
    Span {
        trace_id: [&[3; 8][..], &number.to_be_bytes()].concat(),
        span_id: (number + 1).to_be_bytes().to_vec(),
        name: format!("tools/call {}", call.tool),
        kind: 2,
        start_time_unix_nano: call.start,
        end_time_unix_nano: call.start + SECOND,
        attributes,
        ..Span::default()
    }
}

/// A request for each run.
fn requests() -> Vec<Vec<u8>> {
    let mut number = 0;
    let of_run = |run: &Run| {
        let spans = run.calls.iter().map(|call| {
            number += 1;
            span(number, &run.session, call)
        });
        request(spans.collect()).encode_to_vec()
    };
    runs().iter().map(of_run).collect()
}

/// The figures that the pass publishes for the runs.
fn figures() -> RangeFigures {
    figures_in(&Place::folder().store())
}

/// The figures that the pass publishes for the runs in a store.
fn figures_in(store: &Store) -> RangeFigures {
    let writer = Arc::new(Writer::start(store, WriterOptions::default()).unwrap());
    let clock = ManualClock::at(UnixNanos::new(NOON + 12 * 3600 * SECOND - 1));
    let secret = store.secret().unwrap();
    let ingest = Ingest::new(Arc::clone(&writer), Arc::new(clock.clone()), &secret);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for (run, bytes) in runs().iter().zip(requests()) {
        let reading = ingest.read(&bytes, Format::Protobuf, None).unwrap();
        let outcome = runtime.block_on(ingest.commit(reading)).unwrap();
        assert_eq!((outcome.kept, outcome.refused), (run.calls.len() as u64, None));
    }
    clock.advance(CallDuration::from_secs(3 * 3600));
    nightly::run(store, DaysToRun::Due, &clock, &mut |_event| {}).unwrap();
    let day = UnixNanos::new(NOON).day();
    RangeFigures::of(&store.read_days(day, day).unwrap())
}

fn per_tool(range: &RangeFigures) -> BTreeMap<String, &ToolFigures> {
    range.tools.iter().map(|(key, tool)| (key.tool.as_str().to_owned(), tool)).collect()
}

#[test]
fn the_file_holds_what_its_readme_says() {
    assert_eq!(runs().len(), 200);
    assert_eq!(runs().iter().map(|run| run.calls.len()).sum::<usize>(), 1164);
    let in_a_turn = retried(|first, later| later.is_again(first) && later.turn == first.turn);
    assert_eq!(in_a_turn.values().sum::<u64>(), 345);
}

on_each_store! {
    fn the_pass_counts_what_plain_loops_count(place) {
        let range = figures_in(&place.store());
        assert_plain_loops(&range);
        // Classes, chains, parameters and histograms as well.
        assert_eq!(range, figures());
    }
}

#[test]
fn what_came_over_the_socket_is_counted_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let now = UnixNanos::new(NOON + 12 * 3600 * SECOND - 1);
    let range = receive_and_judge(folder.path(), now, |http| async move {
        for body in requests() {
            assert_eq!(post(http, &body, &[]).await.status, 200);
        }
    });
    assert_plain_loops(&range);
    assert_eq!(range, figures());
}

#[track_caller]
fn assert_plain_loops(range: &RangeFigures) {
    let tools = per_tool(range);
    let (runs, retried) = (runs(), retried(within_the_window));
    let calls: Vec<(&Run, &Recorded)> =
        runs.iter().flat_map(|run| run.calls.iter().map(move |call| (run, call))).collect();
    assert_eq!(range.overall.calls, 1164);
    assert_eq!(range.overall.judged, 1164);
    assert_eq!(range.overall.retried, retried.values().sum::<u64>());
    assert_eq!(range.all_sessions().sessions.total(), runs_with_calls(&runs));
    for (name, tool) in &tools {
        let of: Vec<_> = calls.iter().filter(|(_, call)| call.tool == **name).collect();
        let count =
            |is: &dyn Fn(&Recorded) -> bool| of.iter().filter(|(_, call)| is(call)).count() as u64;
        let mine = &tool.all;
        assert_eq!(mine.calls, of.len() as u64, "{name}");
        assert_eq!(mine.outcomes.get(Outcome::ToolError), count(&|call| call.outcome != "ok"));
        assert_eq!(mine.empty, count(&|call| call.is_empty), "{name}");
        assert_eq!(mine.retried, retried.get(name).copied().unwrap_or_default(), "{name}");
        assert_eq!(mine.retry_classes.total(), mine.retried, "{name}");
        let successes = of.iter().filter(|(run, call)| {
            let is_asked_again = run.calls.iter().any(|later| within_the_window(call, later));
            call.outcome == "ok" && !call.is_empty && !is_asked_again
        });
        assert_eq!(mine.first_call_successes, successes.count() as u64, "{name}");
        let repeats = of.iter().filter(|(run, call)| {
            run.calls.iter().any(|earlier| {
                earlier.tool == call.tool
                    && earlier.arguments == call.arguments
                    && earlier.start < call.start
                    && call.start - earlier.start <= 30 * SECOND
            })
        });
        assert_eq!(mine.repeats, repeats.count() as u64, "{name}");
    }
    assert_eq!(tools.values().map(|tool| tool.all.calls).sum::<u64>(), 1164);
}

fn runs_with_calls(runs: &[Run]) -> u64 {
    runs.iter().filter(|run| !run.calls.is_empty()).count() as u64
}

/// `cargo nextest run --run-ignored only --no-capture recorded_runs`
#[test]
#[ignore = "prints a table for people"]
fn what_the_recorded_runs_show() {
    let range = figures();
    let classes: Vec<&str> = RetryClass::ALL.iter().map(|class| class.word()).collect();
    eprintln!("tool calls errors empty retried repeats first confirmed {}", classes.join(" "));
    for (name, tool) in per_tool(&range) {
        let mine = &tool.all;
        let classes: Vec<String> =
            mine.retry_classes.iter().map(|(_, times)| times.to_string()).collect();
        eprintln!(
            "{name} {} {} {} {} {} {} {} {}",
            mine.calls,
            mine.outcomes.get(Outcome::ToolError),
            mine.empty,
            mine.retried,
            mine.repeats,
            mine.first_call_successes,
            mine.confirmed_first_call_successes,
            classes.join(" "),
        );
        let chains = (mine.usable_chains, mine.extra_attempts, mine.abandoned_chains);
        eprintln!("  chains usable, extra attempts, abandoned: {chains:?}");
        for (parameter, count) in &mine.reworded {
            let (times, known) = (count.retries, mine.reworded_known);
            eprintln!("  {parameter}: {times} of {known}, in {} sessions", count.sessions);
        }
    }
    for finding in firstcall::figures::finding::findings(&range, &RangeFigures::default()) {
        eprintln!("{}: {} {}", finding.severity, finding.sentence, finding.advice);
    }
}
