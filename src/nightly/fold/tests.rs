//! Folding by hand.

use crate::call::arbitrary::plain_sighting;
use crate::call::{
    ArgsHash, Arguments, CallKey, ClientName, Confidence, Day, Emptiness, Name, Outcome,
    SessionClaim, SessionKey, Sighting, SpanId, SpanKind, TraceId, UnixNanos,
};
use crate::nightly::Call;
use crate::nightly::fold_day;
use crate::nightly::names::Names;

const MS: u64 = 1_000_000;
const NOON: u64 = 1_795_953_600_000_000_000;

pub(in crate::nightly) fn day() -> Day {
    "2026-11-29".parse().unwrap()
}

fn span(number: u64) -> SpanId {
    SpanId::from_bytes(&number.to_be_bytes()).unwrap()
}

pub(super) fn trace(number: u8) -> TraceId {
    TraceId::from_bytes(&[number; 16]).unwrap()
}

pub(super) fn name(text: &str) -> Name {
    Name::cut(text)
}

/// A sighting from `from` to `to` milliseconds after noon; told apart by `number`.
pub(super) fn seen(
    number: u64,
    kind: SpanKind,
    scope: &str,
    tool: &str,
    (from, to): (u64, u64),
) -> Sighting {
    Sighting {
        trace_id: trace(1),
        span_id: span(number),
        parent_span_id: None,
        kind,
        scope: name(scope),
        dialect: name("test"),
        emitter: Some(name(scope)),
        service: None,
        tool: (!tool.is_empty()).then(|| name(tool)),
        client: None,
        client_version: None,
        session: None,
        start: UnixNanos::new(NOON + from * MS),
        end: UnixNanos::new(NOON + to * MS),
        arguments: None,
        result_bytes: None,
        emptiness: Emptiness::Unknown,
        ..plain_sighting()
    }
}

pub(super) fn agent(number: u64, tool: &str, times: (u64, u64)) -> Sighting {
    seen(number, SpanKind::Internal, "agent", tool, times)
}

pub(super) fn client(number: u64, tool: &str, times: (u64, u64)) -> Sighting {
    Sighting {
        emitter: Some(name("agent")),
        ..seen(number, SpanKind::Client, "mcp-client", tool, times)
    }
}

pub(super) fn server(number: u64, tool: &str, times: (u64, u64)) -> Sighting {
    Sighting {
        service: Some(name("shop")),
        ..seen(number, SpanKind::Server, "mcp-server", tool, times)
    }
}

pub(super) fn under(parent: u64, sighting: Sighting) -> Sighting {
    Sighting { parent_span_id: Some(span(parent)), ..sighting }
}

fn arguments(hash: u8) -> Option<Arguments> {
    plain_sighting().arguments.map(|arguments| Arguments {
        hash: ArgsHash::from_bytes([hash; 6]),
        source: name(&format!("source {hash}")),
        ..arguments
    })
}

/// The calls, as (milliseconds after noon, milliseconds, tool, service, client).
pub(super) fn folded(sightings: Vec<Sighting>) -> Vec<(u64, u64, String, String, String)> {
    let mut names = Names::new();
    let calls = fold_day(day(), sightings, &mut names);
    let shown = |call: &Call| {
        let text = |id| names.text(id).to_owned();
        let (start, end) = (call.start.get() - NOON, call.end.get() - NOON);
        let tool = call.tool.map_or_else(String::new, text);
        (start / MS, end / MS, tool, text(call.service), text(call.client))
    };
    let mut calls: Vec<_> = calls.iter().map(shown).collect();
    calls.sort();
    calls
}

pub(super) fn one(sightings: Vec<Sighting>) -> Call {
    let mut names = Names::new();
    let calls = fold_day(day(), sightings, &mut names);
    let [call] = calls.try_into().unwrap();
    call
}

fn count(sightings: Vec<Sighting>) -> usize {
    folded(sightings).len()
}

pub(super) fn is(
    start: u64,
    end: u64,
    tool: &str,
    service: &str,
    client: &str,
) -> (u64, u64, String, String, String) {
    (start, end, tool.into(), service.into(), client.into())
}

