//! Traps that no single dialect owns: hostile spans, arguments that hide or lie, limits.

use std::borrow::Cow;

use firstcall::call::{
    ArgsForm, Arguments, CallDuration, Comparison, InstallationSecret, Name, Repair, SessionClaim,
    SessionKey, SpanKind, ToolRules, UnixNanos,
};
use firstcall::figures::Refusal;
use firstcall::otlp::{Attributes, ResourceView, ScopeView, SpanView, StatusView, Value};
use firstcall::recognise::{NotACall, Recognition, recognise};
use firstcall::reduce::{
    Keys, PagingDeclaration, PagingRules, ReduceContext, ReduceLimits, Reduced, reduce,
};
use proptest::prelude::*;

use super::NOW;

const ARGUMENTS: &str = "gen_ai.tool.call.arguments";

type Pair = (Cow<'static, str>, Value<'static>);

fn text(key: &'static str, value: impl Into<String>) -> Pair {
    (Cow::Borrowed(key), Value::String(Cow::Owned(value.into())))
}

/// An agent's span of `quote`, with these attributes beside what makes it one.
fn span(attributes: Vec<Pair>) -> SpanView<'static> {
    let mut all =
        vec![text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", "quote")];
    all.extend(attributes);
    SpanView {
        trace_id: Cow::Owned(vec![1; 16]),
        span_id: Cow::Owned(vec![2; 8]),
        parent_span_id: Cow::Owned(vec![]),
        trace_state: "".into(),
        name: "execute_tool quote".into(),
        kind: SpanKind::Internal,
        start_unix_nanos: NOW.get() - 2_000_000_000,
        end_unix_nanos: NOW.get() - 1_000_000_000,
        attributes: Attributes::new(all),
        events: vec![],
        status: StatusView::default(),
        is_utf8_repaired: false,
    }
}

/// What the configuration may change.
#[derive(Default)]
struct Settings {
    limits: ReduceLimits,
    paging: PagingRules,
    conversations: Vec<String>,
    scope: &'static str,
}

fn reduced_with(span: &SpanView<'_>, settings: &Settings) -> Result<Reduced, Refusal> {
    let scope = ScopeView { name: settings.scope.into(), version: "".into() };
    let resource = ResourceView { attributes: Attributes::new(vec![text("service.name", "desk")]) };
    let keys = Keys::of(&InstallationSecret::from_bytes([7; 32]));
    let context = ReduceContext {
        now: NOW,
        keys: &keys,
        limits: &settings.limits,
        paging: &settings.paging,
        empties: &ToolRules::default(),
        conversation_attributes: &settings.conversations,
    };
    match recognise(span, &scope, &resource) {
        Recognition::Call(call) => reduce(&call, span, &scope, &resource, &context),
        other => panic!("{other:?}"),
    }
}

fn reduced(span: &SpanView<'_>) -> Result<Reduced, Refusal> {
    reduced_with(span, &Settings::default())
}

/// What is kept of arguments that are sent as this text.
fn arguments(value: &str) -> Option<Arguments> {
    reduced(&span(vec![text(ARGUMENTS, value)])).unwrap().sighting.arguments
}

fn compare(a: &str, b: &str) -> Comparison {
    Arguments::compare(arguments(a).as_ref(), arguments(b).as_ref())
}

