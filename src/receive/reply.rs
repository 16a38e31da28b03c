//! One table from what went wrong to what both transports answer, and the answers' bytes.
//!
//! The codes decide what a sender does next (OTLP specification, "Failures"): of gRPC's codes
//! UNAVAILABLE and DEADLINE_EXCEEDED are tried again, of HTTP's only 429, 502, 503 and 504;
//! everything else is dropped by the sender, for good.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use prost::Message;

use super::reply_json;
use super::request_error::RequestError;
use super::source::SourceError;
use crate::figures::Refusal;
use crate::ingest::{IngestError, Outcome};
use crate::otlp::generated::google::protobuf::{Any, Duration as ProtoDuration};
use crate::otlp::generated::google::rpc::bad_request::FieldViolation;
use crate::otlp::generated::google::rpc::{BadRequest, RetryInfo, Status};
use crate::otlp::generated::opentelemetry::proto::collector::logs::v1::{
    ExportLogsPartialSuccess, ExportLogsServiceResponse,
};
use crate::otlp::generated::opentelemetry::proto::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceResponse,
};
use crate::otlp::{Format, Sent};

/// gRPC's status codes that are answered here, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Code {
    /// The request itself is wrong.
    InvalidArgument = 3,
    /// It took too long.
    DeadlineExceeded = 4,
    /// It is too large.
    ResourceExhausted = 8,
    /// It is not understood here.
    Unimplemented = 12,
    /// The peer breaks gRPC's own rules.
    Internal = 13,
    /// Later, perhaps.
    Unavailable = 14,
    /// It is not known who sends.
    Unauthenticated = 16,
}

/// What the sender is told beside the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Advice {
    /// Nothing.
    None,
    /// Which part of the request is wrong.
    BadRequest(&'static str),
    /// To send the same again after a while.
    Retry,
}

/// What both transports answer to one error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    /// gRPC's code; also the code in the body over HTTP.
    pub(super) grpc: Code,
    /// HTTP's status.
    pub(super) http: StatusCode,
    /// What else is told.
    pub(super) advice: Advice,
}

/// The table.
pub(super) const fn verdict(error: &RequestError) -> Verdict {
    use RequestError as E;
    let (grpc, http, advice) = match error {
        E::Unauthenticated => (Code::Unauthenticated, StatusCode::UNAUTHORIZED, Advice::None),
        E::NotFound => (Code::Unimplemented, StatusCode::NOT_FOUND, Advice::None),
        E::Method => (Code::Unimplemented, StatusCode::METHOD_NOT_ALLOWED, Advice::None),
        E::MediaType | E::GrpcOverHttp1 | E::Encoding => {
            (Code::Unimplemented, StatusCode::UNSUPPORTED_MEDIA_TYPE, Advice::None)
        }
        // The code that gRPC's description of compression asks for.
        E::UnnamedEncoding => (Code::Internal, StatusCode::BAD_REQUEST, Advice::None),
        E::NoMessage | E::SecondMessage | E::Framing => bad_request("framing"),
        E::TooLarge { .. } | E::Ingest(IngestError::TooManyCalls) => {
            // Without a RetryInfo, which would ask for the same request again.
            (Code::ResourceExhausted, StatusCode::PAYLOAD_TOO_LARGE, Advice::None)
        }
        E::Busy(_) | E::Panicked | E::Ingest(IngestError::Storage(_)) => {
            (Code::Unavailable, StatusCode::SERVICE_UNAVAILABLE, Advice::Retry)
        }
        E::Source(SourceError::Stalled) => {
            (Code::DeadlineExceeded, StatusCode::REQUEST_TIMEOUT, Advice::None)
        }
        E::DeadlinePassed => (Code::DeadlineExceeded, StatusCode::GATEWAY_TIMEOUT, Advice::None),
        E::Source(SourceError::Interrupted) | E::Damaged | E::UndeclaredGzip => bad_request("body"),
        E::Ingest(IngestError::Malformed(_)) => bad_request("resource"),
    };
    Verdict { grpc, http, advice }
}

