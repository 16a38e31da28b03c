//! Replies in JSON, for senders that speak OTLP/JSON.

use std::time::Duration;

use serde_json::json;

use super::reply::Advice;
use crate::otlp::Sent;
use crate::otlp::generated::google::rpc::Status;

/// `status` as proto3's JSON mapping writes it, with what `advice` adds to it.
pub(super) fn status(status: &Status, advice: Advice, delay: Duration) -> Vec<u8> {
    let details = match advice {
        Advice::None => json!([]),
        Advice::BadRequest(part) => json!([{
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{ "field": part, "description": status.message }],
        }]),
        Advice::Retry => json!([{
            "@type": "type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay": format!("{}.{:03}s", delay.as_secs(), delay.subsec_millis()),
        }]),
    };
    let body = json!({ "code": status.code, "message": status.message, "details": details });
    body.to_string().into_bytes()
}

/// A partial success. Its count is a 64-bit number, which the mapping writes as a text.
pub(super) fn partial_success(sent: Sent, rejected: u64, why: &str) -> String {
    let member = match sent {
        Sent::Spans => "rejectedSpans",
        Sent::Logs => "rejectedLogRecords",
    };
    let partial = json!({ member: rejected.to_string(), "errorMessage": why });
    json!({ "partialSuccess": partial }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_written_with_its_advice() {
        let status = Status { code: 14, message: "busy \"now\"".to_owned(), details: Vec::new() };
        let body = super::status(&status, Advice::Retry, Duration::from_millis(2050));
        let value: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(value["code"], 14);
        assert_eq!(value["message"], "busy \"now\"");
        assert_eq!(value["details"][0]["retryDelay"], "2.050s");
        let body = super::status(&status, Advice::None, Duration::ZERO);
        let value: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(value["details"], json!([]));
    }

    #[test]
    fn a_count_of_64_bits_is_a_text() {
        let body = partial_success(Sent::Spans, 2, "why");
        assert_eq!(body, r#"{"partialSuccess":{"errorMessage":"why","rejectedSpans":"2"}}"#);
        let body = partial_success(Sent::Logs, 2, "why");
        assert_eq!(body, r#"{"partialSuccess":{"errorMessage":"why","rejectedLogRecords":"2"}}"#);
    }
}