#[test]
fn the_whole_chain_of_agent_client_and_server_is_one_call() {
    let sightings = vec![
        agent(1, "mcp__shop__search", (0, 100)),
        under(1, client(2, "search", (5, 95))),
        under(2, server(3, "search", (10, 90))),
    ];
    assert_eq!(folded(sightings), [is(0, 100, "search", "shop", "agent")]);
}

#[test]
fn a_span_that_came_again_is_one_sighting() {
    let late = Sighting { received: UnixNanos::new(NOON * 2), ..server(1, "search", (0, 10)) };
    let call = one(vec![late.clone(), server(1, "search", (0, 10)), late]);
    assert_eq!((call.sightings, call.duplicates), (3, 2));
    assert_eq!(call.received, plain_sighting().received);
}

#[test]
fn of_contradicting_doubles_the_one_that_ended_last_holds_in_any_order() {
    let early = Sighting { outcome: Outcome::Ok, ..server(1, "search", (0, 10)) };
    let late = Sighting { outcome: Outcome::Crashed, ..server(1, "search", (0, 20)) };
    for sightings in [vec![early.clone(), late.clone()], vec![late, early]] {
        assert_eq!(one(sightings).outcome, Outcome::Crashed);
    }
}

#[test]
fn the_same_span_id_in_another_trace_is_another_call() {
    let other = Sighting { trace_id: trace(2), ..server(1, "search", (0, 10)) };
    assert_eq!(count(vec![server(1, "search", (0, 10)), other]), 2);
}

#[test]
fn a_tool_that_calls_a_tool_is_two_calls() {
    let nested = vec![server(1, "plan_trip", (0, 100)), under(1, server(2, "search", (10, 90)))];
    assert_eq!(count(nested), 2);
    // The inner `search` is not the outer one: another call stands between them.
    let recursive = vec![
        server(1, "search", (0, 100)),
        under(1, client(2, "plan_trip", (10, 90))),
        under(2, server(3, "search", (20, 80))),
    ];
    assert_eq!(count(recursive), 3);
}

#[test]
fn parent_and_child_with_two_call_ids_are_two_calls() {
    let with_id =
        |id: &str, sighting: Sighting| Sighting { call_id: Some(CallKey::of(id)), ..sighting };
    let sub_agent = |inner: &str| {
        vec![
            with_id("call 1", agent(1, "delegate", (0, 100))),
            under(1, with_id(inner, agent(2, "delegate", (10, 90)))),
        ]
    };
    assert_eq!(count(sub_agent("call 1")), 1);
    assert_eq!(count(sub_agent("call 2")), 2);
}

#[test]
fn several_server_sightings_under_one_client_are_one_call() {
    let attempts = vec![
        client(1, "search", (0, 100)),
        under(1, server(2, "search", (10, 30))),
        under(1, server(3, "search", (40, 90))),
    ];
    let call = one(attempts);
    assert_eq!(call.sightings, 3);
    // Latency is the innermost server's, which is the last attempt.
    assert_eq!(call.latency.unwrap().as_nanos(), 50 * MS);
}

#[test]
fn an_unnamed_sighting_takes_its_call_s_name() {
    let outer = vec![client(1, "", (0, 100)), under(1, server(2, "search", (10, 90)))];
    assert_eq!(folded(outer), [is(0, 100, "search", "shop", "agent")]);
    // Two tools below one unnamed span: the first is its call, the second is another.
    let two = vec![
        client(1, "", (0, 100)),
        under(1, server(2, "search", (10, 40))),
        under(1, server(3, "book", (50, 90))),
    ];
    assert_eq!(
        folded(two),
        [is(0, 100, "search", "shop", "agent"), is(50, 90, "book", "shop", "unknown")]
    );
    assert_eq!(folded(vec![client(1, "", (0, 100))]), [is(0, 100, "", "unknown", "agent")]);
}

#[test]
fn a_hole_in_the_chain_is_bridged_by_time() {
    // The HTTP spans between the two are no tool calls and were not kept.
    let with_hole = vec![client(1, "search", (0, 100)), under(77, server(2, "search", (10, 90)))];
    assert_eq!(folded(with_hole), [is(0, 100, "search", "shop", "agent")]);
    let outside = vec![client(1, "search", (0, 100)), under(77, server(2, "search", (51, 101)))];
    assert_eq!(count(outside), 2);
    // Two clocks that differ a little do not make two calls of one.
    let skewed = vec![client(1, "search", (0, 100)), under(77, server(2, "search", (50, 101)))];
    assert_eq!(count(skewed), 1);
    let another = vec![client(1, "book", (0, 100)), under(77, server(2, "search", (10, 90)))];
    assert_eq!(count(another), 2);
}

