//! Every dialect of tool call: a request's body and the sightings expected of it, worked out by
//! hand from what the instrumentation says (`tests/corpus/otlp`).
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test a panic is the message, helpers included"
)]

pub(crate) mod body;
mod expectation;
mod traps;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use firstcall::call::{InstallationSecret, ToolRules, UnixNanos};
use firstcall::figures::Refusal;
use firstcall::otlp::{
    Format, LogView, LogVisitor, Outline, ResourceView, ScopeView, Sent, SpanView, Visitor, sent,
    walk, walk_logs,
};
use firstcall::recognise::{
    NotACall, Recognition, as_span, dialect_names, is_deciding_event, is_deciding_key,
    is_deciding_name, is_deciding_text, recognise, recognise_log,
};
use firstcall::reduce::{Keys, PagingRules, ReduceContext, ReduceLimits, Reduced, reduce};

use expectation::{Expected, Shown};

/// The time of arrival of every body: 2026-07-28 12:00:00 UTC.
const NOW: UnixNanos = UnixNanos::new(1_785_240_000_000_000_000);

/// What may become of a span or a log record.
#[derive(Debug)]
pub(crate) enum Fate {
    Call(Box<Reduced>),
    Refused(Refusal),
    NotACall(NotACall),
    Ordinary,
}

/// Takes every span and record, or only those that the receiver reads.
struct Fates {
    takes_every_span: bool,
    fates: Vec<Fate>,
}

impl Outline for Fates {
    fn resource(&mut self, _service_name: &str, _items: u64) {}
}

impl Visitor for Fates {
    fn is_deciding_key(&self, key: &[u8]) -> bool {
        self.takes_every_span || is_deciding_key(key)
    }

    fn is_deciding_text(&self, key: &[u8], text: &[u8]) -> bool {
        self.takes_every_span || is_deciding_text(key, text)
    }

    fn is_deciding_name(&self, name: &[u8]) -> bool {
        self.takes_every_span || is_deciding_name(name)
    }

    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        self.take(recognise(span, scope, resource), span, scope, resource);
    }
}

impl LogVisitor for Fates {
    fn is_deciding_event(&self, name: &[u8]) -> bool {
        self.takes_every_span || is_deciding_event(name)
    }

    fn log(&mut self, log: LogView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        let log = as_span(log);
        self.take(recognise_log(&log, scope, resource), &log, scope, resource);
    }
}

impl Fates {
    fn take(
        &mut self,
        recognition: Recognition,
        span: &SpanView<'_>,
        scope: &ScopeView<'_>,
        resource: &ResourceView<'_>,
    ) {
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
        self.fates.push(match recognition {
            Recognition::Call(call) => match reduce(&call, span, scope, resource, &context) {
                Ok(reduced) => Fate::Call(Box::new(reduced)),
                Err(refusal) => Fate::Refused(refusal),
            },
            Recognition::NotACall(reason) => Fate::NotACall(reason),
            Recognition::Ordinary => Fate::Ordinary,
        });
    }
}

fn walked(body: &[u8], format: Format, takes_every_span: bool) -> Vec<Fate> {
    let mut fates = Fates { takes_every_span, fates: Vec::new() };
    match sent(body, format) {
        Sent::Spans => walk(body, format, &mut fates).unwrap(),
        Sent::Logs => walk_logs(body, format, &mut fates).unwrap(),
    }
    fates.fates
}

/// The fate of every span or log record of an OTLP/JSON body, in order.
pub(crate) fn fates(body: &str) -> Vec<Fate> {
    walked(body.as_bytes(), Format::Json, true)
}

/// The fates of every span of the corpus.
pub(crate) fn corpus_fates() -> Vec<Fate> {
    corpus().iter().flat_map(|(_, body, _)| fates(body)).collect()
}

/// The corpus's bodies, OTLP/JSON, with their names.
pub(crate) fn corpus_bodies() -> Vec<(String, String)> {
    corpus().into_iter().map(|(name, body, _)| (name, body)).collect()
}

fn shown(fates: &[Fate]) -> Vec<Shown> {
    fates
        .iter()
        .map(|fate| match fate {
            Fate::Call(reduced) => Shown::of(reduced),
            Fate::Refused(refusal) => Shown::refused(*refusal),
            Fate::NotACall(reason) => Shown::not_a_call(*reason),
            Fate::Ordinary => Shown::ordinary(),
        })
        .collect()
}

/// The corpus's bodies with their names and what is expected of their spans.
fn corpus() -> Vec<(String, String, Vec<Expected>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/otlp");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    let read = |path: &Path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let expected = std::fs::read_to_string(path.with_extension("expect.yaml"))
            .unwrap_or_else(|_| panic!("{name} has no expectation beside it"));
        let expected = yaml_serde::from_str(&expected)
            .unwrap_or_else(|error| panic!("{name}.expect.yaml: {error}"));
        (name, std::fs::read_to_string(path).unwrap(), expected)
    };
    paths.iter().map(|path| read(path)).collect()
}

#[test]
fn every_body_of_the_corpus_gives_the_sightings_expected_of_it() {
    let corpus = corpus();
    assert!(!corpus.is_empty());
    let mut wrong = Vec::new();
    for (name, body, expected) in corpus {
        let shown = shown(&fates(&body));
        assert_eq!(shown.len(), expected.len(), "{name}: spans");
        for (at, (mut shown, expected)) in shown.into_iter().zip(expected).enumerate() {
            shown.start_ns = shown.start_ns.filter(|_| expected.start_ns.is_some());
            let expected = expected.shown();
            if shown != expected {
                wrong.push(format!("{name}, span {at}\n     got {shown:?}\nexpected {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn protobuf_and_json_tell_the_same_of_every_body() {
    for (name, body, _) in corpus() {
        let protobuf = walked(&body::protobuf(&body), Format::Protobuf, true);
        assert_eq!(shown(&protobuf), shown(&fates(&body)), "{name}");
    }
}

#[test]
fn only_ordinary_spans_are_not_worth_reading() {
    for (name, body, _) in corpus() {
        let told = |fates: &[Fate]| {
            let told = shown(fates).into_iter().filter(|shown| *shown != Shown::ordinary());
            told.collect::<Vec<_>>()
        };
        let read = walked(body.as_bytes(), Format::Json, false);
        assert_eq!(told(&read), told(&fates(&body)), "{name}");
    }
}

#[test]
fn every_dialect_has_a_body_in_the_corpus() {
    let expected = corpus().into_iter().flat_map(|(_, _, expected)| expected);
    let seen: BTreeSet<_> = expected.filter_map(|each| each.dialect).collect();
    let missing: Vec<_> = dialect_names().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "no body for {missing:?}");
}
