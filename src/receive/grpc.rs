//! OTLP over gRPC: the framing of one unary call (docs/adr/0001-own-grpc-framing.md).
//!
//! A request is one message: a byte that says whether it is compressed, its length in four
//! bytes, its bytes. The answer is the same and then trailers, or, where something is wrong,
//! headers alone.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::{BufMut, Bytes, BytesMut};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Response, header};
use http_body::Body;
use prost::Message as _;

use super::deadline::Deadline;
use super::inflate::Encoding;
use super::receiver::{Message, Receiver, Signal};
use super::reply::{self, Code};
use super::reply_body::ReplyBody;
use super::request_error::RequestError;
use super::source::Source;
use crate::ingest::Commit;
use crate::otlp::{Format, Sent};

const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/grpc");
const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");
const ENCODING: HeaderName = HeaderName::from_static("grpc-encoding");
const ACCEPT_ENCODING: HeaderName = HeaderName::from_static("grpc-accept-encoding");

/// Bytes before each message.
const PREFIX: usize = 5;

/// Whether `media_type` is gRPC with protobuf messages.
pub(super) fn is_grpc(media_type: &[u8]) -> bool {
    [&b"application/grpc"[..], b"application/grpc+proto"]
        .iter()
        .any(|known| media_type.eq_ignore_ascii_case(known))
}

/// The code in an answer; success has it in the trailers.
pub(super) fn code_of(response: &Response<ReplyBody>) -> u16 {
    let code = response.headers().get(STATUS).and_then(|code| code.to_str().ok()?.parse().ok());
    code.unwrap_or(0)
}

/// The signal whose export method stands at `path`.
pub(super) fn signal_at(path: &str) -> Option<Signal> {
    match path.strip_prefix("/opentelemetry.proto.collector.")? {
        "trace.v1.TraceService/Export" => Some(Signal::Traces),
        "logs.v1.LogsService/Export" => Some(Signal::Logs),
        "metrics.v1.MetricsService/Export" => Some(Signal::Metrics),
        _ => None,
    }
}

/// Answers one call.
pub(super) async fn answer<C, B>(
    receiver: &Arc<Receiver<C>>,
    head: &Parts,
    mut source: Source<B>,
) -> Response<ReplyBody>
where
    C: Commit,
    B: Body<Data = Bytes> + Unpin,
{
    let deadline = Deadline::of(&head.headers);
    match deadline.within(take(receiver, head, deadline, &mut source)).await {
        Ok(message) => success(&message),
        Err(error) => {
            receiver.note(&error);
            source.drain(receiver.limits.max_request_bytes).await;
            failure(receiver, &error)
        }
    }
}

async fn take<C, B>(
    receiver: &Arc<Receiver<C>>,
    head: &Parts,
    deadline: Deadline,
    source: &mut Source<B>,
) -> Result<Bytes, RequestError>
where
    C: Commit,
    B: Body<Data = Bytes> + Unpin,
{
    receiver.authenticate(head)?;
    let signal = signal_at(head.uri.path()).ok_or(RequestError::NotFound)?;
    let encoding = head.headers.get(ENCODING).map_or(&[][..], |name| name.as_bytes());
    let encoding = Encoding::from_name(encoding).ok_or(RequestError::Encoding)?;
    if signal == Signal::Metrics {
        let _admitted = receiver.admission.admit()?;
        receiver.discard(source).await?;
        return Ok(Bytes::new());
    }
    let message = read_message(receiver, encoding, signal.sent(), source).await?;
    deadline.check()?;
    let outcome = receiver.take_in(message).await?;
    Ok(reply::success(&outcome, Format::Protobuf))
}

