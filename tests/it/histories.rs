//! The histories of `tests/corpus/histories`, whose README says how they are written: every call
//! must be judged as it is written there.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test a panic is the message, helpers included"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use firstcall::call::{
    ArgsForm, ArgsHash, ArgumentPrint, Arguments, BusinessOutcome, CallKey, ClientName, Confidence,
    Day, Emptiness, KeyPrint, KeyStatus, Name, OperationKind, Outcome, Recovery, SessionClaim,
    SessionKey, Sighting, SpanId, SpanKind, Stage, TraceId, UnixNanos,
};
use firstcall::figures::{Figures, Followed, SessionCounts, TimeoutFate};
use firstcall::nightly::{
    ChainKind, Judged, Names, Standing, Terms, fold_day, judge_calls, judge_day_under,
};
use serde::Deserialize;

const SECOND: u64 = 1_000_000_000;
/// Paging parameters that say where a page begins, and the one that says how long it is.
const POSITION: [&str; 2] = ["cursor", "page"];
const PAGE_SIZE: &str = "limit";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct History {
    #[serde(rename = "history")]
    title: String,
    #[serde(default)]
    infer: bool,
    calls: Vec<Written>,
    #[serde(default)]
    figures: BTreeMap<String, u64>,
    reworded: Option<BTreeMap<String, u64>>,
    pairs: Option<BTreeMap<String, u64>>,
    unknown_tools: Option<u64>,
    unnamed: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    at: String,
    #[serde(default = "one_second")]
    took: String,
    #[serde(default = "search")]
    tool: String,
    #[serde(default = "cursor")]
    client: String,
    #[serde(default = "conversation")]
    session: String,
    #[serde(default)]
    args: BTreeMap<String, yaml_serde::Value>,
    #[serde(default = "visible")]
    args_are: String,
    #[serde(default = "ok")]
    outcome: String,
    #[serde(default = "no")]
    empty: String,
    #[serde(default = "known")]
    start_is: String,
    #[serde(default = "server")]
    seen_by: String,
    #[serde(default = "high")]
    confidence: String,
    #[serde(default)]
    sampled: bool,
    #[serde(default)]
    both_hash: bool,
    /// How the client's side says that it ended, where that is not what the server says.
    client_outcome: Option<String>,
    recovery: Option<ToldOfRecovery>,
    expect: Option<Expected>,
}

/// What the server's span tells of recovery.
#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct ToldOfRecovery {
    kind: Option<String>,
    key: Option<String>,
    key_status: Option<String>,
    outcome: Option<String>,
    stage: Option<String>,
    handle: Option<String>,
    retry_safe: Option<bool>,
    attempts: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(default = "judged")]
    is: String,
    retried: Option<String>,
    by: Option<usize>,
    #[serde(default)]
    untested: bool,
    #[serde(default)]
    repeat: bool,
    chain: Option<String>,
    /// What followed, where the call is uncertain.
    then: Option<String>,
    grade: Option<String>,
    client: Option<String>,
    session: Option<String>,
}

macro_rules! defaults {
    ($($name:ident: $text:literal),+ $(,)?) => {$(
        fn $name() -> String { $text.to_owned() }
    )+};
}
defaults!(
    one_second: "1s", search: "shop/search", cursor: "cursor", conversation: "conversation one",
    visible: "visible", ok: "ok", no: "no", known: "known", server: "server", judged: "judged",
    high: "high",
);

fn day() -> Day {
    "2026-11-29".parse().unwrap()
}

fn name(text: &str) -> Name {
    Name::exact(text).unwrap()
}

/// Nanoseconds of a decimal text, digit for digit.
fn nanos(text: &str, unit: u64) -> u64 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let scale = 10_u64.pow(u32::try_from(fraction.len()).unwrap());
    whole.parse::<u64>().unwrap() * unit + fraction.parse::<u64>().unwrap() * unit / scale
}

