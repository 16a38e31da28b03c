//! Which client spans are kept as downstream attempts, without a socket.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::sync::{Arc, Mutex};

use firstcall::call::{Attempt, AttemptKind, InstallationSecret, UnixNanos};
use firstcall::clock::ManualClock;
use firstcall::ingest::{Commit, Ingest};
use firstcall::otlp::Format;
use firstcall::store::{Batch, Committed, StoreError};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

use super::receive::spans::{NOON, call, ordinary, request, text};

#[derive(Debug, Clone, Default)]
struct Kept(Arc<Mutex<Vec<Batch>>>);

impl Commit for Kept {
    async fn commit(&self, batch: Batch) -> Result<Committed, StoreError> {
        self.0.lock().unwrap().push(batch);
        Ok(Committed::default())
    }
}

fn ingest(kept: &Kept) -> Ingest<Kept> {
    let clock = Arc::new(ManualClock::at(UnixNanos::new(NOON)));
    Ingest::new(kept.clone(), clock, &InstallationSecret::from_bytes([7; 32]))
}

/// Sends one request after the other; the attempts that each left behind.
async fn kept_of(ingest: &Ingest<Kept>, kept: &Kept, requests: &[Vec<Span>]) -> Vec<Vec<Attempt>> {
    for spans in requests {
        let bytes = request(spans.clone()).encode_to_vec();
        let reading = ingest.read(&bytes, Format::Protobuf, None).unwrap();
        ingest.commit(reading).await.unwrap();
    }
    kept.0.lock().unwrap().drain(..).map(|batch| batch.attempts).collect()
}

/// A request to a dependency below the span `parent`.
fn below(number: u64, parent: u8) -> Span {
    Span {
        kind: 3,
        parent_span_id: vec![parent; 8],
        attributes: vec![text("http.request.method", "GET"), text("peer.service", "ledger")],
        ..ordinary(number)
    }
}

#[tokio::test]
async fn a_client_span_is_kept_whether_it_comes_before_beside_or_after_its_call() {
    let kept = Kept::default();
    let ingest = ingest(&kept);
    let requests = [vec![below(2, 1)], vec![below(3, 1), call(1), below(4, 1)], vec![below(5, 1)]];
    let found = kept_of(&ingest, &kept, &requests).await;
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 1]);
    let attempt = found.first().unwrap().first().unwrap();
    assert_eq!((attempt.kind, attempt.dependency.as_str()), (AttemptKind::Http, "ledger"));
    assert_eq!(attempt.emitter.as_ref().unwrap().as_str(), "shop");
}

#[tokio::test]
async fn other_spans_are_none() {
    let kept = Kept::default();
    let ingest = ingest(&kept);
    let root = Span { parent_span_id: Vec::new(), ..below(2, 1) };
    let server = Span { kind: 2, ..below(3, 1) };
    let queue = Span { attributes: vec![text("messaging.system", "kafka")], ..below(4, 1) };
    let far = Span { start_time_unix_nano: NOON + 7200 * 1_000_000_000, ..below(5, 1) };
    let found = kept_of(&ingest, &kept, &[vec![call(1), root, server, queue, far]]).await;
    assert_eq!(found, [Vec::new()]);
}

#[tokio::test]
async fn nothing_is_kept_where_the_configuration_says_so() {
    let kept = Kept::default();
    let ingest = ingest(&kept).without_attempts();
    assert_eq!(kept_of(&ingest, &kept, &[vec![call(1), below(2, 1)]]).await, [Vec::new()]);
}

#[tokio::test]
async fn of_a_program_without_calls_a_thousand_are_kept_until_it_has_one() {
    let kept = Kept::default();
    let ingest = ingest(&kept);
    let many = || (0..700).map(|number| below(number, 1)).collect::<Vec<Span>>();
    let requests = [many(), many(), many(), vec![call(1)], many()];
    let found = kept_of(&ingest, &kept, &requests).await;
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [700, 300, 0, 0, 700]);
}
