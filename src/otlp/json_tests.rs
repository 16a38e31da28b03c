//! OTLP's JSON as senders write it, and against the same request in protobuf.

use base64::Engine;
use opentelemetry_proto::tonic::common::v1::any_value::Value as ProtoValue;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use proptest::prelude::*;
use prost::Message;
use serde_json::{Value as Json, json};

use super::super::protobuf;
use super::super::test_requests::{Shown, requests};
use super::*;

fn walked(request: &str) -> Result<Shown, DecodeError> {
    let mut shown = Shown::default();
    walk(request.as_bytes(), &mut shown).map(|()| shown)
}

/// A request with one wanted span that has these members besides.
fn with(members: &str) -> String {
    format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"name":"wanted",{members}}}]}}]}}]}}"#
    )
}

#[track_caller]
fn the_span(members: &str) -> String {
    let mut shown = walked(&with(members)).unwrap();
    assert_eq!(shown.spans.len(), 1);
    shown.spans.pop().unwrap()
}

#[track_caller]
fn check(members: &str, shown: &str) {
    let span = the_span(members);
    assert!(span.contains(shown), "{shown} in {span}");
}

fn value(value: &str) -> String {
    format!(r#""attributes":[{{"key":"w","value":{value}}}]"#)
}

#[test]
fn row_6_empty_requests_are_requests() {
    for request in ["{}", r#"{"resourceSpans":[]}"#, r#"{"resourceSpans":[{}]}"#, "\u{feff} {} "] {
        assert!(walked(request).unwrap().spans.is_empty(), "{request}");
    }
}

#[test]
fn row_37_ids_are_hex_of_either_case() {
    check(r#""spanId":"aBcDef0123456789""#, "span_id: [171, 205, 239, 1, 35, 69, 103, 137]");
}

#[test]
fn bugs_2_3_what_is_no_hex_is_no_id_whatever_its_length() {
    for id in ["oaGhoaGhoaGhoaGhoaGhoQ==", "zzzzzzzzzzzzzzzz", "0x0123456789abcd", "abc"] {
        check(&format!(r#""traceId":"{id}""#), "trace_id: []");
    }
}

#[test]
fn rows_38_50_bug_6_enums_are_numbers_or_names_and_unknown_ones_cost_nothing() {
    for kind in ["3", "\"3\"", "\"SPAN_KIND_CLIENT\""] {
        check(&format!(r#""kind":{kind}"#), "kind: Client");
    }
    for kind in ["99", "-1", "null", "\"SPAN_KIND_NEW\""] {
        check(&format!(r#""kind":{kind}"#), "kind: Unspecified");
    }
    for code in ["2", "\"STATUS_CODE_ERROR\""] {
        check(&format!(r#""status":{{"code":{code},"message":"m"}}"#), "code: Error");
    }
}

#[test]
fn row_39_unknown_members_are_ignored_at_any_depth() {
    check(
        r#""new":{"a":[{"b":null}]},"attributes":[{"key":"w","new":1,"value":{"new":{},"intValue":7}}]"#,
        "Int(7)",
    );
}

#[test]
fn row_40_snake_case_is_read_and_never_silently_nothing() {
    let request = r#"{"resource_spans":[{"scope_spans":[{"spans":[{"name":"wanted",
        "span_id":"0000000000000001","start_time_unix_nano":"5",
        "attributes":[{"key":"k","value":{"string_value":"v"}}]}]}]}]}"#;
    let span = walked(request).unwrap().spans.pop().unwrap();
    assert!(span.contains("start_unix_nanos: 5") && span.contains("String(\"v\")"));
}

#[test]
fn row_41_bug_5_numbers_are_numbers_or_texts() {
    for time in ["\"1728758542911000000\"", "1728758542911000000", "1.728758542911e18"] {
        let span = the_span(&format!(r#""startTimeUnixNano":{time}"#));
        assert!(span.contains("start_unix_nanos: 1728758542911000000"), "{time}");
    }
    for (written, read) in [
        (r#"{"intValue":"-7"}"#, "Int(-7)"),
        (r#"{"intValue":42.0}"#, "Int(42)"),
        (r#"{"intValue":1e3}"#, "Int(1000)"),
        (r#"{"intValue":9223372036854775808}"#, "Double(9.223372036854776e18)"),
        (r#"{"doubleValue":1}"#, "Double(1.0)"),
        (r#"{"doubleValue":"1.5"}"#, "Double(1.5)"),
        (r#"{"doubleValue":"NaN"}"#, "Double(NaN)"),
        (r#"{"doubleValue":"-Infinity"}"#, "Double(-inf)"),
    ] {
        check(&value(written), read);
    }
}

#[test]
fn row_42_bugs_7_8_nulls_are_absent_and_missing_lists_are_empty() {
    for empty in ["null", "{}", r#"{"doubleValue":null}"#, r#"{"stringValue":null}"#] {
        check(&value(empty), r#"("w", Empty)"#);
    }
    check(&value(r#"{"arrayValue":{}}"#), "Array([])");
    check(&value(r#"{"arrayValue":{"values":null}}"#), "Array([])");
    check(&value(r#"{"kvlistValue":{}}"#), "Kvlist([])");
    check(&value(r#"{"arrayValue":{"values":[null]}}"#), "Array([Empty])");
    let nulls = r#""traceId":null,"parentSpanId":null,"kind":null,"startTimeUnixNano":null,
        "attributes":null,"events":null,"status":null,"traceState":null"#;
    check(nulls, "start_unix_nanos: 0");
    assert!(walked(r#"{"resourceSpans":null}"#).is_ok());
    assert!(walked(r#"{"resourceSpans":[{"resource":null,"scopeSpans":null}]}"#).is_ok());
}

#[test]
fn row_43_bytes_are_base64_of_either_alphabet_padded_or_not() {
    for written in ["+/8=", "-_8=", "+/8", "-_8"] {
        check(&value(&format!(r#"{{"bytesValue":"{written}"}}"#)), "Bytes([251, 255])");
    }
}

#[test]
fn bug_38_a_wrong_shape_is_refused_by_name() {
    for (request, field) in [
        (r#"{"resourceSpans":{}}"#.to_owned(), "resourceSpans"),
        (r#"{"resourceSpans":[7]}"#.to_owned(), "resourceSpans"),
        (with(r#""attributes":{"a":1}"#), "attributes"),
        (with(r#""startTimeUnixNano":{"low":1,"high":2}"#), "startTimeUnixNano"),
        (with(r#""startTimeUnixNano":-1"#), "startTimeUnixNano"),
        (with(r#""events":"none""#), "events"),
        (with(&value("\"text\"")), "value"),
        ("[]".to_owned(), "request"),
        ("null".to_owned(), "request"),
    ] {
        assert_eq!(walked(&request).unwrap_err(), DecodeError::Shape(field), "{request}");
    }
    assert!(walked(r#"{"hello":1}"#).unwrap().spans.is_empty());
}

#[test]
fn damage_anywhere_is_refused_also_in_a_span_that_is_not_wanted() {
    let request = with(r#""kind":1"#).replace("wanted", "ordinary");
    assert!(walked(&request).unwrap().spans.is_empty());
    for len in 0..request.len() {
        assert_eq!(
            walked(request.get(..len).unwrap()).unwrap_err(),
            DecodeError::Json,
            "{len} bytes"
        );
    }
    assert_eq!(walked(&format!("{request} x")).unwrap_err(), DecodeError::Json);
}

#[test]
fn bug_22_a_hundred_thousand_levels_are_taken_wanted_or_not() {
    let nest = |levels: usize| {
        let (open, close) = (r#"{"arrayValue":{"values":["#, "]}}");
        [open.repeat(levels), r#"{"stringValue":"x"}"#.to_owned(), close.repeat(levels)].concat()
    };
    check(&value(&nest(63)), "String(\"x\")");
    check(&value(&nest(64)), "TooDeep");
    check(&value(&nest(100_000)), "TooDeep");
    let unknown = format!(r#""new":{}{}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(walked(&with(&unknown)).is_ok());
}

#[test]
fn keys_and_names_decide_also_when_they_are_escaped() {
    let request = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"n\u0061me":"wante\u0064"},
        {"attributes":[{"key":"\u0077"}]}]}]}]}"#;
    assert_eq!(walked(request).unwrap().spans.len(), 2);
}

pub(in crate::otlp) fn json_of_value(value: Option<&AnyValue>) -> Json {
    match value.and_then(|value| value.value.as_ref()) {
        None | Some(ProtoValue::StringValueStrindex(_)) => json!({}),
        Some(ProtoValue::StringValue(text)) => json!({ "stringValue": text }),
        Some(ProtoValue::BoolValue(value)) => json!({ "boolValue": value }),
        Some(ProtoValue::IntValue(value)) => json!({ "intValue": value.to_string() }),
        Some(ProtoValue::DoubleValue(value)) => json!({ "doubleValue": value }),
        Some(ProtoValue::BytesValue(bytes)) => {
            json!({ "bytesValue": base64::engine::general_purpose::STANDARD.encode(bytes) })
        }
        Some(ProtoValue::ArrayValue(array)) => {
            let values: Vec<_> =
                array.values.iter().map(|value| json_of_value(Some(value))).collect();
            json!({ "arrayValue": { "values": values } })
        }
        Some(ProtoValue::KvlistValue(list)) => {
            json!({ "kvlistValue": { "values": json_of_pairs(&list.values) } })
        }
    }
}

pub(in crate::otlp) fn json_of_pairs(pairs: &[KeyValue]) -> Json {
    let pair =
        |pair: &KeyValue| json!({ "key": pair.key, "value": json_of_value(pair.value.as_ref()) });
    pairs.iter().map(pair).collect()
}

pub(in crate::otlp) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn json_of_span(span: &Span) -> Json {
    let event = |event: &opentelemetry_proto::tonic::trace::v1::span::Event| json!({ "name": event.name, "attributes": json_of_pairs(&event.attributes) });
    json!({
        "traceId": hex(&span.trace_id),
        "spanId": hex(&span.span_id),
        "parentSpanId": hex(&span.parent_span_id),
        "traceState": span.trace_state,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": span.start_time_unix_nano.to_string(),
        "endTimeUnixNano": span.end_time_unix_nano,
        "attributes": json_of_pairs(&span.attributes),
        "events": span.events.iter().map(event).collect::<Json>(),
        "status": span.status.as_ref().map(|status| json!({ "code": status.code, "message": status.message })),
        "flags": span.flags,
    })
}

proptest! {
    #[test]
    fn json_is_read_as_its_protobuf_twin(request in requests()) {
        let resource_spans: Json = request.resource_spans.iter().map(|resource_spans| {
            let scope_spans: Json = resource_spans.scope_spans.iter().map(|scope_spans| json!({
                "scope": scope_spans.scope.as_ref().map(|scope| json!({ "name": scope.name, "version": scope.version })),
                "spans": scope_spans.spans.iter().map(json_of_span).collect::<Json>(),
            })).collect();
            json!({
                "scopeSpans": scope_spans,
                "resource": resource_spans.resource.as_ref().map(|resource| json!({ "attributes": json_of_pairs(&resource.attributes) })),
            })
        }).collect();
        let text = json!({ "resourceSpans": resource_spans }).to_string();
        let by_json = walked(&text).unwrap();
        let mut by_protobuf = Shown::default();
        protobuf::walk(&request.encode_to_vec(), &mut by_protobuf).unwrap();
        prop_assert_eq!(by_json.resources, by_protobuf.resources);
        prop_assert_eq!(by_json.spans, by_protobuf.spans);
    }

    #[test]
    fn no_text_makes_the_reader_fall_over(text in "[\\[\\]{}:,\"\\\\u0-9a-e. -]{0,60}") {
        drop(walked(&text));
        drop(walked(&with(&text)));
        drop(walked(&with(&value(&text))));
    }
}