fn start(written: &Written) -> u64 {
    let (of, text) = match written.at.split_at(1) {
        ("-", text) => (day().minus(1), text),
        ("+", text) => (day().plus(1), text),
        _ => (day(), written.at.as_str()),
    };
    let parts: Vec<&str> = text.split(':').collect();
    let [hours, minutes, seconds] = parts[..] else { panic!("no time: {text}") };
    of.start().get()
        + nanos(hours, 3600 * SECOND)
        + nanos(minutes, 60 * SECOND)
        + nanos(seconds, SECOND)
}

fn duration(text: &str) -> u64 {
    match text.strip_suffix("ms") {
        Some(number) => nanos(number, SECOND / 1000),
        None => nanos(text.strip_suffix('s').unwrap(), SECOND),
    }
}

/// Any digest tells arguments apart; only `{}` has its true one, for it is known by it.
fn hash_of(text: &str) -> ArgsHash {
    if text.is_empty() {
        return ArgsHash::from_bytes([0x44, 0x13, 0x6f, 0xa3, 0x55, 0xb3]);
    }
    ArgsHash::from_bytes(*CallKey::of(text).as_bytes().first_chunk().unwrap())
}

/// The text of the parameters that `is_wanted`, in order.
fn text_of(written: &Written, is_wanted: impl Fn(&str) -> bool) -> String {
    let wanted = written.args.iter().filter(|(name, _)| is_wanted(name));
    wanted.map(|(name, value)| format!("{name}={value:?}")).collect::<Vec<_>>().join("\n")
}

fn arguments(written: &Written, source: &str) -> Option<Arguments> {
    let is_position = |name: &str| POSITION.contains(&name);
    let is_paging = |name: &str| is_position(name) || name == PAGE_SIZE;
    let (all, core) = (text_of(written, |_| true), text_of(written, |name| !is_paging(name)));
    let pos = text_of(written, is_position);
    let print = |(parameter, value): (&String, &yaml_serde::Value)| ArgumentPrint {
        name: name(parameter),
        print: *CallKey::of(&format!("{value:?}")).as_bytes().first_chunk().unwrap(),
    };
    let form = match written.args_are.as_str() {
        "missing" => return None,
        "given" => ArgsForm::Given,
        "cut" => ArgsForm::Cut,
        "visible" | "hiding" => ArgsForm::Json,
        other => panic!("args_are: {other}"),
    };
    let is_visible = form == ArgsForm::Json;
    let has_pages = is_visible && core != all;
    Some(Arguments {
        form,
        source: name(source),
        hash: hash_of(&all),
        exact: None,
        core: has_pages.then(|| hash_of(&core)),
        pos: (has_pages && !pos.is_empty()).then(|| hash_of(&pos)),
        hides: written.args_are == "hiding",
        prints: if is_visible { written.args.iter().map(print).collect() } else { Vec::new() },
    })
}

fn span(call: usize, side: u64) -> SpanId {
    // Against the order of calls, so that nothing leans on it.
    let number = (1000 - u64::try_from(call).unwrap()) * 10 + side;
    SpanId::from_bytes(&number.to_be_bytes()).unwrap()
}

fn trace(text: &str) -> TraceId {
    TraceId::from_bytes(SessionKey::of(text).as_bytes()).unwrap()
}

fn recovery(told: &ToldOfRecovery) -> Recovery {
    let print = |text: &String| KeyPrint::from_bytes(*CallKey::of(text).as_bytes());
    Recovery {
        kind: told.kind.as_ref().map(|word| OperationKind::from_word(word).unwrap()),
        dependency: None,
        attempts: told.attempts,
        stage: told.stage.as_ref().map(|word| Stage::from_word(word).unwrap()),
        budget: None,
        key: told.key.as_ref().map(print),
        key_status: told.key_status.as_ref().map(|word| KeyStatus::from_word(word).unwrap()),
        business_outcome: told
            .outcome
            .as_ref()
            .map(|word| BusinessOutcome::from_word(word).unwrap()),
        handle: told.handle.as_ref().map(print),
        is_retry_safe: told.retry_safe,
    }
}

