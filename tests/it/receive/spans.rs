//! Requests to send.

use bytes::Bytes;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use prost::Message;

/// 2026-11-29 12:00:00 UTC, the time at which test servers stand.
pub(crate) const NOON: u64 = 1_795_953_600_000_000_000;

/// An attribute with a text.
pub(crate) fn text(key: &str, value: &str) -> KeyValue {
    let value = Some(any_value::Value::StringValue(value.to_owned()));
    KeyValue { key: key.to_owned(), value: Some(AnyValue { value }), ..KeyValue::default() }
}

/// A tool call in the plain vocabulary; `number` tells it from others.
pub(crate) fn call(number: u64) -> Span {
    call_at(number, NOON)
}

/// The same, started at that many nanoseconds since the epoch.
pub(crate) fn call_at(number: u64, start: u64) -> Span {
    Span {
        trace_id: [&[1; 8][..], &number.to_be_bytes()].concat(),
        span_id: (number + 1).to_be_bytes().to_vec(),
        name: "tools/call search".to_owned(),
        kind: 2,
        start_time_unix_nano: start,
        end_time_unix_nano: start + 1_000_000,
        attributes: vec![
            text("tool_name", "search"),
            text("args_hash", "0123456789ab"),
            text("outcome", "ok"),
            text("session_id", "conversation"),
        ],
        ..Span::default()
    }
}

/// A span that is no tool call.
pub(crate) fn ordinary(number: u64) -> Span {
    Span { name: "GET /".to_owned(), attributes: vec![text("http.route", "/")], ..call(number) }
}

/// A request with these spans.
pub(crate) fn request(spans: Vec<Span>) -> ExportTraceServiceRequest {
    let attributes = vec![text("service.name", "shop")];
    let resource = Some(Resource { attributes, ..Resource::default() });
    let scope_spans = vec![ScopeSpans { spans, ..ScopeSpans::default() }];
    let resource_spans = vec![ResourceSpans { resource, scope_spans, ..ResourceSpans::default() }];
    ExportTraceServiceRequest { resource_spans }
}

/// A request with one tool call.
pub(crate) fn one_call() -> Vec<u8> {
    request(vec![call(0)]).encode_to_vec()
}

/// A request of exactly `len` bytes with one tool call and one attribute that is not looked at.
pub(crate) fn call_of_len(len: usize) -> Vec<u8> {
    let build = |padding: usize| {
        let mut span = call(0);
        span.attributes.push(text("padding", &"x".repeat(padding)));
        request(vec![span]).encode_to_vec()
    };
    // Longer lengths take more bytes to write: two steps arrive.
    let mut padding = len - 1000;
    for _ in 0..3 {
        padding = padding + len - build(padding).len();
    }
    let bytes = build(padding);
    assert_eq!(bytes.len(), len);
    bytes
}

/// `bytes` in one gzip member.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// `bytes` in one zstd frame.
pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// A gRPC message: its flag, its length, its bytes.
pub(crate) fn framed(flag: u8, message: &[u8]) -> Bytes {
    let len = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[flag][..], &len, message].concat().into()
}

/// A request with one tool call that has `count` further attributes.
pub(crate) fn call_with_attributes(count: usize) -> Vec<u8> {
    let mut span = call(0);
    span.attributes.extend((0..count).map(|number| text(&format!("key.{number}"), "value")));
    request(vec![span]).encode_to_vec()
}
