//! Rows 37 to 43: JSON.

use serde_json::json;

use super::target::{Target, json_call, json_value, now};

#[tokio::test]
async fn row_37_ids_are_hex_of_either_case_and_nothing_else() {
    let target = Target::get();
    for id in ["0102030405060708090a0b0c0d0e0f10", "0102030405060708090A0B0C0D0E0F10"] {
        target.takes_json(&json_call(&json!({ "traceId": id }))).await;
    }
    let base64 = json_call(&json!({ "traceId": "oaGhoaGhoaGhoaGhoaGhoQ==" })).to_string();
    let answer = target.post_json(&base64).await;
    let reply: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(reply["partialSuccess"]["rejectedSpans"], "1", "never silently taken: {reply}");
}

#[tokio::test]
async fn rows_38_50_bug_6_kind_and_status_never_cost_a_span() {
    let target = Target::get();
    for members in [
        json!({ "kind": "SPAN_KIND_CLIENT", "status": { "code": "STATUS_CODE_ERROR" } }),
        json!({ "kind": 99, "status": { "code": 99 } }),
        json!({ "kind": null, "status": null }),
    ] {
        target.takes_json(&json_call(&members)).await;
    }
}

#[tokio::test]
async fn row_39_unknown_members_are_ignored_at_any_depth() {
    let target = Target::get();
    target.takes_json(&json_call(&json!({ "newer": { "a": [1, {}] } }))).await;
    target.takes_json(&json_value(&json!({ "stringValue": "x", "newer": [] }))).await;
    target.takes_json(&json!({ "newer": 1, "resourceSpans": [] })).await;
}

#[tokio::test]
async fn row_40_snake_case_is_read_or_refused_and_never_silently_nothing() {
    let target = Target::get();
    // A bad id, so that whoever reads it must say so.
    let body = json!({ "resource_spans": [{ "scope_spans": [{ "spans": [{
        "trace_id": "00", "span_id": "00", "name": "tools/call search",
        "attributes": [
            { "key": "tool_name", "value": { "string_value": "search" } },
            { "key": "args_hash", "value": { "string_value": "0123456789ab" } },
        ],
    }]}]}]});
    let answer = target.post_json(&body.to_string()).await;
    let reply: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    let is_told = answer.status == 400 || reply["partialSuccess"]["rejectedSpans"] == "1";
    assert!(is_told, "{} {reply}", answer.status);
}

#[tokio::test]
async fn row_41_bug_5_numbers_are_numbers_or_texts() {
    let target = Target::get();
    for time in [json!(now()), json!(now().to_string())] {
        target.takes_json(&json_call(&json!({ "startTimeUnixNano": time }))).await;
    }
    for value in [
        json!({ "intValue": 5 }),
        json!({ "intValue": "5" }),
        json!({ "doubleValue": "NaN" }),
        json!({ "doubleValue": "-Infinity" }),
        json!({ "doubleValue": "1.5" }),
    ] {
        target.takes_json(&json_value(&value)).await;
    }
    let wrong = json_call(&json!({ "startTimeUnixNano": { "low": 1, "high": 2 } }));
    assert_eq!(target.post_json(&wrong.to_string()).await.status, 400);
}

#[tokio::test]
async fn row_42_bugs_7_8_nulls_are_absent_and_missing_lists_are_empty() {
    let target = Target::get();
    for value in [
        json!(null),
        json!({}),
        json!({ "doubleValue": null }),
        json!({ "arrayValue": {} }),
        json!({ "kvlistValue": {} }),
        json!({ "arrayValue": { "values": null } }),
    ] {
        target.takes_json(&json_value(&value)).await;
    }
    target.takes_json(&json_call(&json!({ "events": null, "links": null, "status": null }))).await;
    target.takes_json(&json!({ "resourceSpans": null })).await;
}

#[tokio::test]
async fn row_43_bytes_are_base64_of_either_alphabet_padded_or_not() {
    let target = Target::get();
    for text in ["+/8=", "-_8=", "+/8", "-_8", ""] {
        target.takes_json(&json_value(&json!({ "bytesValue": text }))).await;
    }
}

#[tokio::test]
async fn bug_38_a_wrong_shape_is_refused() {
    let target = Target::get();
    for body in [r#"{"resourceSpans":{}}"#, r#"{"resourceSpans":[{"scopeSpans":1}]}"#, "1", "\"\""]
    {
        assert_eq!(target.post_json(body).await.status, 400, "{body}");
    }
}
