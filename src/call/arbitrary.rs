//! Any sightings at all, for property tests.

use proptest::option;
use proptest::prelude::*;

use super::{
    ArgsForm, ArgsHash, ArgumentPrint, Arguments, Attempt, AttemptEnd, AttemptKind,
    BusinessOutcome, CallKey, ClientName, Confidence, Emptiness, KeyPrint, KeyStatus, Name,
    OperationKind, Outcome, Recovery, SessionClaim, SessionKey, Sighting, SpanId, SpanKind, Stage,
    TimeBudget, TraceId, UnixNanos,
};

/// Any value of a closed set of words.
pub(crate) fn word<W: Copy + std::fmt::Debug + 'static>(
    all: &'static [W],
) -> impl Strategy<Value = W> {
    prop::sample::select(all)
}

/// Any name: mostly one of a few, so that names meet, else hostile text.
pub(crate) fn name() -> impl Strategy<Value = Name> {
    prop_oneof![
        4 => prop::sample::select(vec!["search", "orders", "", "Ω/../\u{202e}x", "a\0b"])
            .prop_map(Name::cut),
        1 => any::<String>().prop_map(|text| Name::cut(&text)),
        1 => (0_usize..1030).prop_map(|len| Name::cut(&"é".repeat(len))),
    ]
}

fn span_id() -> impl Strategy<Value = SpanId> {
    any::<[u8; 8]>().prop_filter_map("zero", |bytes| SpanId::from_bytes(&bytes))
}

fn trace_id() -> impl Strategy<Value = TraceId> {
    any::<[u8; 16]>().prop_filter_map("zero", |bytes| TraceId::from_bytes(&bytes))
}

fn hash() -> impl Strategy<Value = ArgsHash> {
    any::<[u8; 6]>().prop_map(ArgsHash::from_bytes)
}

fn print() -> impl Strategy<Value = ArgumentPrint> {
    (name(), any::<[u8; 4]>()).prop_map(|(name, print)| ArgumentPrint { name, print })
}

/// Any arguments.
pub(crate) fn arguments() -> impl Strategy<Value = Arguments> {
    let hashes = (hash(), option::of(hash()), option::of(hash()), option::of(hash()));
    let prints = prop::collection::btree_set(print(), 0..5);
    (word(ArgsForm::ALL), name(), hashes, any::<bool>(), prints).prop_map(
        |(form, source, (hash, exact, core, pos), hides, prints)| {
            let prints = prints.into_iter().collect();
            Arguments { form, source, hash, exact, core, pos, hides, prints }
        },
    )
}

fn session() -> impl Strategy<Value = SessionClaim> {
    (any::<[u8; 16]>(), any::<bool>()).prop_map(|(key, is_conversation)| {
        let key = SessionKey::from_bytes(key);
        if is_conversation { SessionClaim::Conversation(key) } else { SessionClaim::Transport(key) }
    })
}

/// Anything that a span may tell of recovery, if only of the kind.
pub(crate) fn recovery() -> impl Strategy<Value = Recovery> {
    let print = || option::of(any::<[u8; 8]>().prop_map(KeyPrint::from_bytes));
    let words = (
        word(OperationKind::ALL),
        option::of(word(Stage::ALL)),
        option::of(word(KeyStatus::ALL)),
        option::of(word(BusinessOutcome::ALL)),
        option::of(any::<bool>()),
    );
    let budget = (option::of(any::<u32>()), any::<[Option<u32>; 5]>())
        .prop_map(|(total_ms, spent_ms)| TimeBudget { total_ms, spent_ms });
    let told = (option::of(name()), option::of(any::<u32>()), option::of(budget));
    (words, told, print(), print()).prop_map(|(words, told, key, handle)| Recovery {
        kind: Some(words.0),
        dependency: told.0,
        attempts: told.1,
        stage: words.1,
        budget: told.2,
        key,
        key_status: words.2,
        business_outcome: words.3,
        handle,
        is_retry_safe: words.4,
    })
}

