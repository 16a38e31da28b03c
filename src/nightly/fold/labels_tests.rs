//! Labels: what names a call and is none itself (Claude Code's span of a tool).

use super::tests::{agent, day, folded, is, name, one, trace, under};
use crate::call::{CallKey, Confidence, Outcome, SessionClaim, SessionKey, Sighting, UnixNanos};
use crate::nightly::judge_day;

const S: u64 = 1_000_000_000;

/// What Claude Code tells of one tool use: session and id.
fn told(id: &str, sighting: Sighting) -> Sighting {
    Sighting {
        session: Some(SessionClaim::Conversation(SessionKey::of("s"))),
        call_id: Some(CallKey::of(id)),
        emitter: Some(name("claude-code")),
        ..sighting
    }
}

/// The log record, in a trace of its own where it was not written within one.
fn log(id: &str, of_trace: u8, tool: &str, times: (u64, u64)) -> Sighting {
    let number = 1000 + u64::from(of_trace);
    Sighting {
        scope: name("events"),
        trace_id: trace(of_trace),
        ..told(id, agent(number, tool, times))
    }
}

/// The span of the tool, with the wait for a person's leave before the execution.
fn label(number: u64, id: &str, tool: &str, times: (u64, u64)) -> Sighting {
    Sighting {
        scope: name("tracing"),
        is_label: true,
        confidence: Confidence::Low,
        service: Some(name("notes")),
        ..told(id, agent(number, tool, times))
    }
}

/// The span of its execution, which names no tool.
fn execution(number: u64, id: &str, parent: u64, times: (u64, u64)) -> Sighting {
    Sighting { scope: name("tracing"), ..under(parent, told(id, agent(number, "", times))) }
}

#[test]
fn a_log_record_is_named_by_its_span_whichever_comes_first() {
    for log_trace in [1, 9] {
        let record = log("a", log_trace, "", (901, 1000));
        let label = label(2, "a", "echo_note", (0, 1000));
        let expected = [is(901, 1000, "echo_note", "notes", "claude-code")];
        let sightings = vec![record.clone(), label.clone()];
        assert_eq!(folded(sightings), expected, "log first, trace {log_trace}");
        assert_eq!(folded(vec![label, record]), expected, "span first, trace {log_trace}");
    }
}

#[test]
fn a_log_record_that_is_written_a_moment_late_is_named_all_the_same() {
    let record = log("a", 9, "", (1020, 1021));
    let label = label(2, "a", "echo_note", (998, 1000));
    let expected = [is(1020, 1021, "echo_note", "notes", "claude-code")];
    assert_eq!(folded(vec![label, record]), expected);
}

#[test]
fn log_record_tool_and_execution_are_one_call() {
    let failed = Sighting { outcome: Outcome::ToolError, ..log("a", 1, "", (901, 1000)) };
    let sightings = vec![
        label(2, "a", "echo_note", (0, 1000)),
        Sighting { outcome: Outcome::ToolError, ..execution(3, "a", 2, (900, 999)) },
        failed,
    ];
    let call = one(sightings.clone());
    assert_eq!((call.sightings, call.outcome), (3, Outcome::ToolError));
    // The wait for leave is no part of the call, whichever of the others tells its time.
    assert!(call.latency.unwrap().as_nanos() < 100 * 1_000_000);
    // Spans alone tell it, too.
    let spans = sightings.into_iter().take(2).collect();
    assert_eq!(folded(spans), [is(900, 999, "echo_note", "notes", "claude-code")]);
}

#[test]
fn a_label_alone_is_no_call() {
    let refused = label(2, "a", "Write", (0, 1000));
    let figures = judge_day(day(), vec![refused.clone()]);
    assert!(figures.tools.is_empty());
    assert_eq!(figures.quality.sightings, 0);
    // Nor does it make another call's trace a session.
    let lone = agent(5, "search", (0, 10));
    let figures = judge_day(day(), vec![lone, Sighting { call_id: None, ..refused }]);
    let judged: u64 = figures.tools.values().map(|figures| figures.judged).sum();
    assert_eq!(judged, 0);
}

#[test]
fn an_unnamed_log_record_stays_unnamed_where_no_span_tells() {
    let figures = judge_day(day(), vec![log("a", 9, "", (0, 10)), label(2, "b", "x", (0, 10))]);
    assert!(figures.tools.is_empty());
    assert_eq!(figures.quality.unnamed, 1);
}

#[test]
fn parallel_log_records_get_each_its_own_name() {
    let sightings = vec![
        log("a", 9, "", (0, 100)),
        label(2, "b", "book", (0, 101)),
        log("b", 8, "", (1, 100)),
        label(3, "a", "search", (0, 101)),
    ];
    let expected =
        [is(0, 100, "search", "notes", "claude-code"), is(1, 100, "book", "notes", "claude-code")];
    assert_eq!(folded(sightings), expected);
}

/// The wait for leave began before midnight, the execution after it.
#[test]
fn a_call_is_named_across_midnight_on_both_days_and_counted_once() {
    let midnight = day().end().get();
    let at = |sighting: Sighting, from: u64, to: u64| Sighting {
        start: UnixNanos::new(from),
        end: UnixNanos::new(to),
        ..sighting
    };
    let sightings = vec![
        at(label(2, "a", "echo_note", (0, 0)), midnight - 1800 * S, midnight + 6 * S),
        at(log("a", 9, "", (0, 0)), midnight + 5 * S, midnight + 6 * S),
    ];
    let before = judge_day(day(), sightings.clone());
    assert!(before.tools.is_empty());
    let after = judge_day(day().plus(1), sightings);
    let tools: Vec<_> = after.tools.keys().map(|(key, _)| key.tool.as_str()).collect();
    assert_eq!(tools, ["echo_note"]);
}
