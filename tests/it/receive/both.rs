//! Rows that hold for both transports.

use firstcall::figures::Refusal;
use firstcall::otlp::generated::opentelemetry::proto::collector::trace::v1::ExportTraceServiceResponse;
use firstcall::receive::Limits;
use firstcall::store::StoreError;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::ResourceSpans;
use prost::Message;

use super::client::{Answer, export, post};
use super::server::Server;
use super::spans::{call, call_of_len, framed, gzip, one_call, ordinary, request, zstd};

const GZIP: &[(&str, &str)] = &[("grpc-encoding", "gzip")];

/// The reply in a gRPC answer of one message.
fn grpc_reply(answer: &Answer) -> ExportTraceServiceResponse {
    assert_eq!(answer.grpc_status(), 0);
    ExportTraceServiceResponse::decode(&answer.body[5..]).unwrap()
}

#[tokio::test]
async fn row_1_plain_and_gzip_are_taken_over_both_transports() {
    let server = Server::start().await;
    let (plain, packed) = (one_call(), gzip(&one_call()));
    assert_eq!(export(server.grpc, &[], framed(0, &plain)).await.grpc_status(), 0);
    assert_eq!(export(server.grpc, GZIP, framed(1, &packed)).await.grpc_status(), 0);
    // A client may leave a message uncompressed although it names an encoding.
    assert_eq!(export(server.grpc, GZIP, framed(0, &plain)).await.grpc_status(), 0);
    assert_eq!(post(server.http, &plain, &[]).await.status, 200);
    assert_eq!(post(server.http, &packed, &["content-encoding: gzip"]).await.status, 200);
    assert_eq!(server.memory.sightings(), 5);
}

#[tokio::test]
async fn zstd_is_taken_over_both_transports() {
    let server = Server::start().await;
    let packed = zstd(&one_call());
    let answer = export(server.grpc, &[("grpc-encoding", "zstd")], framed(1, &packed)).await;
    assert_eq!(answer.grpc_status(), 0);
    assert_eq!(post(server.http, &packed, &["content-encoding: zstd"]).await.status, 200);
    assert_eq!(server.memory.sightings(), 2);
}

/// A receiver that takes requests of up to ten thousand bytes.
async fn small_server() -> Server {
    Server::with(Limits { max_request_bytes: 10_000, ..Limits::default() }).await
}

fn assert_too_large(grpc: &Answer, http: &Answer) {
    assert_eq!(grpc.grpc_status(), 8, "RESOURCE_EXHAUSTED");
    assert!(!grpc.has_retry_info(), "it would be tried again for ever");
    assert_eq!(http.status, 413);
    assert_eq!(http.status_body().code, 8);
}

#[tokio::test]
async fn rows_2_16_27_the_limit_counts_bytes_after_inflating_to_the_last_byte() {
    let server = small_server().await;
    for len in [9_999, 10_000] {
        let bytes = call_of_len(len);
        assert_eq!(export(server.grpc, &[], framed(0, &bytes)).await.grpc_status(), 0);
        assert_eq!(export(server.grpc, GZIP, framed(1, &gzip(&bytes))).await.grpc_status(), 0);
        assert_eq!(post(server.http, &bytes, &[]).await.status, 200);
        assert_eq!(post(server.http, &gzip(&bytes), &["content-encoding: gzip"]).await.status, 200);
    }
    assert_eq!(server.memory.sightings(), 8);
    let bytes = call_of_len(10_001);
    assert_too_large(
        &export(server.grpc, &[], framed(0, &bytes)).await,
        &post(server.http, &bytes, &[]).await,
    );
    assert_too_large(
        &export(server.grpc, GZIP, framed(1, &gzip(&bytes))).await,
        &post(server.http, &gzip(&bytes), &["content-encoding: gzip"]).await,
    );
    assert_eq!(server.memory.sightings(), 8);
}

#[tokio::test]
async fn bug_17_a_bomb_is_refused_without_being_inflated_whole() {
    // A hundred megabytes of zeros: about a hundred kilobytes, and far over the budget, too.
    let server = Server::with(Limits {
        max_request_bytes: 1_000_000,
        max_in_flight_bytes: 4_000_000,
        ..Limits::default()
    })
    .await;
    let bomb = gzip(&vec![0; 100_000_000]);
    assert_too_large(
        &export(server.grpc, GZIP, framed(1, &bomb)).await,
        &post(server.http, &bomb, &["content-encoding: gzip"]).await,
    );
}

#[tokio::test]
async fn rows_3_16_27_bug_20_sixty_mebibytes_are_taken_by_default_and_sixty_five_are_not() {
    let server = Server::start().await;
    let mebibytes = |count: usize| call_of_len(count * 1024 * 1024);
    let bytes = mebibytes(60);
    assert_eq!(export(server.grpc, &[], framed(0, &bytes)).await.grpc_status(), 0);
    assert_eq!(post(server.http, &bytes, &[]).await.status, 200);
    assert_eq!(server.memory.sightings(), 2);
    let bytes = mebibytes(65);
    assert_too_large(
        &export(server.grpc, &[], framed(0, &bytes)).await,
        &post(server.http, &bytes, &[]).await,
    );
}