/// The sides around the server's that tell of a call, from within.
fn sides(written: &Written) -> &'static [(SpanKind, &'static str)] {
    match written.seen_by.as_str() {
        "server" | "server twice" => &[],
        "client and server" => &[(SpanKind::Client, "client")],
        "agent, client and server" => {
            &[(SpanKind::Client, "client"), (SpanKind::Internal, "agent")]
        }
        other => panic!("seen_by: {other}"),
    }
}

/// The spans of one call: its server's, and around it its client's and agent's.
fn spans(written: &Written, call: usize) -> Vec<Sighting> {
    let (kind, key) = written.session.split_once(' ').unwrap_or((&written.session, ""));
    let session = match kind {
        "conversation" => Some(SessionClaim::Conversation(SessionKey::of(key))),
        "transport" => Some(SessionClaim::Transport(SessionKey::of(key))),
        _ => None,
    };
    let (service, tool) = written.tool.split_once('/').unwrap_or(("shop", ""));
    let (begin, took) = (start(written), duration(&written.took));
    let is_parent = kind == "parent";
    let innermost = Sighting {
        trace_id: trace(&if kind == "trace" { key.to_owned() } else { format!("call {call}") }),
        span_id: span(call, 0),
        parent_span_id: is_parent.then(|| span(call, 9)),
        kind: SpanKind::Server,
        scope: name("server"),
        dialect: name("history"),
        emitter: Some(name(service)),
        service: Some(name(service)),
        tool: (!tool.is_empty()).then(|| name(tool)),
        client: (written.client != "unknown").then(|| ClientName::new(name(&written.client))),
        client_version: None,
        session,
        start: UnixNanos::new(begin),
        end: UnixNanos::new(begin + took),
        is_time_known: written.start_is == "known",
        arguments: arguments(written, "server"),
        outcome: Outcome::from_word(&written.outcome).unwrap(),
        confidence: Confidence::from_word(&written.confidence).unwrap(),
        emptiness: Emptiness::from_word(&written.empty).unwrap(),
        result_bytes: None,
        call_id: None,
        request_id: None,
        is_sampled: written.sampled,
        recovery: written.recovery.as_ref().map(|told| Box::new(recovery(told))),
        is_label: false,
        received: day().end(),
    };
    let mut spans = vec![innermost];
    for (side, (kind, scope)) in (1_u64..).zip(sides(written)) {
        let inner = spans.last_mut().unwrap();
        let outer = Sighting {
            span_id: span(call, side),
            kind: *kind,
            scope: name(scope),
            emitter: None,
            service: None,
            tool: inner.tool.as_ref().map(|tool| name(&format!("mcp__shop__{tool}"))),
            arguments: if written.both_hash { arguments(written, scope) } else { None },
            outcome: written
                .client_outcome
                .as_ref()
                .map_or(inner.outcome, |word| Outcome::from_word(word).unwrap()),
            recovery: None,
            ..inner.clone()
        };
        // One millisecond within.
        inner.parent_span_id = Some(outer.span_id);
        inner.start = UnixNanos::new(inner.start.get() + 1_000_000);
        inner.end = UnixNanos::new(inner.end.get() - 1_000_000);
        spans.push(outer);
    }
    let again = (written.seen_by == "server twice").then(|| spans[0].clone());
    spans.into_iter().chain(again).collect()
}

/// What is said of one call, in the words of the corpus.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    is: String,
    retried: Option<String>,
    by: Option<usize>,
    untested: bool,
    repeat: bool,
    chain: Option<String>,
}