#[test]
fn parallel_calls_with_holes_are_matched_one_to_one_in_order_of_start() {
    let fail = |sighting: Sighting| Sighting { outcome: Outcome::ToolError, ..sighting };
    let sightings = vec![
        client(1, "search", (0, 100)),
        client(2, "search", (1, 101)),
        under(77, fail(server(3, "search", (10, 50)))),
        under(78, server(4, "search", (11, 60))),
    ];
    let mut names = Names::new();
    let mut calls = fold_day(day(), sightings, &mut names);
    calls.sort_by_key(|call| call.start);
    let outcomes: Vec<Outcome> = calls.iter().map(|call| call.outcome).collect();
    assert_eq!(outcomes, [Outcome::ToolError, Outcome::Ok]);
}

#[test]
fn order_of_start_gives_way_where_it_would_leave_a_sighting_over() {
    // The short calls' servers answered first; in order of start the long call would take the
    // first of them, and its own would be left over.
    let sightings = vec![
        client(1, "search", (0, 100)),
        client(2, "search", (1, 50)),
        client(3, "search", (2, 20)),
        under(71, server(4, "search", (3, 40))),
        under(72, server(5, "search", (4, 19))),
        under(73, server(6, "search", (60, 70))),
    ];
    assert_eq!(count(sightings), 3);
}

#[test]
fn two_sightings_of_one_kind_and_scope_are_parallel_calls() {
    let parallel = vec![server(1, "search", (0, 100)), server(2, "search", (10, 90))];
    assert_eq!(count(parallel), 2);
    let same_parent =
        vec![under(9, server(1, "search", (0, 100))), under(9, server(2, "search", (10, 90)))];
    assert_eq!(count(same_parent), 2);
    // Two services that each have the tool.
    let mut other = server(2, "search", (10, 90));
    other.emitter = Some(name("depot"));
    other.service = Some(name("depot"));
    assert_eq!(count(vec![server(1, "search", (0, 100)), other]), 2);
}

#[test]
fn another_program_s_client_within_a_server_s_time_is_another_call() {
    let overlapping = vec![
        server(1, "search", (0, 100)),
        client(2, "search", (10, 90)),
        under(2, server(3, "search", (20, 80))),
    ];
    assert_eq!(count(overlapping), 2);
}

#[test]
fn a_gateway_is_one_call_with_its_two_sides() {
    let gateway = |number, kind, tool, times| seen(number, kind, "gateway", tool, times);
    let sightings = vec![
        client(1, "shop_search", (0, 100)),
        under(1, gateway(2, SpanKind::Server, "shop_search", (10, 90))),
        // The gateway's client side begins no earlier and is not linked to its server side.
        under(77, gateway(3, SpanKind::Client, "search", (20, 80))),
        under(3, server(4, "search", (30, 70))),
    ];
    assert_eq!(folded(sightings), [is(0, 100, "search", "shop", "agent")]);
    // Nor does a kept parent of another tool keep them apart.
    let sightings = vec![
        gateway(1, SpanKind::Server, "search", (0, 100)),
        agent(2, "route", (5, 95)),
        under(2, gateway(3, SpanKind::Client, "search", (20, 80))),
    ];
    assert_eq!(count(sightings), 2);
}

#[test]
fn exact_doubles_of_two_instrumentations_are_one_call() {
    let twice = |tool, start, arguments_of_second: Option<Arguments>| {
        let first = Sighting { arguments: arguments(1), ..agent(1, "search", (0, 100)) };
        let second = Sighting {
            arguments: arguments_of_second,
            scope: name("other"),
            ..agent(2, tool, (start, 110))
        };
        vec![under(8, first), under(9, second)]
    };
    let same = arguments(1).map(|a| Arguments { source: name("elsewhere"), ..a });
    assert_eq!(count(twice("search", 50, None)), 1);
    assert_eq!(count(twice("search", 50, same.clone())), 1);
    assert_eq!(count(twice("search", 51, same.clone())), 2);
    assert_eq!(count(twice("search", 50, arguments(2))), 2);
    assert_eq!(count(twice("book", 50, same)), 2);
}