/// Reads the one message of a unary call, and that it is the only one.
async fn read_message<C, B>(
    receiver: &Receiver<C>,
    encoding: Encoding,
    sent: Option<Sent>,
    source: &mut Source<B>,
) -> Result<Message, RequestError>
where
    C: Commit,
    B: Body<Data = Bytes> + Unpin,
{
    let mut admitted = receiver.admission.admit()?;
    let (prefix, rest) = read_prefix(source).await?;
    let [flag, length @ ..] = prefix;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    let encoding = match (flag, encoding) {
        (0, _) => Encoding::Identity,
        (1, Encoding::Identity) => return Err(RequestError::UnnamedEncoding),
        (1, named) => named,
        _ => return Err(RequestError::Framing),
    };
    let limit = receiver.limits.max_request_bytes;
    if length > limit {
        return Err(RequestError::TooLarge { limit });
    }
    admitted.check(length)?;

    let mut bytes = Vec::new();
    let mut chunk = rest;
    loop {
        if chunk.len() > length - bytes.len() {
            return Err(RequestError::SecondMessage);
        }
        admitted.reserve(&mut bytes, chunk.len(), Some(length))?;
        bytes.extend_from_slice(&chunk);
        // Also read when the message is whole: the end of the call must follow.
        match source.chunk().await? {
            Some(next) => chunk = next,
            None if bytes.len() < length => return Err(RequestError::Framing),
            None => {
                let format = Format::Protobuf;
                return Ok(Message { bytes, format, sent, encoding, admitted });
            }
        }
    }
}

/// Reads the bytes before the message; what came with them is returned too.
async fn read_prefix<B>(source: &mut Source<B>) -> Result<([u8; PREFIX], Bytes), RequestError>
where
    B: Body<Data = Bytes> + Unpin,
{
    let mut start = source.chunk().await?.ok_or(RequestError::NoMessage)?;
    loop {
        if let Some((prefix, rest)) = start.split_first_chunk() {
            return Ok((*prefix, start.slice_ref(rest)));
        }
        let next = source.chunk().await?.ok_or(RequestError::Framing)?;
        start = [start, next].concat().into();
    }
}

fn success(message: &Bytes) -> Response<ReplyBody> {
    let mut framed = BytesMut::with_capacity(PREFIX + message.len());
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.put_slice(message);
    let mut trailers = HeaderMap::with_capacity(1);
    trailers.insert(STATUS, HeaderValue::from_static("0"));
    respond(ReplyBody::with_trailers(framed.freeze(), trailers))
}

fn failure<C: Commit>(receiver: &Receiver<C>, error: &RequestError) -> Response<ReplyBody> {
    let verdict = reply::verdict(error);
    let status = reply::status(error, receiver.retry_delays.next());
    let mut response = respond(ReplyBody::default());
    let headers = response.headers_mut();
    headers.insert(STATUS, HeaderValue::from(verdict.grpc as u16));
    if let Ok(message) = HeaderValue::from_str(&percent_encoded(&status.message)) {
        headers.insert(MESSAGE, message);
    }
    if !status.details.is_empty()
        && let Ok(details) = HeaderValue::from_str(&STANDARD_NO_PAD.encode(status.encode_to_vec()))
    {
        headers.insert(DETAILS, details);
    }
    if verdict.grpc == Code::Unimplemented {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(Encoding::ACCEPTED));
    }
    response
}

fn respond(body: ReplyBody) -> Response<ReplyBody> {
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, CONTENT_TYPE);
    response
}

/// `text` as gRPC writes it in a header: printable ASCII but for the percent sign as it is,
/// every other byte as `%` and two hex digits.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        match byte {
            b' '..=b'$' | b'&'..=b'~' => encoded.push(char::from(byte)),
            _ => {
                let digit = |value| char::from_digit(value, 16).unwrap_or('0').to_ascii_uppercase();
                let byte = u32::from(byte);
                encoded.extend(['%', digit(byte >> 4), digit(byte & 0xf)]);
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_in_a_header_is_percent_encoded() {
        assert_eq!(percent_encoded("100 % é\n~"), "100 %25 %C3%A9%0A~");
    }

    #[test]
    fn only_the_three_export_methods_are_known() {
        let trace = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
        assert_eq!(signal_at(trace), Some(Signal::Traces));
        assert_eq!(signal_at(trace.trim_start_matches('/')), None);
        assert_eq!(signal_at("/grpc.health.v1.Health/Check"), None);
    }

    #[test]
    fn grpc_is_told_by_its_media_type() {
        assert!(is_grpc(b"application/grpc") && is_grpc(b"Application/gRPC+proto"));
        assert!(!is_grpc(b"application/grpc-web") && !is_grpc(b"application/grpc+json"));
    }
}