#[tokio::test]
async fn rows_6_7_an_empty_request_is_a_full_success() {
    let server = Server::start().await;
    let empty_envelope =
        ExportTraceServiceRequest { resource_spans: vec![ResourceSpans::default()] };
    for bytes in [Vec::new(), empty_envelope.encode_to_vec()] {
        let answer = export(server.grpc, &[], framed(0, &bytes)).await;
        assert_eq!((answer.grpc_status(), answer.body), (0, vec![0; 5]));
        let answer = post(server.http, &bytes, &[]).await;
        assert_eq!((answer.status, answer.body.len()), (200, 0));
    }
}

#[tokio::test]
async fn row_7_spans_that_are_no_tool_call_are_taken_and_forgotten() {
    let server = Server::start().await;
    let bytes = request(vec![ordinary(1), call(2), ordinary(3)]).encode_to_vec();
    assert_eq!(
        grpc_reply(&export(server.grpc, &[], framed(0, &bytes)).await).partial_success,
        None
    );
    let answer = post(server.http, &bytes, &[]).await;
    assert_eq!((answer.status, answer.body.len()), (200, 0));
    let batches = server.memory.batches();
    assert_eq!(batches.len(), 2);
    for batch in batches {
        assert_eq!(batch.sightings.len(), 1);
        let counts: Vec<_> =
            batch.counts.iter().map(|(name, counts)| (name.as_str(), counts)).collect();
        assert_eq!((counts[0].0, counts[0].1.requests, counts[0].1.spans), ("shop", 1, 3));
    }
}

#[tokio::test]
async fn rows_8_9_10_28_a_tool_call_with_a_bad_id_is_counted_and_costs_no_other() {
    let server = Server::start().await;
    let mut zero = call(1);
    zero.span_id = vec![0; 8];
    let mut long = call(2);
    long.trace_id = vec![b'a'; 32];
    let bytes = request(vec![zero, call(3), long, ordinary(4)]).encode_to_vec();
    let over_http = post(server.http, &bytes, &[]).await;
    assert_eq!(over_http.status, 200);
    let over_grpc = grpc_reply(&export(server.grpc, &[], framed(0, &bytes)).await);
    for reply in [over_grpc, ExportTraceServiceResponse::decode(&*over_http.body).unwrap()] {
        let partial = reply.partial_success.unwrap();
        assert_eq!(partial.rejected_spans, 2);
        assert!(partial.error_message.contains("trace id that is not 16 bytes"));
    }
    for batch in server.memory.batches() {
        assert_eq!(batch.sightings.len(), 1);
        let counts = batch.counts.values().next().unwrap();
        assert_eq!(counts.refused.get(Refusal::BadId), 2);
    }
}

#[tokio::test]
async fn rows_18_32_junk_is_refused_for_good() {
    let server = Server::start().await;
    let mut cut = one_call();
    cut.pop();
    for junk in [b"junk".to_vec(), cut] {
        let answer = export(server.grpc, &[], framed(0, &junk)).await;
        assert_eq!(answer.grpc_status(), 3, "INVALID_ARGUMENT");
        let details = answer.grpc_details().unwrap().details;
        assert_eq!(details[0].type_url, "type.googleapis.com/google.rpc.BadRequest");
        let answer = post(server.http, &junk, &[]).await;
        assert_eq!((answer.status, answer.status_body().code), (400, 3));
    }
    assert_eq!(server.memory.batches().len(), 0);
}

#[tokio::test]
async fn rows_17_20_33_bug_27_trouble_in_the_store_is_tried_again_and_passes() {
    let server = Server::start().await;
    server.memory.set_trouble(Some(StoreError::Full { file: "sightings".into() }));
    let bytes = one_call();
    let answer = export(server.grpc, &[], framed(0, &bytes)).await;
    assert_eq!(answer.grpc_status(), 14, "UNAVAILABLE");
    assert!(answer.has_retry_info());
    let answer = post(server.http, &bytes, &[]).await;
    assert_eq!((answer.status, answer.status_body().code), (503, 14));
    let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=30).contains(&seconds));
    assert!(!answer.status_body().message.contains("sightings"), "what, not where");
    server.memory.set_trouble(None);
    assert_eq!(post(server.http, &bytes, &[]).await.status, 200);
    assert_eq!(server.memory.sightings(), 1);
}

