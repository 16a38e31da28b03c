//! Log records in JSON as senders write them, and against the same request in protobuf.

use opentelemetry_proto::tonic::logs::v1::LogRecord;
use proptest::prelude::*;
use prost::Message;
use serde_json::{Value as Json, json};

use super::super::json::tests::{hex, json_of_pairs, json_of_value};
use super::super::protobuf_logs;
use super::super::test_requests::{Shown, log_requests};
use super::*;

fn walked(request: &str) -> Result<Shown, DecodeError> {
    let mut shown = Shown::default();
    walk(request.as_bytes(), &mut shown).map(|()| shown)
}

/// A request with one record that has these members.
fn with(members: &str) -> String {
    format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{{members}}}]}}]}}]}}"#)
}

#[track_caller]
fn check(members: &str, shown: &str) {
    let mut walked = walked(&with(members)).unwrap();
    assert_eq!(walked.spans.len(), 1, "{members}");
    let log = walked.spans.pop().unwrap();
    assert!(log.contains(shown), "{shown} in {log}");
}

#[test]
fn an_event_is_named_by_an_attribute_the_body_or_its_own_field() {
    let named = r#""attributes":[{"value":{"stringValue":"wanted"},"key":"event.name"}]"#;
    for members in [
        named,
        r#""eventName":"wanted""#,
        r#""event_name":"wanted""#,
        r#""body":{"stringValue":"wanted"}"#,
        r#""body":{"stringValue":"wan\u0074ed"}"#,
    ] {
        check(members, "wanted");
    }
    for members in [
        r#""body":null"#,
        r#""body":{}"#,
        r#""body":{"stringValue":null}"#,
        r#""attributes":[{"key":"other","value":{"stringValue":"wanted"}}]"#,
        r#""attributes":[{"key":"event.name","value":{"intValue":1}}]"#,
    ] {
        assert!(walked(&with(members)).unwrap().spans.is_empty(), "{members}");
    }
}

#[test]
fn rows_40_41_42_numbers_are_numbers_or_texts_and_nulls_are_absent() {
    check(r#""eventName":"wanted","timeUnixNano":7"#, "time_unix_nanos: 7");
    check(r#""eventName":"wanted","observedTimeUnixNano":"8""#, "observed_unix_nanos: 8");
    check(r#""eventName":"wanted","body":null,"traceId":null"#, "body: Empty");
    let snake = r#"{"resource_logs":[{"scope_logs":[{"log_records":[{"event_name":"wanted"}]}]}]}"#;
    assert_eq!(walked(snake).unwrap().spans.len(), 1);
}

#[test]
fn bug_38_a_wrong_shape_is_refused_by_name_also_in_a_record_that_is_not_wanted() {
    for (members, field) in [
        (r#""attributes":{}"#, "attributes"),
        (r#""body":"text""#, "body"),
        (r#""eventName":7"#, "eventName"),
    ] {
        assert_eq!(walked(&with(members)).unwrap_err(), DecodeError::Shape(field));
    }
    assert_eq!(walked(r#"{"resourceLogs":{}}"#).unwrap_err(), DecodeError::Shape("resourceLogs"));
    assert_eq!(walked(&with(r#""body":{"x":[}"#)).unwrap_err(), DecodeError::Json);
}

fn json_of_log(log: &LogRecord) -> Json {
    json!({
        "timeUnixNano": log.time_unix_nano.to_string(),
        "observedTimeUnixNano": log.observed_time_unix_nano,
        "severityNumber": log.severity_number,
        "body": log.body.as_ref().map(|body| json_of_value(Some(body))),
        "attributes": json_of_pairs(&log.attributes),
        "traceId": hex(&log.trace_id),
        "eventName": log.event_name,
    })
}

proptest! {
    #[test]
    fn json_is_read_as_its_protobuf_twin(request in log_requests()) {
        let resource_logs: Json = request.resource_logs.iter().map(|resource_logs| {
            let scope_logs: Json = resource_logs.scope_logs.iter().map(|scope_logs| json!({
                "logRecords": scope_logs.log_records.iter().map(json_of_log).collect::<Json>(),
                "scope": scope_logs.scope.as_ref().map(|scope| json!({ "name": scope.name, "version": scope.version })),
            })).collect();
            json!({
                "scopeLogs": scope_logs,
                "resource": resource_logs.resource.as_ref().map(|resource| json!({ "attributes": json_of_pairs(&resource.attributes) })),
            })
        }).collect();
        let text = json!({ "resourceLogs": resource_logs }).to_string();
        let by_json = walked(&text).unwrap();
        let mut by_protobuf = Shown::default();
        protobuf_logs::walk(&request.encode_to_vec(), &mut by_protobuf).unwrap();
        prop_assert_eq!(by_json.resources, by_protobuf.resources);
        prop_assert_eq!(by_json.spans, by_protobuf.spans);
    }

    #[test]
    fn no_text_makes_the_reader_fall_over(text in "[\\[\\]{}:,\"\\\\u0-9a-e. -]{0,60}") {
        drop(walked(&text));
        drop(walked(&with(&text)));
    }
}
