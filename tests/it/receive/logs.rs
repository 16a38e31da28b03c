//! Log records: both transports, both encodings, and what is answered.

use firstcall::figures::Refusal;
use firstcall::otlp::generated::opentelemetry::proto::collector::logs::v1::ExportLogsServiceResponse;
use firstcall::receive::Limits;
use firstcall::store::StoreError;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::InstrumentationScope;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;

use super::client::{Answer, Pieces, call, connect_h2, head, send};
use super::server::Server;
use super::spans::{NOON, framed, gzip, one_call, text};

const EXPORT: &str = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

/// Codex's record of a result; it tells no time, only when it was observed.
fn result(number: u64) -> LogRecord {
    LogRecord {
        observed_time_unix_nano: NOON + number,
        event_name: "event otel/src/tool_result.rs:54".to_owned(),
        attributes: vec![
            text("event.name", "codex.tool_result"),
            text("conversation.id", "c"),
            text("call_id", &number.to_string()),
            text("tool_name", "search"),
            text("success", "true"),
            text("duration_ms", "5"),
            text("arguments", "{}"),
        ],
        ..LogRecord::default()
    }
}

fn prompt() -> LogRecord {
    LogRecord { attributes: vec![text("event.name", "codex.user_prompt")], ..result(0) }
}

fn request(log_records: Vec<LogRecord>) -> Vec<u8> {
    let attributes = vec![text("service.name", "codex_exec")];
    let scope = InstrumentationScope {
        name: "codex_otel.log_only".to_owned(),
        ..InstrumentationScope::default()
    };
    let scope_logs = ScopeLogs { scope: Some(scope), log_records, ..ScopeLogs::default() };
    let resource_logs = ResourceLogs {
        resource: Some(Resource { attributes, ..Resource::default() }),
        scope_logs: vec![scope_logs],
        ..ResourceLogs::default()
    };
    ExportLogsServiceRequest { resource_logs: vec![resource_logs] }.encode_to_vec()
}

async fn post(server: &Server, path: &str, body: &[u8], more: &str) -> Answer {
    let head = head(body.len()).replace("/v1/traces", path);
    send(server.http, &[head.as_bytes(), more.as_bytes(), b"\r\n", body].concat()).await
}

async fn post_json(server: &Server, path: &str, body: &str) -> Answer {
    let head = head(body.len()).replace("/v1/traces", path).replace("x-protobuf", "json");
    send(server.http, &[head.as_bytes(), b"\r\n", body.as_bytes()].concat()).await
}

async fn export(server: &Server, body: &[u8]) -> Answer {
    let mut sender = connect_h2(server.grpc).await;
    call(&mut sender, EXPORT, &[], Pieces::whole(framed(0, body))).await
}

const JSON: &str = r#"{"resourceLogs":[{"scopeLogs":[{"scope":{"name":"gemini-cli"},"logRecords":[
    {"timeUnixNano":1795953600000000000,"body":null,"attributes":[
        {"key":"event.name","value":{"stringValue":"gemini_cli.tool_call"}},
        {"key":"function_name","value":{"stringValue":"search"}},
        {"key":"duration_ms","value":{"intValue":5}},{"key":"start_time","value":{}},
        {"key":"success","value":{"boolValue":true}}]}]}]}]}"#;

#[tokio::test]
async fn log_records_are_taken_over_both_transports_in_both_encodings() {
    let server = Server::start().await;
    let bytes = request(vec![result(1), prompt(), result(2)]);
    let answer = export(&server, &bytes).await;
    assert_eq!((answer.grpc_status(), answer.body), (0, vec![0; 5]));
    let answer = post(&server, "/v1/logs", &bytes, "").await;
    assert_eq!((answer.status, answer.body.len()), (200, 0));
    let answer = post(&server, "/v1/logs/", &gzip(&bytes), "content-encoding: gzip\r\n").await;
    assert_eq!(answer.status, 200);
    let answer = post_json(&server, "/v1/logs", JSON).await;
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"{}".as_slice()));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(server.memory.sightings(), 7);
    let batch = server.memory.batches().remove(0);
    let (emitter, counts) = batch.counts.iter().next().unwrap();
    assert_eq!(emitter.as_str(), "codex_exec");
    assert_eq!((counts.requests, counts.spans, counts.log_records), (1, 0, 3));
    assert_eq!(counts.kept.values().sum::<u64>(), 2);
}