#[tokio::test]
async fn bug_14_gzip_that_nothing_names_is_refused_and_named() {
    let server = Server::start().await;
    let packed = gzip(&one_call());
    let answer = post(server.http, &packed, &[]).await;
    assert_eq!(answer.status, 400);
    assert!(answer.status_body().message.contains("gzip"));
    let answer = export(server.grpc, &[], framed(0, &packed)).await;
    assert_eq!(answer.grpc_status(), 3);
    assert!(answer.header("grpc-message").unwrap().contains("gzip"));
}

#[tokio::test]
async fn bug_15_every_gzip_member_is_read_and_what_follows_the_last_is_refused() {
    let server = Server::start().await;
    let bytes = request(vec![call(1), call(2)]).encode_to_vec();
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let members = [gzip(first), gzip(second)].concat();
    assert_eq!(export(server.grpc, GZIP, framed(1, &members)).await.grpc_status(), 0);
    assert_eq!(post(server.http, &members, &["content-encoding: gzip"]).await.status, 200);
    assert_eq!(server.memory.sightings(), 4);
    let junk = [gzip(&bytes), b"junk".to_vec()].concat();
    assert_eq!(export(server.grpc, GZIP, framed(1, &junk)).await.grpc_status(), 3);
    assert_eq!(post(server.http, &junk, &["content-encoding: gzip"]).await.status, 400);
    assert_eq!(server.memory.sightings(), 4);
}

#[tokio::test]
async fn bug_16_identity_and_aliases_and_case_are_understood_and_the_rest_is_refused() {
    let server = Server::start().await;
    let (plain, packed) = (one_call(), gzip(&one_call()));
    for (name, body, status) in [
        ("identity", &plain, 200),
        ("x-gzip", &packed, 200),
        ("GZIP", &packed, 200),
        ("br", &packed, 415),
        ("snappy", &packed, 415),
        ("gzip, gzip", &packed, 415),
    ] {
        let answer = post(server.http, body, &[&format!("content-encoding: {name}")]).await;
        assert_eq!(answer.status, status, "{name}");
    }
    let identity = export(server.grpc, &[("grpc-encoding", "identity")], framed(0, &plain)).await;
    assert_eq!(identity.grpc_status(), 0);
    let answer = export(server.grpc, &[("grpc-encoding", "snappy")], framed(1, &packed)).await;
    assert_eq!(answer.grpc_status(), 12, "row 21: UNIMPLEMENTED");
    assert_eq!(answer.header("grpc-accept-encoding"), Some("identity,gzip,zstd"));
}

#[tokio::test]
async fn bug_18_a_zstd_window_of_two_gibibytes_is_refused() {
    let server = Server::start().await;
    let claims = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00];
    assert_eq!(post(server.http, &claims, &["content-encoding: zstd"]).await.status, 400);
}

#[tokio::test]
async fn bug_19_a_tool_result_of_twelve_mebibytes_is_skipped_and_the_call_kept() {
    let server = Server::start().await;
    let bytes = call_of_len(12 * 1024 * 1024);
    assert_eq!(export(server.grpc, &[], framed(0, &bytes)).await.grpc_status(), 0);
    assert_eq!(server.memory.sightings(), 1);
}

#[tokio::test]
async fn bug_1_bad_utf8_in_an_unwanted_span_costs_nothing_and_in_a_call_is_mended() {
    let server = Server::start().await;
    let mut bytes = request(vec![ordinary(1), call(2)]).encode_to_vec();
    for text in [&b"GET /"[..], b"tools/call search"] {
        let at = bytes.windows(text.len()).position(|window| window == text).unwrap();
        bytes[at] = 0xff;
    }
    assert_eq!(post(server.http, &bytes, &[]).await.status, 200);
    assert_eq!(server.memory.sightings(), 1);
}

#[tokio::test]
async fn metrics_are_taken_and_dropped() {
    use super::client::{Pieces, call, connect_h2, send};
    let server = Server::start().await;
    let request = "POST /v1/metrics HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                   content-length: 2\r\n\r\n{}";
    let answer = send(server.http, request.as_bytes()).await;
    assert_eq!((answer.status, answer.body), (200, b"{}".to_vec()));
    assert_eq!(answer.headers["content-type"], "application/json");
    let mut sender = connect_h2(server.grpc).await;
    let path = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
    let answer = call(&mut sender, path, &[], Pieces::whole(framed(0, b"whatever"))).await;
    assert_eq!((answer.grpc_status(), answer.body), (0, vec![0; 5]));
    // Nothing of them is kept but that they came.
    let batches = server.memory.batches();
    assert!(batches.iter().all(|batch| batch.sightings.is_empty() && batch.counts.is_empty()));
    let seen: Vec<_> = batches
        .iter()
        .flat_map(|batch| batch.sources.iter())
        .map(|(key, counts)| (key.map(|key| key.kind), counts.seen))
        .collect();
    let metrics = (Some(firstcall::figures::RecordKind::Metric), 1);
    assert_eq!(seen, [metrics, metrics]);
}