fn said(judged: &Judged, at: usize, number_of: &BTreeMap<SpanId, usize>) -> Said {
    let judgement = &judged.judgements[at];
    let number = |call: u32| number_of[&judged.calls[call as usize].span_id] + 1;
    let is = match judgement.standing {
        Standing::Judged => "judged".to_owned(),
        Standing::Unjudged(reason) => reason.to_string(),
        Standing::OfNoTool => "of no tool".to_owned(),
    };
    let chain = judgement.chain.map(|chain| match judged.chains[chain as usize].kind {
        ChainKind::NotOfRetries => "no rewording".to_owned(),
        ChainKind::Usable { extra_attempts } => format!("usable {extra_attempts}"),
        ChainKind::Abandoned => "abandoned".to_owned(),
    });
    Said {
        is,
        retried: judgement.retry.map(|retry| retry.class.to_string()),
        by: judgement.retry.map(|retry| number(retry.witness)),
        untested: judgement.retry.is_some_and(|retry| retry.is_untested),
        repeat: judgement.is_repeat,
        chain,
    }
}

fn check(file: &str, history: &History) {
    let title = format!("{file}: {}", history.title);
    let mut sightings = Vec::new();
    let mut number_of = BTreeMap::new();
    for (number, written) in history.calls.iter().enumerate() {
        let spans = spans(written, number);
        number_of.insert(spans.last().unwrap().span_id, number);
        sightings.extend(spans);
    }
    let mut names = Names::new();
    let calls = fold_day(day(), sightings.clone(), &mut names);
    assert_eq!(calls.len(), history.calls.len(), "{title}: calls");
    let judged = judge_calls(Terms::inferring(history.infer), day(), calls, &names);
    let mut sessions: BTreeMap<&str, BTreeSet<Option<u32>>> = BTreeMap::new();
    let expectations = || history.calls.iter().filter_map(|call| call.expect.as_ref());
    let tells_what_followed = expectations().any(|expected| expected.then.is_some());
    for (at, call) in judged.calls.iter().enumerate() {
        let number = number_of[&call.span_id];
        let title = format!("{title}, call {}", number + 1);
        let Some(expected) = &history.calls[number].expect else {
            assert!(!judged.is_of_day(call), "{title}: nothing is expected of a call of the day");
            continue;
        };
        assert!(judged.is_of_day(call), "{title}: a call of the margins is not judged");
        let book = Said {
            is: expected.is.clone(),
            retried: expected.retried.clone(),
            by: expected.by,
            untested: expected.untested,
            repeat: expected.repeat,
            chain: expected.chain.clone(),
        };
        assert_eq!(said(&judged, at, &number_of), book, "{title}");
        if tells_what_followed {
            let found = judged.judgements[at].recovered.and_then(|found| found.followed);
            assert_eq!(found.map(Followed::word), expected.then.as_deref(), "{title}: then");
        }
        let of = judged.judgements[at].session;
        let session = of.map(|of| &judged.sessions.all[of as usize]);
        if let Some(grade) = &expected.grade {
            assert_eq!(session.map_or("e", |session| session.grade.word()), grade, "{title}");
        }
        if let Some(client) = &expected.client {
            assert_eq!(names.text(call.client), client, "{title}");
        }
        if let Some(session) = &expected.session {
            sessions.entry(session).or_default().insert(of);
        }
    }
    let distinct: BTreeSet<_> = sessions.values().flatten().collect();
    assert!(sessions.values().all(|ordinals| ordinals.len() == 1), "{title}: {sessions:?}");
    assert_eq!(distinct.len(), sessions.len(), "{title}: {sessions:?}");
    check_figures(&title, history, sightings);
}

