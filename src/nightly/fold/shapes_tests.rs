//! A known list of calls, turned into the spans and log records of its sides, is found again.

use proptest::prelude::*;
use proptest::sample::select;

use super::tests::{agent, client, day, folded, name, seen, server, trace, under};
use crate::call::{CallKey, SessionClaim, SessionKey, Sighting, SpanKind};
use crate::nightly::judge_day;

/// Which sides see the calls of one trace, and how they are linked.
#[derive(Debug, Clone, Copy)]
pub(in crate::nightly) enum Shape {
    Server,
    Client,
    ClientAndServer,
    ClientHoleServer,
    AgentClientServer,
    AgentHoleServer,
    AgentTwice,
    Gateway,
    TwoTraces,
    LogAlone,
    LabelAndExecution,
    LogAndLabel,
    LogLabelAndExecution,
    LogApart,
}

const SHAPES: [Shape; 14] = [
    Shape::Server,
    Shape::Client,
    Shape::ClientAndServer,
    Shape::ClientHoleServer,
    Shape::AgentClientServer,
    Shape::AgentHoleServer,
    Shape::AgentTwice,
    Shape::Gateway,
    Shape::TwoTraces,
    Shape::LogAlone,
    Shape::LabelAndExecution,
    Shape::LogAndLabel,
    Shape::LogLabelAndExecution,
    Shape::LogApart,
];