const fn bad_request(part: &'static str) -> (Code, StatusCode, Advice) {
    (Code::InvalidArgument, StatusCode::BAD_REQUEST, Advice::BadRequest(part))
}

/// The protobuf `Status` that describes `error`; `delay` is when to try again.
pub(super) fn status(error: &RequestError, delay: Duration) -> Status {
    let verdict = verdict(error);
    let message = error.to_string();
    let details = match verdict.advice {
        Advice::None => Vec::new(),
        Advice::BadRequest(part) => {
            let violation = FieldViolation { field: part.to_owned(), description: message.clone() };
            vec![any("BadRequest", &BadRequest { field_violations: vec![violation] })]
        }
        Advice::Retry => {
            let retry_delay = ProtoDuration {
                seconds: i64::try_from(delay.as_secs()).unwrap_or(i64::MAX),
                nanos: i32::try_from(delay.subsec_nanos()).unwrap_or(0),
            };
            vec![any("RetryInfo", &RetryInfo { retry_delay: Some(retry_delay) })]
        }
    };
    Status { code: verdict.grpc as i32, message, details }
}

fn any(name: &str, message: &impl Message) -> Any {
    Any {
        type_url: format!("type.googleapis.com/google.rpc.{name}"),
        value: message.encode_to_vec(),
    }
}

/// The reply to a request that was taken: a partial success where a tool call could not be kept.
pub(super) fn success(outcome: &Outcome, format: Format) -> Bytes {
    let Some((count, first)) = outcome.refused else {
        return full_success(format);
    };
    let error_message = refusal_text(first).to_owned();
    let rejected = i64::try_from(count).unwrap_or(i64::MAX);
    match (format, outcome.sent) {
        (Format::Json, sent) => {
            reply_json::partial_success(sent, count, &error_message).into_bytes()
        }
        (Format::Protobuf, Sent::Spans) => {
            let partial = ExportTracePartialSuccess { rejected_spans: rejected, error_message };
            ExportTraceServiceResponse { partial_success: Some(partial) }.encode_to_vec()
        }
        (Format::Protobuf, Sent::Logs) => {
            let partial =
                ExportLogsPartialSuccess { rejected_log_records: rejected, error_message };
            ExportLogsServiceResponse { partial_success: Some(partial) }.encode_to_vec()
        }
    }
    .into()
}

/// The reply to a request of which nothing was refused: an empty message.
pub(super) const fn full_success(format: Format) -> Bytes {
    Bytes::from_static(match format {
        Format::Protobuf => b"",
        Format::Json => b"{}",
    })
}

/// Why a tool call was not kept, for whoever looks after the sender.
const fn refusal_text(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::BadId => {
            "tool calls not kept; the first had a trace id that is not 16 bytes or a span id \
             that is not 8 bytes, or one of zeros (in JSON: hex, 32 and 16 characters)"
        }
        Refusal::NoToolName => "tool calls not kept; the first names no tool",
        Refusal::ToolNameTooLong => {
            "tool calls not kept; the first has a tool name of more than 1024 bytes"
        }
        Refusal::FarFuture => {
            "tool calls not kept; the first starts in the future, check its machine's clock"
        }
        Refusal::DayClosed => {
            "tool calls not kept; the first belongs to a day that can no longer be restated"
        }
        Refusal::TooOld => "tool calls not kept; the first is older than what is kept here",
    }
}

#[cfg(test)]
mod tests {
    use super::super::admission::Busy;
    use super::*;
    use crate::otlp::DecodeError;
    use crate::store::StoreError;

