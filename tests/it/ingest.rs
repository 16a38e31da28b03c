//! From a request's bytes to a batch, without a socket.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::sync::{Arc, Mutex};

use firstcall::call::{InstallationSecret, Name, UnixNanos};
use firstcall::clock::ManualClock;
use firstcall::figures::{ArrivalCounts, RecordKind, Refusal, SourceKey, Sources};
use firstcall::ingest::{Commit, Ingest, IngestError, MAX_CALLS, Outcome};
use firstcall::otlp::{Format, Sent};
use firstcall::store::{Batch, Committed, StoreError};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::InstrumentationScope;
use opentelemetry_proto::tonic::trace::v1::{ScopeSpans, Span};
use prost::Message;

use super::receive::spans::{NOON, call, ordinary, request, text};

/// Keeps the batches.
#[derive(Debug, Clone, Default)]
struct Kept(Arc<Mutex<Vec<Batch>>>);

impl Commit for Kept {
    async fn commit(&self, batch: Batch) -> Result<Committed, StoreError> {
        self.0.lock().unwrap().push(batch);
        Ok(Committed::default())
    }
}

/// Takes in `request`; the outcome and what was committed.
async fn take(bytes: &[u8]) -> (Result<Outcome, IngestError>, Vec<Batch>) {
    let kept = Kept::default();
    let clock = Arc::new(ManualClock::at(UnixNanos::new(NOON)));
    let ingest = Ingest::new(kept.clone(), clock, &InstallationSecret::from_bytes([7; 32]));
    let outcome = match ingest.read(bytes, Format::Protobuf, None) {
        Ok(reading) => ingest.commit(reading).await,
        Err(error) => Err(error),
    };
    let batches = kept.0.lock().unwrap().clone();
    (outcome, batches)
}

/// A request whose resources have these services, each with its spans.
fn from_services(services: &[(Option<&str>, Vec<Span>)]) -> Vec<u8> {
    let mut resource_spans = Vec::new();
    for (service, spans) in services {
        let mut one = request(spans.clone()).resource_spans.pop().unwrap();
        let attributes = service.map(|service| text("service.name", service)).into_iter().collect();
        one.resource.as_mut().unwrap().attributes = attributes;
        resource_spans.push(one);
    }
    ExportTraceServiceRequest { resource_spans }.encode_to_vec()
}

#[tokio::test]
async fn arrivals_are_counted_by_the_service_that_sent_them() {
    let bytes = from_services(&[
        (Some("shop"), vec![call(1), ordinary(2)]),
        (None, vec![ordinary(3)]),
        (Some("shop"), vec![ordinary(4), call(5)]),
        (Some("idle"), vec![]),
    ]);
    let (outcome, batches) = take(&bytes).await;
    let expected = Outcome { sent: Sent::Spans, items: 5, kept: 2, refused: None, duplicates: 0 };
    assert_eq!(outcome.unwrap(), expected);
    let [batch] = batches.try_into().unwrap();
    assert_eq!(batch.received, UnixNanos::new(NOON));
    assert_eq!(batch.sightings.len(), 2);
    let counts = |name: &str| batch.counts.get(&Name::cut(name)).cloned();
    let shop = counts("shop").unwrap();
    assert_eq!((shop.requests, shop.spans), (1, 4));
    assert_eq!(shop.kept.values().sum::<u64>(), 2);
    let nameless = ArrivalCounts { requests: 1, spans: 1, ..ArrivalCounts::default() };
    assert_eq!(counts(""), Some(nameless));
    assert_eq!(counts("idle"), None);
}

/// A request of one service with these scopes, each with its spans.
fn from_scopes(scopes: Vec<(String, Vec<Span>)>) -> Vec<u8> {
    let mut one = request(Vec::new()).resource_spans.pop().unwrap();
    let scope_spans = scopes.into_iter().map(|(name, spans)| {
        let scope = Some(InstrumentationScope { name, ..InstrumentationScope::default() });
        ScopeSpans { scope, spans, ..ScopeSpans::default() }
    });
    one.scope_spans = scope_spans.collect();
    ExportTraceServiceRequest { resource_spans: vec![one] }.encode_to_vec()
}