/// A call before it becomes spans: start and length in milliseconds, tool.
pub(in crate::nightly) type Plan = (u64, u64, &'static str);

/// A coding agent's log record.
fn log(number: u64, tool: &str, times: (u64, u64)) -> Sighting {
    seen(number, SpanKind::Internal, "events", tool, times)
}

/// What a coding agent tells of a call, be it in a span or in a log record: session and id.
fn of_agent(call: u64, of: u8, sighting: Sighting) -> Sighting {
    Sighting {
        emitter: Some(name("claude-code")),
        session: Some(SessionClaim::Conversation(SessionKey::of(&format!("conversation {of}")))),
        call_id: Some(CallKey::of(&format!("toolu_{call}"))),
        ..sighting
    }
}

/// What a coding agent tells of one call, numbered from `number`.
fn told_by_agent((start, length, tool): Plan, shape: Shape, number: u64, of: u8) -> Vec<Sighting> {
    let times = (start, start + length);
    // The label's time holds a wait that is no part of the call.
    let label = seen(number, SpanKind::Internal, "tracing", tool, (start, start + length + 3));
    let label = Sighting { is_label: true, ..label };
    let run = under(number, seen(number + 1, SpanKind::Internal, "tracing", "", times));
    let record = log(number + 2, "", times);
    let all = match shape {
        Shape::LogAlone => vec![log(number, tool, times)],
        Shape::LabelAndExecution => vec![label, run],
        Shape::LogAndLabel => vec![label, record],
        Shape::LogApart => vec![label, run, Sighting { trace_id: trace(200 + of), ..record }],
        _ => vec![label, run, record],
    };
    all.into_iter().map(|sighting| of_agent(number, of, sighting)).collect()
}

/// The spans and log records of one call, numbered from `number`.
fn spans((start, length, tool): Plan, shape: Shape, number: u64, of: u8) -> Vec<Sighting> {
    let within = |by: u64| (start + by, start + length - by);
    let prefixed = format!("mcp__shop__{tool}");
    let gateway = |number, kind, times| seen(number, kind, "gateway", tool, times);
    let hole = 900_000 + number;
    let spans = match shape {
        Shape::Server => vec![server(number, tool, within(0))],
        Shape::Client => vec![client(number, tool, within(0))],
        Shape::ClientAndServer => {
            vec![
                client(number, &prefixed, within(0)),
                under(number, server(number + 1, tool, within(2))),
            ]
        }
        Shape::ClientHoleServer => {
            vec![
                client(number, &prefixed, within(0)),
                under(hole, server(number + 1, tool, within(2))),
            ]
        }
        Shape::AgentClientServer => vec![
            agent(number, &prefixed, within(0)),
            under(number, client(number + 1, tool, within(1))),
            under(number + 1, server(number + 2, tool, within(2))),
        ],
        Shape::AgentHoleServer => vec![
            agent(number, &prefixed, within(0)),
            under(hole, client(number + 1, tool, within(1))),
            under(hole, server(number + 2, tool, within(2))),
        ],
        Shape::AgentTwice => vec![
            under(hole, agent(number, tool, within(0))),
            under(hole, Sighting { scope: name("second"), ..agent(number + 1, tool, within(3)) }),
        ],
        Shape::Gateway => vec![
            client(number, tool, within(0)),
            under(number, gateway(number + 1, SpanKind::Server, within(1))),
            under(hole, gateway(number + 2, SpanKind::Client, within(2))),
            under(number + 2, server(number + 3, tool, within(3))),
        ],
        Shape::TwoTraces => {
            let told = |sighting| Sighting {
                session: Some(SessionClaim::Transport(SessionKey::of("transport"))),
                request_id: Some(CallKey::of(&number.to_string())),
                ..sighting
            };
            let far = Sighting { trace_id: trace(100 + of), ..server(number + 1, tool, within(2)) };
            vec![told(client(number, tool, within(0))), told(far)]
        }
        Shape::LogAlone
        | Shape::LabelAndExecution
        | Shape::LogAndLabel
        | Shape::LogLabelAndExecution
        | Shape::LogApart => told_by_agent((start, length, tool), shape, number, of),
    };
    let here = |sighting: Sighting| {
        if sighting.trace_id == trace(1) {
            Sighting { trace_id: trace(of), ..sighting }
        } else {
            sighting
        }
    };
    spans.into_iter().map(here).collect()
}

pub(in crate::nightly) fn traces() -> impl Strategy<Value = Vec<(Shape, Vec<Plan>)>> {
    // Starts a few milliseconds apart: calls that run in parallel, nested in each other's time
    // or not, and calls one after the other.
    let plan = (0..60_u64, select(vec![12_u64, 20, 50, 400]), select(vec!["search", "book"]));
    let calls = prop::collection::btree_map(0..60_u64, plan, 1..6).prop_map(|calls| {
        calls.into_iter().map(|(start, (_, length, tool))| (start * 7, length, tool)).collect()
    });
    prop::collection::vec((select(SHAPES.to_vec()), calls), 1..4)
}

pub(in crate::nightly) fn sightings_of(traces: &[(Shape, Vec<Plan>)]) -> Vec<Sighting> {
    let mut sightings = Vec::new();
    for (of, (shape, plans)) in (2_u8..).zip(traces) {
        for (call, plan) in (1_u64..).zip(plans) {
            sightings.extend(spans(*plan, *shape, u64::from(of) * 1000 + call * 10, of));
        }
    }
    sightings
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_calls_are_found_again_in_their_spans(
        (traces, sightings) in traces().prop_flat_map(|traces| {
            let sightings = sightings_of(&traces);
            let doubled = prop::collection::vec(any::<bool>(), sightings.len());
            let all = doubled.prop_map(move |doubled| {
                let again = sightings.iter().zip(doubled).filter(|(_, is)| *is);
                let again: Vec<Sighting> = again.map(|(sighting, _)| sighting.clone()).collect();
                [sightings.clone(), again].concat()
            });
            (Just(traces), all.prop_shuffle())
        }),
    ) {
        let plans = traces.iter().flat_map(|(_, plans)| plans);
        let mut planned: Vec<(u64, u64, String)> =
            plans.map(|(start, length, tool)| (*start, start + length, (*tool).to_owned())).collect();
        planned.sort();
        let found: Vec<(u64, u64, String)> =
            folded(sightings.clone()).into_iter().map(|(start, end, tool, _, _)| {
                let unprefixed = tool.strip_prefix("mcp__shop__").map(str::to_owned);
                (start, end, unprefixed.unwrap_or(tool))
            }).collect();
        prop_assert_eq!(found, planned);
    }

    #[test]
    fn the_order_of_arrival_changes_no_figure(
        (one, other) in traces().prop_flat_map(|traces| {
            let sightings = sightings_of(&traces);
            (Just(sightings.clone()), Just(sightings).prop_shuffle())
        }),
    ) {
        prop_assert_eq!(judge_day(day(), one), judge_day(day(), other));
    }
}