#[test]
fn arguments_are_same_different_or_unknown() {
    assert_eq!(compare(r#"{"a":1,"b":2}"#, r#"{ "b": 2.0, "a": 1e0 }"#), Comparison::Same);
    assert_eq!(compare(r#"{"a":1}"#, r#"{"a":1,"b":null}"#), Comparison::Different);
    // Beyond 2^53 digit for digit.
    assert_eq!(
        compare(r#"{"id":1234567890123456789}"#, r#"{"id":1234567890123456788}"#),
        Comparison::Different
    );
    assert_eq!(
        compare(r#"{"id":1234567890123456789}"#, r#"{"id":1234567890123456789}"#),
        Comparison::Same
    );
    // Nothing sent is the same as an empty object.
    for none in ["", " \n", "null", "\u{feff}{}"] {
        assert_eq!(compare(none, "{}"), Comparison::Same, "{none:?}");
    }
    // JSON within a string is taken out, at most twice.
    assert_eq!(compare(r#""{\"a\":1}""#, r#"{"a":1}"#), Comparison::Same);
    assert_eq!(compare(r#""\"{\\\"a\\\":1}\"""#, r#"{"a":1}"#), Comparison::Same);
    assert_eq!(compare(r#""just text""#, r#""just text""#), Comparison::Same);
    // Redacted and cut: equal ones prove nothing, different ones differ.
    assert_eq!(compare(r#"{"a":"***"}"#, r#"{"a":"***"}"#), Comparison::Unknown);
    assert_eq!(compare(r#"{"a":"long tex..."}"#, r#"{"a":"long tex..."}"#), Comparison::Unknown);
    assert_eq!(compare(r#"{"a":"***"}"#, r#"{"a":"***","b":1}"#), Comparison::Different);
    assert_eq!(compare(r#"{"q":"select * fr"#, r#"{"q":"select * fr"#), Comparison::Unknown);
    assert_eq!(compare(r#"{"q":"select * fr"#, r#"{"q":"select a fr"#), Comparison::Different);
    // A cut one and a whole one are of two forms.
    assert_eq!(compare(r#"{"q":"se"#, r#"{"q":"select"}"#), Comparison::Unknown);
    // Complete text that is not JSON compares byte for byte, without regard to blanks around it.
    assert_eq!(compare("{'a': 1}", " {'a': 1}\n"), Comparison::Same);
    assert_eq!(compare("{'a': 1}", "{'a': 2}"), Comparison::Different);
    assert_eq!(compare(r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#), Comparison::Same);
    // Not sent is never the same as not sent.
    for none in ["None", "N/A", "<not serializable>", "[REDACTED]", "Failed to serialize x"] {
        assert_eq!(compare(none, none), Comparison::Unknown, "{none}");
        assert!(arguments(none).is_none(), "{none}");
    }
    assert_eq!(Arguments::compare(None, None), Comparison::Unknown);
}

#[test]
fn arguments_of_two_sources_or_algorithms_are_unknown() {
    let plain = span(vec![text(ARGUMENTS, "{}")]);
    let of = |settings: &Settings| reduced_with(&plain, settings).unwrap().sighting.arguments;
    let here = of(&Settings::default());
    let other_scope = of(&Settings { scope: "another", ..Settings::default() });
    assert_eq!(Arguments::compare(here.as_ref(), other_scope.as_ref()), Comparison::Unknown);
    let limits = ReduceLimits { keyed_hashes: true, ..ReduceLimits::default() };
    let keyed = of(&Settings { limits, ..Settings::default() });
    assert_eq!(Arguments::compare(here.as_ref(), keyed.as_ref()), Comparison::Unknown);
    assert_eq!(Arguments::compare(keyed.as_ref(), keyed.as_ref()), Comparison::Same);
    assert_ne!(here.unwrap().hash, keyed.unwrap().hash);
}

#[test]
fn a_missing_attribute_is_no_arguments_hash() {
    assert!(reduced(&span(vec![])).unwrap().sighting.arguments.is_none());
    // Present without a value is no arguments.
    let unset = reduced(&span(vec![(ARGUMENTS.into(), Value::Empty)])).unwrap();
    assert_eq!(unset.sighting.arguments.unwrap().hash.to_string(), "44136fa355b3");
}

#[test]
fn wrappers_are_taken_off_only_where_they_are_known() {
    let run = r#"{"input_str":"{'sku': 'A1'}","tags":[],"metadata":{"step":4},"inputs":{"sku":"A1"},"kwargs":{}}"#;
    assert_eq!(compare(run, r#"{"sku":"A1"}"#), Comparison::Same);
    assert_eq!(compare(r#"{"_raw":"{\"sku\":\"A1\"}"}"#, r#"{"sku":"A1"}"#), Comparison::Same);
    // Under this attribute these are arguments like any other.
    for ordinary in
        [r#"{"name":"x","arguments":{}}"#, r#"{"input":"x"}"#, r#"{"args":[],"kwargs":{}}"#]
    {
        assert_eq!(compare(ordinary, "{}"), Comparison::Different, "{ordinary}");
    }
}

#[test]
fn a_page_turn_is_told_from_a_rewording() {
    let page = |text: &str| arguments(text).unwrap();
    let (first, second) = (page(r#"{"q":"a"}"#), page(r#"{"q":"a","cursor":"x"}"#));
    assert!(Arguments::is_page_turn(&first, &second));
    assert!(Arguments::is_page_turn(&second, &page(r#"{"q":"a","cursor":"y","limit":5}"#)));
    assert!(!Arguments::is_page_turn(&second, &page(r#"{"q":"b","cursor":"y"}"#)));
    // Only the size changed: the first answer was not enough.
    assert!(!Arguments::is_page_turn(
        &page(r#"{"q":"a","limit":5}"#),
        &page(r#"{"q":"a","limit":9}"#)
    ));
    // A tool's own declaration wins.
    let declared = PagingDeclaration { position: vec!["chapter".into()], ..Default::default() };
    let paging = PagingRules { tools: [("quote".to_owned(), declared)].into_iter().collect() };
    let settings = Settings { paging, ..Settings::default() };
    let chapter = |text_of: &str| {
        let span = span(vec![text(ARGUMENTS, text_of)]);
        reduced_with(&span, &settings).unwrap().sighting.arguments.unwrap()
    };
    assert!(Arguments::is_page_turn(&chapter(r#"{"chapter":1}"#), &chapter(r#"{"chapter":2}"#)));
    assert!(!Arguments::is_page_turn(&chapter(r#"{"page":1}"#), &chapter(r#"{"page":2}"#)));
}

#[test]
fn prints_tell_which_parameter_changed_and_are_at_most_thirty_two() {
    let a = arguments(r#"{"sku":"A1","n":1}"#).unwrap().prints;
    let b = arguments(r#"{"sku":"A2","n":1}"#).unwrap().prints;
    let names: Vec<_> = a.iter().map(|print| print.name.as_str()).collect();
    assert_eq!(names, ["n", "sku"]);
    assert_eq!(a[0].print, b[0].print);
    assert_ne!(a[1].print, b[1].print);
    let many: Vec<_> = (0..40).map(|n| format!("\"k{n:02}\":{n}")).collect();
    let prints = arguments(&format!("{{{}}}", many.join(","))).unwrap().prints;
    assert_eq!((prints.len(), prints[31].name.as_str()), (32, "k31"));
    let limits = ReduceLimits { prints: false, ..ReduceLimits::default() };
    let settings = Settings { limits, ..Settings::default() };
    let off = reduced_with(&span(vec![text(ARGUMENTS, r#"{"a":1}"#)]), &settings).unwrap();
    assert!(off.sighting.arguments.unwrap().prints.is_empty());
}

#[test]
fn ids_are_checked_and_a_bad_parent_is_none() {
    let refused = |change: fn(&mut SpanView<'static>)| {
        let mut span = span(vec![]);
        change(&mut span);
        reduced(&span).unwrap_err()
    };
    assert_eq!(refused(|span| span.trace_id = Cow::Owned(vec![0; 16])), Refusal::BadId);
    assert_eq!(refused(|span| span.trace_id = Cow::Owned(vec![1; 15])), Refusal::BadId);
    assert_eq!(refused(|span| span.span_id = Cow::Owned(vec![])), Refusal::BadId);
    let mut child = span(vec![]);
    child.parent_span_id = Cow::Owned(vec![0; 8]);
    assert_eq!(reduced(&child).unwrap().sighting.parent_span_id, None);
    child.parent_span_id = Cow::Owned(vec![3; 8]);
    assert!(reduced(&child).unwrap().sighting.parent_span_id.is_some());
}

#[test]
fn times_are_mended_or_refused() {
    let at = |start: u64, end: u64| {
        let mut span = span(vec![]);
        (span.start_unix_nanos, span.end_unix_nanos) = (start, end);
        reduced(&span)
    };
    let now = NOW.get();
    let backwards = at(now, now - 1).unwrap();
    assert_eq!(backwards.sighting.end, NOW);
    assert_eq!(backwards.repairs, [Repair::EndBeforeStart]);
    let no_start = at(0, now - 5).unwrap();
    assert_eq!(no_start.sighting.start, UnixNanos::new(now - 5));
    assert!(!no_start.sighting.is_time_known);
    assert_eq!(no_start.repairs, [Repair::NoStart]);
    assert_eq!(at(0, 0).unwrap().sighting.start, NOW);
    let hour = CallDuration::from_secs(3600).as_nanos();
    assert!(at(now + hour, now + hour).is_ok());
    assert_eq!(at(now + hour + 1, now + hour + 1).unwrap_err(), Refusal::FarFuture);
    let past = CallDuration::from_secs(400 * 86_400).as_nanos();
    assert!(at(now - past, now).is_ok());
    assert_eq!(at(now - past - 1, now).unwrap_err(), Refusal::TooOld);
    assert_eq!(at(1, now).unwrap_err(), Refusal::TooOld);
    assert_eq!(at(u64::MAX, 0).unwrap_err(), Refusal::FarFuture);
}

#[test]
fn hostile_names_are_kept_byte_for_byte_or_refused() {
    let named = |name: &str| {
        let mut span = span(vec![text("gen_ai.tool.name", name)]);
        span.name = "x".into();
        reduced(&span)
    };
    for name in ["<script>", "../../etc/passwd", "a\"'\u{202e}b", "ok name", "tab\there"] {
        assert_eq!(named(name).unwrap().sighting.tool.unwrap().as_str(), name);
    }
    assert!(named(&"x".repeat(Name::MAX_BYTES)).is_ok());
    assert_eq!(named(&"x".repeat(Name::MAX_BYTES + 1)).unwrap_err(), Refusal::ToolNameTooLong);
    for no_name in ["", " ", "unknown", "mcp_tool"] {
        assert_eq!(named(no_name).unwrap().sighting.tool, None, "{no_name}");
    }
    let long = span(vec![text("mcp.client.name", "é".repeat(5000))]);
    let long = reduced(&long).unwrap();
    assert_eq!(long.sighting.client.unwrap().as_str().len(), 1024);
    // The tool's name stands twice: the last one holds, and it is counted.
    assert_eq!(named("other").unwrap().repairs, [Repair::DuplicateKey]);
    assert_eq!(long.repairs, [Repair::NameCut]);
    let mut broken = span(vec![text(ARGUMENTS, "{\"a\":\"\u{fffd}\"}")]);
    broken.is_utf8_repaired = true;
    let broken = reduced(&broken).unwrap();
    assert_eq!(broken.repairs, [Repair::InvalidUtf8]);
    assert!(broken.sighting.arguments.unwrap().hides);
}

#[test]
fn a_configured_attribute_names_the_conversation() {
    let conversations = vec!["acme.ticket".to_owned()];
    let settings = Settings { conversations, ..Settings::default() };
    let both =
        span(vec![text("gen_ai.conversation.id", "c-1"), ("acme.ticket".into(), Value::Int(42))]);
    let session = reduced_with(&both, &settings).unwrap().sighting.session;
    assert_eq!(session, Some(SessionClaim::Conversation(SessionKey::of("42"))));
    for none in ["unknown", "NULL", "00000000-0000-0000-0000-000000000000", " "] {
        let span = span(vec![text("session.id", none)]);
        assert_eq!(reduced(&span).unwrap().sighting.session, None, "{none}");
    }
}

#[test]
fn marks_of_sampling_are_seen() {
    let mut marked = span(vec![]);
    assert!(!reduced(&marked).unwrap().sighting.is_sampled);
    marked.trace_state = "vendor=x,ot=th:8;rv:1".into();
    assert!(reduced(&marked).unwrap().sighting.is_sampled);
    let with = |key: &'static str, value: Value<'static>| {
        reduced(&span(vec![(key.into(), value)])).unwrap().sighting.is_sampled
    };
    assert!(with("SampleRate", Value::Int(4)));
    assert!(!with("SampleRate", Value::Int(1)));
    assert!(with("logfire.sample_rate", Value::Double(0.5)));
    assert!(with("sampling.priority", Value::Int(1)));
    assert!(!with("sampling.probability", Value::Double(1.0)));
}

#[test]
fn a_start_marker_and_an_output_function_are_no_calls() {
    let reason = |attributes| {
        let (scope, resource) = (ScopeView::default(), ResourceView::default());
        match recognise(&span(attributes), &scope, &resource) {
            Recognition::NotACall(reason) => reason,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(reason(vec![text("logfire.span_type", "pending_span")]), NotACall::PendingSpan);
    let message = text("logfire.msg", "running output function: final");
    assert_eq!(reason(vec![message]), NotACall::OutputFunction);
    let deferral = text("pydantic_ai.tool.deferral.name", "CallDeferred");
    assert_eq!(reason(vec![deferral]), NotACall::Deferred);
    let other = text("mcp.method.name", "prompts/get");
    assert_eq!(reason(vec![other]), NotACall::OtherMethod);
}

#[test]
fn a_cut_text_over_a_mebibyte_is_not_taken_apart() {
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(1024 * 1024));
    assert_eq!(arguments(&long).unwrap().form, ArgsForm::Cut);
}

fn any_value() -> impl Strategy<Value = Value<'static>> {
    let leaf = prop_oneof![
        Just(Value::Empty),
        Just(Value::TooDeep),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_map(Value::Double),
        any::<String>().prop_map(|text| Value::String(Cow::Owned(text))),
        r#"[\{\}\[\]":,a0-9\\. ]{0,24}"#.prop_map(|text| Value::String(Cow::Owned(text))),
        any::<Vec<u8>>().prop_map(|bytes| Value::Bytes(Cow::Owned(bytes))),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((any::<String>().prop_map(Cow::Owned), inner), 0..4)
                .prop_map(Value::Kvlist),
        ]
    })
}

fn any_key() -> impl Strategy<Value = Cow<'static, str>> {
    prop::sample::select(vec![
        ARGUMENTS,
        "args_hash",
        "outcome",
        "is_empty",
        "response_bytes",
        "gen_ai.tool.name",
        "gen_ai.operation.name",
        "gen_ai.tool.call.result",
        "mcp.method.name",
        "mcp.tool.name",
        "mcp.session.id",
        "error.type",
        "rpc.response.status_code",
        "traceloop.entity.input",
        "input.value",
        "output.value",
        "mcp.request.argument.a",
        "SampleRate",
        "session.id",
        "user_agent.original",
        "mcp.client.name",
    ])
    .prop_map(Cow::Borrowed)
}

proptest! {
    #[test]
    fn no_span_is_too_odd_to_be_judged(
        attributes in prop::collection::vec((any_key(), any_value()), 0..12),
        name in prop_oneof![any::<String>(), "(tools/call|execute_tool|MCP send) .{0,8}"],
        kind in 0_u8..6,
        times in any::<(u64, u64)>(),
        ids in prop::collection::vec(any::<u8>(), 0..18),
        state in any::<String>(),
    ) {
        let view = SpanView {
            trace_id: Cow::Owned(ids.clone()),
            span_id: Cow::Owned(ids.iter().copied().take(8).collect()),
            parent_span_id: Cow::Owned(ids),
            trace_state: Cow::Owned(state),
            name: Cow::Owned(name),
            kind: SpanKind::from_index(kind).unwrap(),
            start_unix_nanos: times.0,
            end_unix_nanos: times.1,
            attributes: Attributes::new(attributes),
            events: vec![],
            status: StatusView::default(),
            is_utf8_repaired: true,
        };
        let (scope, resource) = (ScopeView::default(), ResourceView::default());
        let keys = Keys::of(&InstallationSecret::from_bytes([7; 32]));
        let (limits, paging) = (ReduceLimits::default(), PagingRules::default());
        let context = ReduceContext {
            now: NOW,
            keys: &keys,
            limits: &limits,
            paging: &paging,
            empties: &ToolRules::default(),
            conversation_attributes: &[],
        };
        if let Recognition::Call(call) = recognise(&view, &scope, &resource)
            && let Ok(reduced) = reduce(&call, &view, &scope, &resource, &context)
        {
            let sighting = reduced.sighting;
            prop_assert!(sighting.start <= sighting.end);
            prop_assert!(sighting.arguments.is_none_or(|kept| kept.prints.len() <= 32));
        }
    }
}

#[test]
fn a_user_is_no_client() {
    let served = |scope| {
        let span = SpanView {
            kind: SpanKind::Server,
            ..span(vec![text("mcp.method.name", "tools/call"), text("enduser.id", "client-77")])
        };
        let settings = Settings { scope, ..Settings::default() };
        reduced_with(&span, &settings).unwrap().sighting.client
    };
    assert_eq!(served("asp"), None);
    assert_eq!(served("fastmcp").unwrap().as_str(), "client-77");
}