#[tokio::test]
async fn arrivals_are_counted_by_scope_whether_a_call_is_among_them_or_not() {
    let mut zero = call(4);
    zero.span_id = vec![0; 8];
    let list = Span { attributes: vec![text("mcp.method.name", "tools/list")], ..ordinary(5) };
    let bytes = from_scopes(vec![
        ("http".to_owned(), vec![ordinary(1), ordinary(2)]),
        ("tools".to_owned(), vec![call(3), zero, list, ordinary(6)]),
        (String::new(), vec![ordinary(7)]),
        ("idle".to_owned(), Vec::new()),
    ]);
    let [batch] = take(&bytes).await.1.try_into().unwrap();
    let counts = |scope: &str| {
        let key = SourceKey::new("shop", scope, RecordKind::Span);
        let found = batch.sources.iter().find(|(each, _)| *each == Some(&key));
        found.map(|(_, counts)| counts.clone())
    };
    let tools = counts("tools").unwrap();
    assert_eq!((tools.seen, tools.calls()), (4, 1));
    assert_eq!(tools.not_calls.values().sum::<u64>(), 1);
    assert_eq!(tools.refused.get(Refusal::BadId), 1);
    assert_eq!(counts("http").map(|counts| (counts.seen, counts.calls())), Some((2, 0)));
    assert_eq!(counts("").map(|counts| counts.seen), Some(1));
    assert_eq!(counts("idle"), None);
}

#[tokio::test]
async fn however_many_scopes_a_request_names_a_thousand_are_told_apart() {
    let scopes = (0..5000).map(|number| (format!("scope {number}"), vec![ordinary(number)]));
    let [batch] = take(&from_scopes(scopes.collect())).await.1.try_into().unwrap();
    assert!(batch.sources.iter().count() <= Sources::MAX + 1);
    assert_eq!(batch.sources.iter().map(|(_, counts)| counts.seen).sum::<u64>(), 5000);
}

#[tokio::test]
async fn of_what_cannot_be_read_to_its_end_nothing_is_committed() {
    let mut bytes = request(vec![call(1), call(2)]).encode_to_vec();
    bytes.extend([0x0a, 0x7f]);
    let (outcome, batches) = take(&bytes).await;
    assert!(matches!(outcome, Err(IngestError::Malformed(_))));
    assert!(batches.is_empty());
}

#[tokio::test]
async fn a_refused_call_is_told_with_the_first_reason() {
    let mut zero = call(1);
    zero.span_id = vec![0; 8];
    let mut future = call(2);
    future.start_time_unix_nano = NOON + 2 * 3600 * 1_000_000_000;
    future.end_time_unix_nano = future.start_time_unix_nano;
    let (outcome, batches) = take(&request(vec![call(3), zero, future]).encode_to_vec()).await;
    let refused = Some((2, Refusal::BadId));
    let expected = Outcome { sent: Sent::Spans, items: 3, kept: 1, refused, duplicates: 0 };
    assert_eq!(outcome.unwrap(), expected);
    let counts: &ArrivalCounts = batches[0].counts.values().next().unwrap();
    assert_eq!(counts.refused.get(Refusal::BadId), 1);
    assert_eq!(counts.refused.get(Refusal::FarFuture), 1);
}

#[tokio::test]
async fn a_request_of_more_calls_than_are_taken_at_once_is_refused_whole() {
    let calls = |count: usize| {
        let mut one = request(vec![call(1)]).resource_spans.pop().unwrap();
        let spans = &mut one.scope_spans[0].spans;
        *spans = vec![spans[0].clone(); count];
        ExportTraceServiceRequest { resource_spans: vec![one] }.encode_to_vec()
    };
    let (outcome, batches) = take(&calls(MAX_CALLS)).await;
    assert_eq!(outcome.unwrap().kept, MAX_CALLS as u64);
    assert_eq!(batches.len(), 1);
    let (outcome, batches) = take(&calls(MAX_CALLS + 1)).await;
    assert!(matches!(outcome, Err(IngestError::TooManyCalls)));
    assert!(batches.is_empty());
}