    /// Every error, with the row of otlp.md section 2 that it belongs to, spelled out.
    fn table() -> Vec<(RequestError, u8, u16, &'static str)> {
        use RequestError as E;
        vec![
            (E::Unauthenticated, 16, 401, ""),
            (E::NotFound, 12, 404, ""),
            (E::Method, 12, 405, ""),
            (E::MediaType, 12, 415, ""),
            (E::GrpcOverHttp1, 12, 415, ""),
            (E::Encoding, 12, 415, ""),
            (E::UnnamedEncoding, 13, 400, ""),
            (E::NoMessage, 3, 400, "BadRequest"),
            (E::SecondMessage, 3, 400, "BadRequest"),
            (E::Framing, 3, 400, "BadRequest"),
            (E::TooLarge { limit: 1 }, 8, 413, ""),
            (E::Busy(Busy), 14, 503, "RetryInfo"),
            (E::Source(SourceError::Stalled), 4, 408, ""),
            (E::Source(SourceError::Interrupted), 3, 400, "BadRequest"),
            (E::Damaged, 3, 400, "BadRequest"),
            (E::UndeclaredGzip, 3, 400, "BadRequest"),
            (E::Ingest(IngestError::Malformed(DecodeError::Tag)), 3, 400, "BadRequest"),
            (E::Ingest(IngestError::TooManyCalls), 8, 413, ""),
            (E::Ingest(IngestError::Storage(StoreError::WriterStopped)), 14, 503, "RetryInfo"),
            (E::DeadlinePassed, 4, 504, ""),
            (E::Panicked, 14, 503, "RetryInfo"),
        ]
    }

    #[test]
    fn every_error_has_its_code_on_both_transports_and_its_advice() {
        for (error, grpc, http, advice) in table() {
            let verdict = verdict(&error);
            assert_eq!((verdict.grpc as u8, verdict.http.as_u16()), (grpc, http), "{error}");
            let status = status(&error, Duration::from_millis(2500));
            assert_eq!(status.code, i32::from(grpc));
            assert!(!status.message.is_empty());
            let told: Vec<_> = status.details.iter().map(|any| any.type_url.as_str()).collect();
            match advice {
                "" => assert!(told.is_empty(), "{error}"),
                advice => assert_eq!(told, [format!("type.googleapis.com/google.rpc.{advice}")]),
            }
        }
    }

    #[test]
    fn what_is_tried_again_over_one_transport_is_tried_again_over_the_other() {
        for (error, grpc, http, _) in table() {
            // Two columns of the specification. A body that stalls is dropped over HTTP, where it
            // is most often a wrong content-length, and tried again over gRPC, which has none.
            if !matches!(error, RequestError::Source(SourceError::Stalled)) {
                assert_eq!(
                    [1, 4, 10, 11, 14, 15].contains(&grpc),
                    [429, 502, 503, 504].contains(&http)
                );
            }
        }
    }

    #[test]
    fn a_retry_delay_is_told_in_seconds_and_nanoseconds() {
        let status = status(&RequestError::Panicked, Duration::from_millis(2500));
        let info = RetryInfo::decode(status.details[0].value.as_slice()).unwrap();
        assert_eq!(info.retry_delay, Some(ProtoDuration { seconds: 2, nanos: 500_000_000 }));
    }

    #[test]
    fn full_success_is_no_bytes_and_partial_success_counts_and_explains() {
        let outcome =
            Outcome { sent: Sent::Spans, items: 3, kept: 3, refused: None, duplicates: 0 };
        assert!(success(&outcome, Format::Protobuf).is_empty());
        assert_eq!(success(&outcome, Format::Json), "{}");
        for refusal in Refusal::ALL {
            let outcome = Outcome {
                sent: Sent::Spans,
                items: 3,
                kept: 1,
                refused: Some((2, *refusal)),
                duplicates: 0,
            };
            let reply =
                ExportTraceServiceResponse::decode(success(&outcome, Format::Protobuf)).unwrap();
            let partial = reply.partial_success.unwrap();
            assert_eq!(partial.rejected_spans, 2);
            assert!(partial.error_message.starts_with("tool calls not kept; the first"));
            let outcome = Outcome { sent: Sent::Logs, ..outcome };
            let reply =
                ExportLogsServiceResponse::decode(success(&outcome, Format::Protobuf)).unwrap();
            assert_eq!(reply.partial_success.unwrap().rejected_log_records, 2);
        }
    }
}
