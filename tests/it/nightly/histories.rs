//! Generated histories: short, dense with ties and borders, around one day's midnights.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use firstcall::call::{
    ArgsForm, ArgsHash, ArgumentPrint, Arguments, Attempt, AttemptEnd, AttemptKind,
    BusinessOutcome, CallKey, ClientName, Confidence, Day, Emptiness, KeyPrint, KeyStatus, Name,
    OperationKind, Outcome, Recovery, SessionClaim, SessionKey, Sighting, SpanId, SpanKind, Stage,
    TimeBudget, TraceId, UnixNanos,
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
    recovery: Option<Recovery>,
    /// What its client's side tells of recovery.
    outer_recovery: Option<Recovery>,
    below: Vec<Below>,
}

/// A client span before it is one: where it hangs, and what it is.
#[derive(Debug, Clone)]
struct Below {
    hangs: Hangs,
    after: u64,
    took: u64,
    kind: AttemptKind,
    dependency: u8,
    operation: u8,
    ended: AttemptEnd,
    resends: u32,
    is_sent_twice: bool,
}

/// What a client span hangs under.
#[derive(Debug, Clone, Copy)]
enum Hangs {
    Server,
    Client,
    /// A span that nobody keeps.
    Between,
    /// The client span before it.
    Attempt,
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
            recovery: None,
            outer_recovery: None,
            below: Vec::new(),
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

/// The service and the tool that a number stands for.
fn called(number: u8) -> (Name, &'static str) {
    let service = name(if number == 2 { "billing" } else { "orders" });
    let tool = match number {
        1 => "get",
        3 => "create_order",
        4 => "get_order_status",
        _ => "search",
    };
    (service, tool)
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
    let (service, tool) = called(plan.tool);
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
        recovery: plan.recovery.clone().map(Box::new),
        is_label: false,
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
                recovery: plan.outer_recovery.clone().map(Box::new),
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

fn print(number: u8) -> KeyPrint {
    KeyPrint::from_bytes([number; 8])
}

/// What a span may tell of recovery, dense in what matters together.
fn recovery() -> impl Strategy<Value = Recovery> {
    use prop::option::weighted;
    let kind = weighted(
        0.8,
        select(vec![
            OperationKind::Write,
            OperationKind::Write,
            OperationKind::Write,
            OperationKind::IdempotentWrite,
            OperationKind::Read,
        ]),
    );
    let keys = (weighted(0.3, 0..2_u8), weighted(0.2, 0..2_u8));
    let words = (
        weighted(0.3, select(KeyStatus::ALL)),
        weighted(0.6, select(BusinessOutcome::ALL)),
        weighted(0.4, select(Stage::ALL)),
        weighted(0.1, any::<bool>()),
    );
    let budget =
        (weighted(0.8, 1..9_u32), any::<[Option<u8>; 5]>()).prop_map(|(total_ms, spent)| {
            TimeBudget { total_ms, spent_ms: spent.map(|ms| ms.map(u32::from)) }
        });
    let counts = (weighted(0.2, 0..5_u32), weighted(0.2, budget));
    (kind, keys, words, counts).prop_map(|(kind, keys, words, counts)| Recovery {
        kind,
        dependency: None,
        attempts: counts.0,
        stage: words.2,
        budget: counts.1,
        key: keys.0.map(print),
        key_status: words.0,
        business_outcome: words.1,
        handle: keys.1.map(print),
        is_retry_safe: words.3,
    })
}

fn below() -> impl Strategy<Value = Below> {
    let hangs = select(vec![
        Hangs::Server,
        Hangs::Server,
        Hangs::Server,
        Hangs::Client,
        Hangs::Between,
        Hangs::Between,
        Hangs::Attempt,
    ]);
    let times = (select(vec![0, 1, 10 * MS, S]), select(vec![0, 1, 50 * MS, 5 * S]));
    let of = (select(AttemptKind::ALL), 0..2_u8, 0..2_u8);
    let ended = (select(AttemptEnd::ALL), select(vec![0, 0, 0, 2_u32]), any::<bool>());
    (hangs, times, of, ended).prop_map(|(hangs, times, of, ended)| Below {
        hangs,
        after: times.0,
        took: times.1,
        kind: of.0,
        dependency: of.1,
        operation: of.2,
        ended: ended.0,
        resends: ended.1,
        is_sent_twice: ended.2,
    })
}

/// A call of a tool that writes, of its status tool, or of another one.
fn uncertain_plan() -> impl Strategy<Value = Plan> {
    let told = (prop::option::weighted(0.7, recovery()), prop::option::weighted(0.1, recovery()));
    let how = (
        select(vec![3, 3, 3, 3, 4, 0]),
        select(vec![0, 1, S, 10 * S, 60 * S, 300 * S, 300 * S + 1, 600 * S, 600 * S + 1]),
        select(vec![Outcome::Ok, Outcome::Ok, Outcome::Timeout, Outcome::ToolError]),
        prop::option::weighted(0.3, select(vec![Outcome::Ok, Outcome::Timeout])),
        select(vec![0_u8, 0, 1]),
    );
    let below = prop::collection::vec(below(), 0..4);
    let session = select(vec![
        Told::Conversation(0),
        Told::Conversation(0),
        Told::Conversation(0),
        Told::Conversation(0),
        Told::Conversation(1),
        Told::SharedTrace(0),
        Told::Nothing,
    ]);
    // Often the same arguments, else any.
    let arguments = (arguments(), prop::bool::weighted(0.7)).prop_map(|(any, is_usual)| {
        let usual = Arguments {
            form: ArgsForm::Json,
            source: name("generated"),
            hash: hash_of("query=1 kind=1"),
            exact: None,
            core: None,
            pos: None,
            hides: false,
            prints: vec![print_of("kind", 1), print_of("query", 1)],
        };
        if is_usual { Some(usual) } else { any }
    });
    let (plan, with) = (plan(), (session, arguments));
    (plan, told, how, below, with).prop_map(|(plan, told, how, below, with)| Plan {
        told: with.0,
        arguments: with.1,
        tool: how.0,
        gap: how.1,
        outcome: how.2,
        outer: how.3,
        client: how.4,
        recovery: told.0,
        outer_recovery: told.1,
        below,
        ..plan
    })
}

fn attempts(plan: &Plan, number: u64, start: u64, spans: &[Sighting]) -> Vec<Attempt> {
    let server = spans.iter().find(|span| span.kind == SpanKind::Server).unwrap();
    let client = spans.iter().find(|span| span.kind == SpanKind::Client);
    let mut attempts: Vec<Attempt> = Vec::new();
    for (place, below) in (0_u64..).zip(&plan.below) {
        let between = span_id(5_000_000 + number * 10 + place);
        let parent = match below.hangs {
            Hangs::Server => server.span_id,
            Hangs::Client => client.map_or(between, |client| client.span_id),
            Hangs::Between => between,
            Hangs::Attempt => attempts.last().map_or(between, |attempt| attempt.span_id),
        };
        let begin = start + below.after;
        let attempt = Attempt {
            trace_id: server.trace_id,
            span_id: span_id(7_000_000 + number * 10 + place),
            parent_span_id: parent,
            emitter: server.emitter.clone(),
            kind: below.kind,
            dependency: name(&format!("dependency {}", below.dependency)),
            operation: [below.operation; 4],
            start: UnixNanos::new(begin),
            end: UnixNanos::new(begin + below.took),
            ended: below.ended,
            resends: below.resends,
        };
        attempts.extend(std::iter::repeat_n(attempt, 1 + usize::from(below.is_sent_twice)));
    }
    attempts
}

/// A history of uncertain calls around one of the day's midnights or in its middle, and the client
/// spans below its calls; both in any order of arrival.
pub(crate) fn uncertain_history() -> impl Strategy<Value = (Vec<Sighting>, Vec<Attempt>)> {
    let begin = select(vec![
        day().start().get() - 400 * S,
        day().start().get() + 43_200 * S,
        day().end().get() - 300 * S,
    ]);
    let plans = prop::collection::vec(uncertain_plan(), 0..10);
    let history = (begin, plans).prop_map(|(begin, plans)| {
        let mut start = begin;
        let (mut sightings, mut below) = (Vec::new(), Vec::new());
        for (number, plan) in (0_u64..).zip(plans) {
            start += plan.gap;
            let spans = spans(&plan, number, start);
            below.extend(attempts(&plan, number, start, &spans));
            sightings.extend(spans);
        }
        // What lies beyond the margins belongs to another day.
        let last = day().end().get() + 600 * S;
        sightings.retain(|sighting: &Sighting| sighting.start.get() <= last);
        below.retain(|attempt: &Attempt| attempt.start.get() <= last);
        (sightings, below)
    });
    history.prop_flat_map(|(sightings, below)| {
        (Just(sightings).prop_shuffle(), Just(below).prop_shuffle())
    })
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