/// Any downstream attempt.
pub(crate) fn attempt() -> impl Strategy<Value = Attempt> {
    let ids = (trace_id(), span_id(), span_id());
    let names = (option::of(name()), name());
    let words = (word(AttemptKind::ALL), word(AttemptEnd::ALL), any::<[u8; 4]>());
    (ids, names, words, any::<(u64, u64, u32)>()).prop_map(
        |(ids, names, words, (one, other, resends))| Attempt {
            trace_id: ids.0,
            span_id: ids.1,
            parent_span_id: ids.2,
            emitter: names.0,
            kind: words.0,
            dependency: names.1,
            operation: words.2,
            start: UnixNanos::new(one.min(other)),
            end: UnixNanos::new(one.max(other)),
            ended: words.1,
            resends,
        },
    )
}

/// Any sighting that keeps the promises of [`Sighting`], at any time at all.
pub(crate) fn sighting() -> impl Strategy<Value = Sighting> {
    let ids = (trace_id(), span_id(), option::of(span_id()));
    let names = (name(), name(), option::of(name()), option::of(name()), option::of(name()));
    let client = (option::of(name().prop_map(ClientName::new)), option::of(name()));
    let words = (
        word(SpanKind::ALL),
        word(Outcome::ALL),
        word(Confidence::ALL),
        word(Emptiness::ALL),
        any::<(bool, bool, bool)>(),
    );
    let times = any::<(u64, u64, u64)>();
    let key = || option::of(any::<[u8; 8]>().prop_map(CallKey::from_bytes));
    let rest = (
        option::of(session()),
        option::of(arguments()),
        option::of(any::<u64>()),
        key(),
        key(),
        option::weighted(0.3, recovery()),
    );
    (ids, names, client, words, times, rest).prop_map(
        |(ids, names, client, words, (one, other, received), rest)| Sighting {
            trace_id: ids.0,
            span_id: ids.1,
            parent_span_id: ids.2,
            kind: words.0,
            scope: names.0,
            dialect: names.1,
            emitter: names.2,
            service: names.3,
            tool: names.4,
            client: client.0,
            client_version: client.1,
            session: rest.0,
            start: UnixNanos::new(one.min(other)),
            end: UnixNanos::new(one.max(other)),
            is_time_known: words.4.0,
            arguments: rest.1,
            outcome: words.1,
            confidence: words.2,
            emptiness: words.3,
            result_bytes: rest.2,
            call_id: rest.3,
            request_id: rest.4,
            is_sampled: words.4.1,
            recovery: rest.5.map(Box::new),
            is_label: words.4.2,
            received: UnixNanos::new(received),
        },
    )
}

/// One plain call of a server's tool, at noon of 2026-11-29.
pub(crate) fn plain_sighting() -> Sighting {
    let noon = 1_795_953_600_000_000_000;
    Sighting {
        trace_id: TraceId::from_bytes(&[1; 16]).unwrap(),
        span_id: SpanId::from_bytes(&[2; 8]).unwrap(),
        parent_span_id: SpanId::from_bytes(&[3; 8]),
        kind: SpanKind::Server,
        scope: Name::cut("mcp"),
        dialect: Name::cut("plain"),
        emitter: Some(Name::cut("shop")),
        service: Some(Name::cut("shop")),
        tool: Some(Name::cut("search_orders")),
        client: Some(ClientName::new(Name::cut("claude-code"))),
        client_version: Some(Name::cut("2.1")),
        session: Some(SessionClaim::Conversation(SessionKey::of("s"))),
        start: UnixNanos::new(noon),
        end: UnixNanos::new(noon + 1_500_000_000),
        is_time_known: true,
        arguments: Some(Arguments {
            form: ArgsForm::Json,
            source: Name::cut("mcp/args_hash"),
            hash: ArgsHash::from_bytes([7; 6]),
            exact: None,
            core: None,
            pos: None,
            hides: false,
            prints: Vec::new(),
        }),
        outcome: Outcome::Ok,
        confidence: Confidence::High,
        emptiness: Emptiness::No,
        result_bytes: Some(300),
        call_id: None,
        request_id: None,
        is_sampled: false,
        recovery: None,
        is_label: false,
        received: UnixNanos::new(noon + 2_000_000_000),
    }
}
