//! Generated histories: short, dense with ties and borders, around one day's midnights.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use firstcall::call::{
    ArgsForm, ArgsHash, ArgumentPrint, Arguments, CallKey, ClientName, Confidence, Day, Emptiness,
    Name, Outcome, SessionClaim, SessionKey, Sighting, SpanId, SpanKind, TraceId, UnixNanos,
};
use proptest::prelude::*;
use proptest::sample::select;

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;

/// The day that every history is about.
pub(crate) fn day() -> Day {
    "2026-11-29".parse().unwrap()
}

/// How the session of a call is told.
#[derive(Debug, Clone, Copy)]
enum Told {
    Conversation(u8),
    Transport(u8),
    SharedTrace(u8),
    Parent,
    Nothing,
}

/// One call before it becomes spans.
#[derive(Debug, Clone)]
struct Plan {
    gap: u64,
    duration: u64,
    told: Told,
    tool: u8,
    client: u8,
    arguments: Option<Arguments>,
    outcome: Outcome,
    emptiness: Emptiness,
    is_low: bool,
    bytes: Option<u64>,
    /// Where the call is also seen by its client: how that side says it ended.
    outer: Option<Outcome>,
    is_sent_twice: bool,
    is_sampled: bool,
}

fn name(text: &str) -> Name {
    Name::exact(text).unwrap()
}

fn hash_of(text: &str) -> ArgsHash {
    let key = CallKey::of(text);
    ArgsHash::from_bytes(*key.as_bytes().first_chunk().unwrap())
}

fn print_of(parameter: &str, value: u8) -> ArgumentPrint {
    let [a, b, c, d, ..] = *CallKey::of(&format!("{parameter}={value}")).as_bytes();
    ArgumentPrint { name: name(parameter), print: [a, b, c, d] }
}

/// Arguments of two parameters and a cursor, as reduction would fingerprint them.
fn arguments() -> impl Strategy<Value = Option<Arguments>> {
    let json = (0..5_u8, 0..2_u8, 0..3_u8, prop::bool::weighted(0.05)).prop_map(
        |(query, kind, cursor, hides)| {
            let core = format!("query={query} kind={kind}");
            let mut prints = vec![print_of("kind", kind), print_of("query", query)];
            let full = if cursor == 0 {
                core.clone()
            } else {
                prints.insert(0, print_of("cursor", cursor));
                format!("{core} cursor={cursor}")
            };
            Arguments {
                form: ArgsForm::Json,
                source: name("generated"),
                hash: hash_of(&full),
                exact: None,
                core: (cursor > 0).then(|| hash_of(&core)),
                pos: (cursor > 0).then(|| hash_of(&format!("cursor={cursor}"))),
                hides,
                prints,
            }
        },
    );
    let given = (0..3_u8).prop_map(|value| Arguments {
        form: ArgsForm::Given,
        source: name("given"),
        hash: hash_of(&format!("given {value}")),
        exact: None,
        core: None,
        pos: None,
        hides: false,
        prints: Vec::new(),
    });
    prop_oneof![12 => json.prop_map(Some), 2 => given.prop_map(Some), 1 => Just(None)]
}

fn told() -> impl Strategy<Value = Told> {
    prop_oneof![
        8 => (0..2_u8).prop_map(Told::Conversation),
        3 => (0..2_u8).prop_map(Told::Transport),
        3 => (0..2_u8).prop_map(Told::SharedTrace),
        1 => Just(Told::Parent),
        1 => Just(Told::Nothing),
    ]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![12 => Just(Outcome::Ok), 6 => select(Outcome::ALL)]
}

fn plan() -> impl Strategy<Value = Plan> {
    let times = (
        select(vec![0, 0, 1, 250 * MS, S, 5 * S, 10 * S, 30 * S - 1, 30 * S, 30 * S + 1, 45 * S]),
        select(vec![0, 1, 100 * MS, S, S - 250 * MS, 10 * S - 250 * MS, 40 * S]),
    );
    let ending = (outcome(), select(Emptiness::ALL), any::<bool>(), prop::option::of(0..5000_u64));
    let seen = (
        prop::option::weighted(0.3, outcome()),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.1),
    );
    (times, told(), 0..3_u8, 0..3_u8, arguments(), ending, seen).prop_map(
        |((gap, duration), told, tool, client, arguments, ending, seen)| Plan {
            gap,
            duration,
            told,
            tool,
            client,
            arguments,
            outcome: ending.0,
            emptiness: ending.1,
            is_low: ending.2,
            bytes: ending.3,
            outer: seen.0,
            is_sent_twice: seen.1,
            is_sampled: seen.2,
        },
    )
}

