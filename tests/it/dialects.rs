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

use firstcall::call::{InstallationSecret, UnixNanos};
use firstcall::figures::Refusal;
use firstcall::recognise::{NotACall, Recognition, dialect_names, recognise};
use firstcall::reduce::{PagingRules, ReduceContext, ReduceLimits, Reduced, reduce};

use body::Body;
use expectation::{Expected, Shown};

/// The time of arrival in every body: 2026-07-28 12:00:00 UTC.
pub(crate) const NOW: UnixNanos = UnixNanos::new(1_785_240_000_000_000_000);

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/otlp");
    let mut bodies: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    bodies.sort();
    bodies
}

/// What becomes of every span of a body, in order.
fn shown(body: &Body) -> Vec<Shown> {
    fates(body)
        .into_iter()
        .map(|fate| match fate {
            Fate::Call(reduced) => Shown::of(&reduced),
            Fate::Refused(refusal) => Shown::refused(refusal),
            Fate::NotACall(reason) => Shown::not_a_call(reason),
            Fate::Ordinary => Shown::ordinary(),
        })
        .collect()
}

/// What may become of a span.
#[derive(Debug)]
pub(crate) enum Fate {
    Call(Box<Reduced>),
    Refused(Refusal),
    NotACall(NotACall),
    Ordinary,
}

/// The fate of every span of a body, in order.
pub(crate) fn fates(body: &Body) -> Vec<Fate> {
    let secret = InstallationSecret::from_bytes([7; 32]);
    let (limits, paging) = (ReduceLimits::default(), PagingRules::default());
    let context = ReduceContext {
        now: NOW,
        secret: &secret,
        limits: &limits,
        paging: &paging,
        conversation_attributes: &[],
    };
    body.spans
        .iter()
        .map(|(resource, scope, span)| match recognise(span, scope, resource) {
            Recognition::Call(call) => match reduce(&call, span, scope, resource, &context) {
                Ok(reduced) => Fate::Call(Box::new(reduced)),
                Err(refusal) => Fate::Refused(refusal),
            },
            Recognition::NotACall(reason) => Fate::NotACall(reason),
            Recognition::Ordinary => Fate::Ordinary,
        })
        .collect()
}

#[test]
fn every_body_of_the_corpus_gives_the_sightings_expected_of_it() {
    let bodies = corpus();
    assert!(!bodies.is_empty());
    let mut wrong = Vec::new();
    for path in bodies {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let body = Body::from_json(&std::fs::read_to_string(&path).unwrap());
        let expected = std::fs::read_to_string(path.with_extension("expect.yaml"))
            .unwrap_or_else(|_| panic!("{name} has no expectation beside it"));
        let expected: Vec<Expected> = yaml_serde::from_str(&expected)
            .unwrap_or_else(|error| panic!("{name}.expect.yaml: {error}"));
        let shown = shown(&body);
        assert_eq!(shown.len(), expected.len(), "{name}: spans");
        for (at, (shown, expected)) in shown.iter().zip(expected).enumerate() {
            let expected = expected.shown();
            if shown != &expected {
                wrong.push(format!("{name}, span {at}\n     got {shown:?}\nexpected {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_dialect_has_a_body_in_the_corpus() {
    let mut seen = BTreeSet::new();
    for path in corpus() {
        let expected = std::fs::read_to_string(path.with_extension("expect.yaml")).unwrap();
        let expected: Vec<Expected> = yaml_serde::from_str(&expected).unwrap();
        seen.extend(expected.into_iter().filter_map(|each| each.dialect));
    }
    let missing: Vec<_> = dialect_names().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "no body for {missing:?}");
}
