//! OTLP over HTTP: `POST /v1/traces` and `/v1/logs`, and every answer in OTLP's own messages.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Response, header};
use http_body::Body;
use prost::Message as _;

use super::grpc;
use super::inflate::Encoding;
use super::receiver::{Message, Receiver, Signal, claimed_length, media_type};
use super::reply::{self, Advice};
use super::reply_body::ReplyBody;
use super::reply_json;
use super::request_error::RequestError;
use super::source::{Source, SourceError};
use crate::ingest::Commit;
use crate::otlp::Format;

/// How a request's body is written, which is how it is answered.
fn format_of(head: &Parts) -> Option<Format> {
    let media_type = media_type(&head.headers);
    let is = |known: &str| media_type.eq_ignore_ascii_case(known.as_bytes());
    match () {
        () if is("application/x-protobuf") || is("application/protobuf") => Some(Format::Protobuf),
        () if is("application/json") => Some(Format::Json),
        () => None,
    }
}

const fn media_type_of(format: Format) -> HeaderValue {
    HeaderValue::from_static(match format {
        Format::Protobuf => "application/x-protobuf",
        Format::Json => "application/json",
    })
}

/// The signal that is received at `path`. Doubled and trailing slashes are what clients make of
/// a base address; some send to the address alone.
fn signal_at(path: &str) -> Option<Signal> {
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    match (segments.next(), segments.next(), segments.next()) {
        (None, None, None) => Some(Signal::Either),
        (Some("v1"), Some("traces"), None) => Some(Signal::Traces),
        (Some("v1"), Some("logs"), None) => Some(Signal::Logs),
        (Some("v1"), Some("metrics"), None) => Some(Signal::Metrics),
        _ => None,
    }
}

/// Answers one request.
pub(super) async fn answer<C, B>(
    receiver: &Arc<Receiver<C>>,
    head: &Parts,
    mut source: Source<B>,
) -> Response<ReplyBody>
where
    C: Commit,
    B: Body<Data = Bytes> + Unpin,
{
    let format = format_of(head).unwrap_or(Format::Protobuf);
    match take(receiver, head, &mut source).await {
        Ok(message) => success(format, message),
        Err(error) => {
            receiver.note(&error);
            // A client that waits for leave to send has nothing on its way.
            if !head.headers.contains_key(header::EXPECT) {
                source.drain(receiver.limits.max_request_bytes).await;
            }
            failure(format, &error, receiver.retry_delays.next())
        }
    }
}

async fn take<C, B>(
    receiver: &Arc<Receiver<C>>,
    head: &Parts,
    source: &mut Source<B>,
) -> Result<Bytes, RequestError>
where
    C: Commit,
    B: Body<Data = Bytes> + Unpin,
{
    receiver.authenticate(head)?;
    let is_export_method = grpc::signal_at(head.uri.path()).is_some();
    let signal = signal_at(head.uri.path());
    if signal.is_none() && !is_export_method {
        return Err(RequestError::NotFound);
    }
    if head.method != Method::POST {
        return Err(RequestError::Method);
    }
    if grpc::is_grpc(media_type(&head.headers)) {
        return Err(RequestError::GrpcOverHttp1);
    }
    let (Some(signal), Some(format)) = (signal, format_of(head)) else {
        return Err(RequestError::MediaType);
    };
    let encoding =
        head.headers.get(header::CONTENT_ENCODING).map_or(&[][..], |name| name.as_bytes());
    let encoding = Encoding::from_name(encoding).ok_or(RequestError::Encoding)?;
    let limit = receiver.limits.max_request_bytes;
    let claimed = claimed_length(head);
    if claimed.is_some_and(|claimed| claimed > limit) {
        return Err(RequestError::TooLarge { limit });
    }

    let mut admitted = receiver.admission.admit()?;
    if signal == Signal::Metrics {
        receiver.discard(source).await?;
        return Ok(reply::full_success(format));
    }
    admitted.check(claimed.unwrap_or(0))?;
    let mut bytes = Vec::new();
    while let Some(chunk) = source.chunk().await? {
        if chunk.len() > limit - bytes.len() {
            return Err(RequestError::TooLarge { limit });
        }
        admitted.reserve(&mut bytes, chunk.len(), claimed)?;
        bytes.extend_from_slice(&chunk);
    }
    let outcome = receiver
        .take_in(Message { bytes, format, sent: signal.sent(), encoding, admitted })
        .await?;
    Ok(reply::success(&outcome, format))
}

fn success(format: Format, message: Bytes) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::data(message));
    response.headers_mut().insert(header::CONTENT_TYPE, media_type_of(format));
    response
}

fn failure(format: Format, error: &RequestError, delay: Duration) -> Response<ReplyBody> {
    let verdict = reply::verdict(error);
    let status = reply::status(error, delay);
    let body = match format {
        Format::Protobuf => status.encode_to_vec(),
        Format::Json => reply_json::status(&status, verdict.advice, delay),
    };
    let mut response = Response::new(ReplyBody::data(body.into()));
    *response.status_mut() = verdict.http;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, media_type_of(format));
    if verdict.advice == Advice::Retry {
        // Whole seconds, rounded up: never earlier than the body says.
        let seconds = delay.as_secs() + u64::from(delay.subsec_nanos() > 0);
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    match error {
        RequestError::Unauthenticated => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        RequestError::Method => {
            headers.insert(header::ALLOW, HeaderValue::from_static("POST"));
        }
        RequestError::Encoding => {
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(Encoding::ACCEPTED));
        }
        RequestError::Source(SourceError::Stalled) => {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        _ => {}
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_are_taken_as_clients_make_them() {
        for path in ["/v1/traces", "/v1/traces/", "//v1/traces", "/v1//traces"] {
            assert_eq!(signal_at(path), Some(Signal::Traces), "{path}");
        }
        for path in ["/", "", "//"] {
            assert_eq!(signal_at(path), Some(Signal::Either), "{path}");
        }
        assert_eq!(signal_at("/v1/logs/"), Some(Signal::Logs));
        assert_eq!(signal_at("/v1/metrics"), Some(Signal::Metrics));
        for path in ["/v1", "/v1/trace", "/v1/traces/x", "/V1/traces", "/x/v1/traces"] {
            assert_eq!(signal_at(path), None, "{path}");
        }
    }
}