/// A loop over one parameter, so that sweeps are not left to chance.
fn sweep() -> impl Strategy<Value = Vec<Plan>> {
    (plan(), 3..7_u8).prop_map(|(first, length)| {
        (0..length)
            .map(|step| Plan {
                gap: 5 * S,
                duration: S,
                told: Told::Conversation(0),
                outcome: Outcome::Ok,
                emptiness: Emptiness::No,
                outer: None,
                tool: first.tool,
                client: first.client,
                arguments: Some(Arguments {
                    form: ArgsForm::Json,
                    source: name("generated"),
                    hash: hash_of(&format!("query={step} kind=0")),
                    exact: None,
                    core: None,
                    pos: None,
                    hides: false,
                    prints: vec![print_of("kind", 0), print_of("query", step)],
                }),
                ..first.clone()
            })
            .collect()
    })
}

fn span_id(number: u64) -> SpanId {
    // Spread, so that the order of ids is not the order of calls.
    SpanId::from_bytes(&(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1).to_be_bytes()).unwrap()
}

fn trace_id(number: u64) -> TraceId {
    let mut bytes = [0xaa; 16];
    bytes[8..].copy_from_slice(&number.to_be_bytes());
    TraceId::from_bytes(&bytes).unwrap()
}

fn claim(told: Told) -> Option<SessionClaim> {
    match told {
        Told::Conversation(key) => {
            Some(SessionClaim::Conversation(SessionKey::of(&format!("conversation {key}"))))
        }
        Told::Transport(key) => {
            Some(SessionClaim::Transport(SessionKey::of(&format!("transport {key}"))))
        }
        Told::SharedTrace(_) | Told::Parent | Told::Nothing => None,
    }
}

/// The spans of one planned call: its server's, and perhaps its client's around it.
fn spans(plan: &Plan, number: u64, start: u64) -> Vec<Sighting> {
    let is_alone = matches!(plan.told, Told::SharedTrace(_) | Told::Parent | Told::Nothing);
    let trace = match plan.told {
        Told::SharedTrace(shared) => trace_id(1_000_000 + u64::from(shared)),
        _ => trace_id(number),
    };
    let client =
        (plan.client > 0).then(|| ClientName::new(name(&format!("client {}", plan.client))));
    let service = name(if plan.tool == 2 { "billing" } else { "orders" });
    let tool = if plan.tool == 1 { "get" } else { "search" };
    let server = Sighting {
        trace_id: trace,
        span_id: span_id(2 * number + 1),
        parent_span_id: matches!(plan.told, Told::Parent).then(|| span_id(9_000_000 + number)),
        kind: SpanKind::Server,
        scope: name("server"),
        dialect: name("generated"),
        emitter: Some(service.clone()),
        service: Some(service),
        tool: Some(name(tool)),
        client: client.clone(),
        client_version: None,
        session: claim(plan.told),
        start: UnixNanos::new(start),
        end: UnixNanos::new(start + plan.duration),
        is_time_known: true,
        arguments: plan.arguments.clone(),
        outcome: plan.outcome,
        confidence: if plan.is_low { Confidence::Low } else { Confidence::High },
        emptiness: plan.emptiness,
        result_bytes: plan.bytes,
        call_id: None,
        request_id: None,
        is_sampled: plan.is_sampled,
        recovery: None,
        received: UnixNanos::new(day().end().get() + 600 * S),
    };
    let mut spans = match plan.outer {
        Some(outcome) if !is_alone && plan.duration >= 2 => {
            let outer = Sighting {
                span_id: span_id(2 * number + 2),
                parent_span_id: None,
                kind: SpanKind::Client,
                scope: name("client"),
                emitter: None,
                service: None,
                tool: Some(name(&format!("mcp__shop__{tool}"))),
                outcome,
                emptiness: Emptiness::Unknown,
                result_bytes: None,
                ..server.clone()
            };
            let inner = Sighting {
                parent_span_id: Some(outer.span_id),
                start: UnixNanos::new(start + 1),
                end: UnixNanos::new(start + plan.duration - 1),
                arguments: None,
                client: None,
                session: None,
                ..server
            };
            vec![outer, inner]
        }
        _ => vec![server],
    };
    if plan.is_sent_twice {
        spans.push(spans[0].clone());
    }
    spans
}

/// The sightings of a history that begins near one of the day's midnights or in its middle, in
/// any order of arrival.
pub(crate) fn history() -> impl Strategy<Value = Vec<Sighting>> {
    let begin = select(vec![
        day().start().get() - 31 * S,
        day().start().get() - 5 * S,
        day().start().get(),
        day().start().get() + 43_200 * S,
        day().end().get() - 60 * S,
        day().end().get() - 10 * S,
    ]);
    let single = plan().prop_map(|plan| vec![plan]);
    let pieces =
        prop::collection::vec(prop_oneof![9 => single.boxed(), 1 => sweep().boxed()], 0..14);
    (begin, pieces)
        .prop_map(|(begin, pieces)| {
            let mut start = begin;
            let mut sightings = Vec::new();
            for (number, plan) in (0_u64..).zip(pieces.into_iter().flatten()) {
                start += plan.gap;
                sightings.extend(spans(&plan, number, start));
            }
            sightings
        })
        .prop_shuffle()
}