#[tokio::test]
async fn what_is_sent_to_the_base_address_is_told_by_itself() {
    let server = Server::start().await;
    for (path, body) in [("/", request(vec![result(1)])), ("/", one_call())] {
        assert_eq!(post(&server, path, &body, "").await.status, 200);
    }
    assert_eq!(post_json(&server, "/", JSON).await.status, 200);
    assert_eq!(server.memory.sightings(), 3);
}

#[tokio::test]
async fn a_record_that_cannot_be_kept_is_told_in_the_logs_own_message() {
    let server = Server::start().await;
    let mut future = result(1);
    future.observed_time_unix_nano = NOON + 2 * 3600 * 1_000_000_000;
    let bytes = request(vec![future, result(2)]);
    let over_http = post(&server, "/v1/logs", &bytes, "").await;
    assert_eq!(over_http.status, 200);
    let over_grpc = export(&server, &bytes).await;
    assert_eq!(over_grpc.grpc_status(), 0);
    for reply in [&over_http.body[..], &over_grpc.body[5..]] {
        let partial = ExportLogsServiceResponse::decode(reply).unwrap().partial_success.unwrap();
        assert_eq!(partial.rejected_log_records, 1);
        assert!(partial.error_message.contains("clock"));
    }
    for batch in server.memory.batches() {
        assert_eq!(batch.sightings.len(), 1);
        let counts = batch.counts.values().next().unwrap();
        assert_eq!(counts.refused.get(Refusal::FarFuture), 1);
    }
    let late = JSON.replace("1795953600000000000", "1895953600000000000");
    let reply = post_json(&server, "/v1/logs", &late).await;
    let reply: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(reply["partialSuccess"]["rejectedLogRecords"], "1");
}

#[tokio::test]
async fn junk_is_refused_for_good_and_leaves_nothing() {
    let server = Server::start().await;
    let mut cut = request(vec![result(1)]);
    cut.pop();
    for junk in [&b"junk"[..], &cut, &one_call()] {
        assert_eq!(export(&server, junk).await.grpc_status(), 3, "INVALID_ARGUMENT");
        let answer = post(&server, "/v1/logs", junk, "").await;
        assert_eq!((answer.status, answer.status_body().code), (400, 3));
    }
    assert_eq!(post_json(&server, "/v1/logs", r#"{"resourceLogs":{}}"#).await.status, 400);
    assert!(server.memory.batches().is_empty());
}

#[tokio::test]
async fn a_store_that_takes_nothing_asks_to_send_again() {
    let server = Server::start().await;
    server.memory.set_trouble(Some(StoreError::WriterStopped));
    let bytes = request(vec![result(1)]);
    let answer = export(&server, &bytes).await;
    assert_eq!((answer.grpc_status(), answer.has_retry_info()), (14, true));
    assert_eq!(post(&server, "/v1/logs", &bytes, "").await.status, 503);
    server.memory.set_trouble(None);
    assert_eq!(post(&server, "/v1/logs", &bytes, "").await.status, 200);
}

#[tokio::test]
async fn the_size_limit_holds_for_log_records() {
    let limits = Limits { max_request_bytes: 1000, ..Limits::default() };
    let server = Server::with(limits).await;
    let large = request((0..20).map(result).collect());
    assert_eq!(export(&server, &large).await.grpc_status(), 8, "RESOURCE_EXHAUSTED");
    assert_eq!(post(&server, "/v1/logs", &large, "").await.status, 413);
    let packed = gzip(&large);
    let answer = post(&server, "/v1/logs", &packed, "content-encoding: gzip\r\n").await;
    assert_eq!(answer.status, 413);
}