fn check_figures(title: &str, history: &History, sightings: Vec<Sighting>) {
    let day = judge_day_under(Terms::inferring(history.infer), day(), sightings);
    let mut all = Figures::default();
    day.tools.values().for_each(|figures| all.merge(figures));
    let mut sessions = SessionCounts::default();
    day.sessions.values().for_each(|of_client| sessions.merge(of_client));
    for (word, expected) in &history.figures {
        let found = match word.as_str() {
            "calls" => all.calls,
            "judged" => all.judged,
            "empty" => all.empty,
            "emptiness_known" => all.emptiness_known,
            "empty_accepted" => all.empty_accepted,
            "empty_reworded" => all.empty_reworded,
            "retried" => all.retried,
            "unclassified" => all.unclassified,
            "repeats" => all.repeats,
            "first_call_successes" => all.first_call_successes,
            "confirmed_first_call_successes" => all.confirmed_first_call_successes,
            "retry_chains" => all.retry_chains,
            "usable_chains" => all.usable_chains,
            "extra_attempts" => all.extra_attempts,
            "abandoned_chains" => all.abandoned_chains,
            "last_words" => all.last_words,
            "last_word_failed" => all.last_word_failed,
            "low_confidence" => all.ok_low_confidence,
            "sampled" => all.sampled,
            "reworded_known" => all.reworded_known,
            "sessions" => sessions.sessions.total(),
            "single_call_sessions" => sessions.single_call,
            "shared_sessions" => sessions.shared,
            "sightings" => day.quality.sightings,
            "duplicates" => day.quality.duplicates,
            "folded" => day.quality.folded,
            word => recovery_figure(&all, word)
                .unwrap_or_else(|| panic!("{title}: no figure is called {word}")),
        };
        assert_eq!(found, *expected, "{title}: {word}");
    }
    if let Some(reworded) = &history.reworded {
        let found = all.reworded.iter().map(|(name, count)| (name.to_string(), count.retries));
        assert_eq!(&found.collect::<BTreeMap<_, _>>(), reworded, "{title}: reworded");
    }
    if let Some(pairs) = &history.pairs {
        let found = day.pairs.iter().map(|(pair, times)| {
            let text = |tool: &firstcall::call::ToolKey| format!("{}/{}", tool.service, tool.tool);
            (format!("{} > {}", text(&pair.first), text(&pair.next)), *times)
        });
        assert_eq!(&found.collect::<BTreeMap<_, _>>(), pairs, "{title}: pairs");
    }
    if let Some(expected) = history.unknown_tools {
        assert_eq!(day.unknown_tool_calls.values().sum::<u64>(), expected, "{title}");
    }
    if let Some(expected) = history.unnamed {
        assert_eq!(day.quality.unnamed, expected, "{title}");
    }
}

fn recovery_figure(all: &Figures, word: &str) -> Option<u64> {
    let recovery = &all.recovery;
    if let Some(fate) = word.strip_prefix("fate_").and_then(TimeoutFate::from_word) {
        return Some(recovery.timeout_fate.get(fate));
    }
    if let Some(stage) = word.strip_prefix("timeout_").and_then(Stage::from_word) {
        return Some(recovery.timeouts_by_stage.get(stage));
    }
    Some(match word {
        "uncertain" => recovery.uncertain,
        "status_checked" => recovery.status_checked,
        "never_checked" => recovery.never_checked,
        "unsafe_replays" => recovery.unsafe_replays,
        "keyed" => recovery.keyed,
        "duplicate_key_hits" => recovery.duplicate_key_hits,
        "key_conflicts" => recovery.key_conflicts,
        "possible_double_writes" => recovery.possible_double_writes,
        "attempts" => recovery.attempts,
        "writes" => recovery.writes,
        "unknown_outcomes" => recovery.unknown_outcomes,
        "unknown_resolved" => recovery.unknown_resolved,
        _ => return None,
    })
}

/// Every history, with the file that it stands in.
fn all() -> Vec<(String, History)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/histories");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut all = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "yaml")) {
        let text = fs::read_to_string(file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy();
        let histories: Vec<History> =
            yaml_serde::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        all.extend(histories.into_iter().map(|history| (name.clone().into_owned(), history)));
    }
    assert!(all.len() > 115, "only {} histories were found", all.len());
    all
}

/// The sightings of every history.
pub(crate) fn sightings_of_all() -> Vec<Vec<Sighting>> {
    let of = |history: &History| {
        let calls = history.calls.iter().enumerate();
        calls.flat_map(|(number, written)| spans(written, number)).collect()
    };
    all().iter().map(|(_, history)| of(history)).collect()
}

#[test]
fn every_history_is_judged_as_it_is_written() {
    for (file, history) in &all() {
        check(file, history);
    }
}