#[test]
fn parallel_calls_seen_by_two_instrumentations_find_their_doubles() {
    let by = |scope: &str, number, start, hash| Sighting {
        scope: name(scope),
        arguments: arguments(hash).map(|a| Arguments { source: name(scope), ..a }),
        ..agent(number, "search", (start, 200 + number))
    };
    let sightings =
        vec![by("one", 1, 0, 1), by("two", 2, 5, 2), by("one", 3, 1, 2), by("two", 4, 6, 1)];
    let mut names = Names::new();
    let calls = fold_day(day(), sightings, &mut names);
    assert_eq!(calls.len(), 2);
    for call in calls {
        let values: Vec<[u8; 6]> = call.args.iter().map(|args| args.value).collect();
        assert_eq!(values[0], values[1]);
    }
}

#[test]
fn a_shared_call_id_joins_what_no_link_does() {
    let with =
        |id: &str, sighting: Sighting| Sighting { call_id: Some(CallKey::of(id)), ..sighting };
    let skewed = vec![
        with("a", agent(1, "shop_search", (0, 100))),
        // The server's clock is two seconds behind.
        with("a", Sighting { kind: SpanKind::Server, ..server(2, "search", (2010, 2090)) }),
    ];
    assert_eq!(count(skewed), 1);
    // An id that is given out again stands for another call, though the first one's server is
    // not to be seen.
    let again = vec![
        with("call_0", agent(1, "search", (0, 100))),
        with("call_0", agent(2, "search", (5000, 5100))),
        with("call_0", server(3, "search", (5010, 5090))),
    ];
    assert_eq!(
        folded(again),
        [is(0, 100, "search", "agent", "agent"), is(5000, 5100, "search", "shop", "agent")]
    );
}

#[test]
fn calls_of_two_traces_are_joined_only_on_session_tool_id_and_time() {
    let in_session = |session: &str, sighting: Sighting| Sighting {
        session: Some(SessionClaim::Transport(SessionKey::of(session))),
        request_id: Some(CallKey::of("7")),
        ..sighting
    };
    let pair = |session: &str, tool: &str, times| {
        let theirs = Sighting { trace_id: trace(2), ..server(2, tool, times) };
        vec![in_session("s", client(1, "search", (0, 100))), in_session(session, theirs)]
    };
    assert_eq!(folded(pair("s", "search", (10, 120))), [is(0, 100, "search", "shop", "agent")]);
    assert_eq!(count(pair("other", "search", (10, 90))), 2);
    assert_eq!(count(pair("s", "book", (10, 90))), 2);
    assert_eq!(count(pair("s", "search", (101, 190))), 2);
    let mut two_clients = pair("s", "search", (10, 90));
    two_clients[1].kind = SpanKind::Client;
    two_clients[1].scope = name("mcp-client");
    assert_eq!(count(two_clients), 2);
}

#[test]
fn the_folded_call_takes_each_field_from_the_sighting_that_knows_it_best() {
    let call = one(vec![
        Sighting {
            outcome: Outcome::Timeout,
            confidence: Confidence::Low,
            arguments: arguments(1),
            session: Some(SessionClaim::Transport(SessionKey::of("t"))),
            ..agent(1, "shop__search", (0, 100))
        },
        under(
            1,
            Sighting {
                outcome: Outcome::BadArgs,
                emptiness: Emptiness::Yes,
                result_bytes: Some(12),
                arguments: arguments(2),
                session: Some(SessionClaim::Conversation(SessionKey::of("c"))),
                is_sampled: true,
                ..server(2, "search", (10, 70))
            },
        ),
    ]);
    assert_eq!((call.start.get(), call.end.get()), (NOON, NOON + 100 * MS));
    assert_eq!(call.latency.unwrap().as_nanos(), 60 * MS);
    // The worst of all, its class from the innermost that names one.
    assert_eq!(call.outcome, Outcome::BadArgs);
    assert_eq!(call.emptiness, Emptiness::Unknown, "only an ok answer can be empty");
    assert_eq!(call.confidence, Confidence::High);
    assert_eq!(call.result_bytes, Some(12));
    assert!(call.is_sampled);
    assert_eq!(call.conversation, Some(SessionKey::of("c")));
    assert_eq!(call.transport, Some(SessionKey::of("t")));
    let values: Vec<u8> = call.args.iter().map(|args| args.value[0]).collect();
    assert_eq!(values, [1, 2], "the outermost first");
}

