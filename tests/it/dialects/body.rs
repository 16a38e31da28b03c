//! Bodies of the corpus as they are written down, and as protobuf.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, InstrumentationScope, KeyValue, KeyValueList,
};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::span::Event;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span, Status};
use prost::Message;
use serde_json::Value as Json;

/// The protobuf form of an OTLP/JSON request of spans or log records.
pub(crate) fn protobuf(body: &str) -> Vec<u8> {
    let request: Json = serde_json::from_str(body).unwrap();
    if request.get("resourceLogs").is_some() {
        let resource_logs = list(&request, "resourceLogs").iter().map(resource_logs).collect();
        return ExportLogsServiceRequest { resource_logs }.encode_to_vec();
    }
    let resource_spans = list(&request, "resourceSpans").iter().map(resource_spans).collect();
    ExportTraceServiceRequest { resource_spans }.encode_to_vec()
}

fn resource(json: &Json) -> Option<Resource> {
    let attributes = json.get("resource").map(attributes).unwrap_or_default();
    Some(Resource { attributes, ..Resource::default() })
}

fn scope(json: &Json) -> Option<InstrumentationScope> {
    let scope = json.get("scope").unwrap_or(&Json::Null);
    let (name, version) = (text(scope, "name"), text(scope, "version"));
    Some(InstrumentationScope { name, version, ..InstrumentationScope::default() })
}

fn resource_logs(json: &Json) -> ResourceLogs {
    ResourceLogs {
        resource: resource(json),
        scope_logs: list(json, "scopeLogs")
            .iter()
            .map(|json| ScopeLogs {
                scope: scope(json),
                log_records: list(json, "logRecords").iter().map(log_record).collect(),
                ..ScopeLogs::default()
            })
            .collect(),
        ..ResourceLogs::default()
    }
}

fn log_record(json: &Json) -> LogRecord {
    LogRecord {
        time_unix_nano: nanos(json, "timeUnixNano"),
        observed_time_unix_nano: nanos(json, "observedTimeUnixNano"),
        body: json.get("body").map(value),
        event_name: text(json, "eventName"),
        trace_id: bytes(json, "traceId"),
        span_id: bytes(json, "spanId"),
        attributes: attributes(json),
        ..LogRecord::default()
    }
}

fn resource_spans(json: &Json) -> ResourceSpans {
    ResourceSpans {
        resource: resource(json),
        scope_spans: list(json, "scopeSpans").iter().map(scope_spans).collect(),
        ..ResourceSpans::default()
    }
}

fn scope_spans(json: &Json) -> ScopeSpans {
    ScopeSpans {
        scope: scope(json),
        spans: list(json, "spans").iter().map(span).collect(),
        ..ScopeSpans::default()
    }
}

fn span(json: &Json) -> Span {
    let number = |json: &Json, key: &str| json.get(key).and_then(Json::as_i64).unwrap_or_default();
    Span {
        trace_id: bytes(json, "traceId"),
        span_id: bytes(json, "spanId"),
        parent_span_id: bytes(json, "parentSpanId"),
        trace_state: text(json, "traceState"),
        name: text(json, "name"),
        kind: i32::try_from(number(json, "kind")).unwrap(),
        start_time_unix_nano: nanos(json, "startTimeUnixNano"),
        end_time_unix_nano: nanos(json, "endTimeUnixNano"),
        attributes: attributes(json),
        events: list(json, "events")
            .iter()
            .map(|event| Event {
                name: text(event, "name"),
                attributes: attributes(event),
                ..Event::default()
            })
            .collect(),
        status: json.get("status").map(|status| Status {
            code: i32::try_from(number(status, "code")).unwrap(),
            message: text(status, "message"),
        }),
        ..Span::default()
    }
}

fn list<'j>(json: &'j Json, key: &str) -> &'j [Json] {
    json.get(key).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

fn text(json: &Json, key: &str) -> String {
    json.get(key).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn bytes(json: &Json, key: &str) -> Vec<u8> {
    let hex = text(json, key);
    let pairs = (0..hex.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(hex.get(at..at + 2).unwrap(), 16).unwrap()).collect()
}

fn nanos(json: &Json, key: &str) -> u64 {
    json.get(key).and_then(Json::as_str).map_or(0, |text| text.parse().unwrap())
}

fn attributes(json: &Json) -> Vec<KeyValue> {
    pairs(list(json, "attributes"))
}

fn pairs(list: &[Json]) -> Vec<KeyValue> {
    list.iter()
        .map(|pair| KeyValue {
            key: text(pair, "key"),
            value: Some(value(pair.get("value").unwrap())),
            ..KeyValue::default()
        })
        .collect()
}

fn value(json: &Json) -> AnyValue {
    let Some((kind, inner)) = json.as_object().and_then(|object| object.iter().next()) else {
        return AnyValue::default();
    };
    let value = match kind.as_str() {
        "stringValue" => Value::StringValue(inner.as_str().unwrap().to_owned()),
        "boolValue" => Value::BoolValue(inner.as_bool().unwrap()),
        "intValue" => Value::IntValue(inner.as_str().unwrap().parse().unwrap()),
        "doubleValue" => Value::DoubleValue(inner.as_f64().unwrap()),
        "arrayValue" => Value::ArrayValue(ArrayValue {
            values: list(inner, "values").iter().map(value).collect(),
        }),
        "kvlistValue" => Value::KvlistValue(KeyValueList { values: pairs(list(inner, "values")) }),
        other => panic!("unknown value {other}"),
    };
    AnyValue { value: Some(value) }
}
