//! The receiver that is checked, and requests for it.

use std::net::{SocketAddr, ToSocketAddrs};

use firstcall::clock::{Clock, SystemClock};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::{Value, json};

use crate::receive::client::{Answer, export, head, post, send};
use crate::receive::spans::{call_at, framed, request};
use crate::support::RunningServer;

/// A receiver at two addresses.
pub(super) struct Target {
    pub(super) grpc: SocketAddr,
    pub(super) http: SocketAddr,
    _own: Option<(RunningServer, tempfile::TempDir)>,
}

fn given(variable: &str) -> Option<SocketAddr> {
    let text = std::env::var(variable).ok()?;
    let text = text.trim_start_matches("http://").trim_end_matches('/');
    Some(text.to_socket_addrs().unwrap().next().unwrap())
}

impl Target {
    /// The receiver that the environment names, else one of our own.
    pub(super) fn get() -> Self {
        let named = (given("FIRSTCALL_CHECK_GRPC"), given("FIRSTCALL_CHECK_HTTP"));
        if let (Some(grpc), Some(http)) = named {
            return Self { grpc, http, _own: None };
        }
        let folder = tempfile::tempdir().unwrap();
        let server = RunningServer::start(&folder.path().join("data"));
        Self { grpc: server.grpc, http: server.http, _own: Some((server, folder)) }
    }

    /// Posts protobuf.
    pub(super) async fn post(&self, body: &[u8], more: &[&str]) -> Answer {
        post(self.http, body, more).await
    }

    /// Exports protobuf over gRPC, uncompressed.
    pub(super) async fn export(&self, body: &[u8]) -> Answer {
        export(self.grpc, &[], framed(0, body)).await
    }

    /// Posts JSON.
    pub(super) async fn post_json(&self, body: &str) -> Answer {
        let head = head(body.len()).replace("x-protobuf", "json");
        send(self.http, format!("{head}\r\n{body}").as_bytes()).await
    }

    /// Posts JSON that must be a full success.
    pub(super) async fn takes_json(&self, body: &Value) {
        let answer = self.post_json(&body.to_string()).await;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!((answer.status, text.as_str()), (200, "{}"), "{body}");
    }

    /// Sends protobuf over both transports; both must be a full success.
    pub(super) async fn takes(&self, body: &[u8]) {
        let answer = self.export(body).await;
        assert_eq!((answer.grpc_status(), answer.body), (0, vec![0; 5]));
        let answer = self.post(body, &[]).await;
        assert_eq!((answer.status, answer.body.len()), (200, 0));
    }
}

/// Now, in nanoseconds.
pub(super) fn now() -> u64 {
    SystemClock.now().get()
}

/// A tool-call span of now.
pub(super) fn span(number: u64) -> Span {
    call_at(number, now())
}

/// A request with one tool call.
pub(super) fn one_call() -> Vec<u8> {
    request(vec![span(1)]).encode_to_vec()
}

/// A request with one tool call in JSON; `members` lie over the span's own.
pub(super) fn json_call(members: &Value) -> Value {
    let mut span = json!({
        "traceId": "0102030405060708090a0b0c0d0e0f10",
        "spanId": "00000000000000a1",
        "name": "tools/call search",
        "kind": 2,
        "startTimeUnixNano": now().to_string(),
        "endTimeUnixNano": now().to_string(),
        "attributes": tool_attributes(),
    });
    for (key, value) in members.as_object().unwrap() {
        span[key] = value.clone();
    }
    json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [span] }] }] })
}

/// The same with one attribute more.
pub(super) fn json_value(value: &Value) -> Value {
    let mut attributes = tool_attributes();
    attributes.push(json!({ "key": "args", "value": value }));
    json_call(&json!({ "attributes": attributes }))
}

/// What makes a span a tool call in the plain vocabulary.
pub(super) fn tool_attributes() -> Vec<Value> {
    [("tool_name", "search"), ("args_hash", "0123456789ab")]
        .map(|(key, text)| json!({ "key": key, "value": { "stringValue": text } }))
        .into()
}