#[test]
fn an_unnamed_failure_is_named_by_whoever_names_it() {
    let outcome = |outer, inner| {
        one(vec![
            Sighting { outcome: outer, ..client(1, "search", (0, 100)) },
            under(1, Sighting { outcome: inner, ..server(2, "search", (10, 90)) }),
        ])
        .outcome
    };
    assert_eq!(outcome(Outcome::Error, Outcome::Ok), Outcome::Error);
    assert_eq!(outcome(Outcome::Error, Outcome::ToolError), Outcome::ToolError);
    assert_eq!(outcome(Outcome::Timeout, Outcome::Error), Outcome::Timeout);
    assert_eq!(outcome(Outcome::Timeout, Outcome::Cancelled), Outcome::Cancelled);
    assert_eq!(outcome(Outcome::Ok, Outcome::Ok), Outcome::Ok);
}

#[test]
fn who_called_and_who_offers_where_no_span_says_it() {
    let told = |sightings| folded(sightings).into_iter().map(|(_, _, _, s, c)| (s, c)).collect();
    let pairs: Vec<Vec<(String, String)>> = vec![
        // A lone server's program is the server, and says nothing of the client.
        told(vec![Sighting { service: None, ..server(1, "search", (0, 9)) }]),
        // An agent offers its own functions.
        told(vec![agent(1, "search", (0, 9))]),
        // A plain span is written by the server's author.
        told(vec![Sighting { dialect: name("plain"), ..agent(1, "search", (0, 9)) }]),
        // The client knows the server by a name.
        told(vec![Sighting { service: Some(name("shop")), ..client(1, "search", (0, 9)) }]),
        // A client that does not.
        told(vec![client(1, "search", (0, 9))]),
        // An internal span of the program that serves the call.
        told(vec![Sighting { service: Some(name("agent")), ..agent(1, "search", (0, 9)) }]),
        // Nothing at all.
        told(vec![Sighting { emitter: None, ..agent(1, "search", (0, 9)) }]),
        // A client that is told goes before the program that sent the span.
        told(vec![
            client(1, "search", (0, 9)),
            under(
                1,
                Sighting {
                    client: Some(ClientName::new(name("cursor"))),
                    ..server(2, "search", (1, 8))
                },
            ),
        ]),
    ];
    let expect = [
        ("mcp-server", "unknown"),
        ("agent", "agent"),
        ("agent", "unknown"),
        ("shop", "agent"),
        ("unknown", "agent"),
        ("agent", "unknown"),
        ("unknown", "unknown"),
        ("shop", "cursor"),
    ];
    for (found, (service, client)) in pairs.into_iter().zip(expect) {
        assert_eq!(found, [(service.to_owned(), client.to_owned())]);
    }
}

#[test]
fn spans_that_are_each_other_s_parents_do_no_harm() {
    let circle = vec![
        under(2, server(1, "search", (0, 10))),
        under(1, server(2, "search", (0, 10))),
        under(3, server(3, "search", (20, 30))),
    ];
    assert_eq!(count(circle), 2);
}

#[test]
fn one_trace_of_many_sightings_takes_no_square_of_their_number() {
    const MANY: u64 = 8_000;
    let id =
        |text: &str, sighting: Sighting| Sighting { call_id: Some(CallKey::of(text)), ..sighting };
    // A session in one trace below one long call, the ids given out again and again.
    let mut session = vec![agent(1, "delegate", (0, 3 * MANY))];
    for n in 0..MANY {
        session
            .push(under(9_000_007, id("call_0", client(2 * n + 2, "search", (3 * n, 3 * n + 2)))));
        session
            .push(under(9_000_008, id("call_0", server(2 * n + 3, "search", (3 * n, 3 * n + 1)))));
    }
    assert_eq!(count(session), 1 + 8_000);
    // One call below the other.
    let chain =
        (1..=MANY).map(|n| under(n - 1 + u64::from(n == 1), agent(n, "search", (n, MANY * 2 - n))));
    assert_eq!(count(chain.collect()), 1);
}
