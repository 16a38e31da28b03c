//! What hostile bytes are checked against where no other library judges them: inflating, and the
//! framing of both transports. Not part of the program: built for its tests and for `fuzz/`.

use std::convert::Infallible;
use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Response;
use http::request::Parts;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use prost::Message as _;

use super::admission::Admission;
use super::inflate::{Encoding, InflateError};
use super::limits::Limits;
use super::options::Options;
use super::receiver::Receiver;
use super::reply_body::ReplyBody;
use super::source::Source;
use super::{grpc, http as over_http};
use crate::call::{InstallationSecret, UnixNanos};
use crate::clock::ManualClock;
use crate::ingest::{Commit, Ingest};
use crate::otlp::generated::google::rpc::Status;
use crate::otlp::{Format, Sent};
use crate::store::{Batch, Committed, StoreError};

/// The longest request here: small, so that bombs cost little time.
const LIMIT: usize = 64 * 1024;

const BUDGET: usize = 4 * LIMIT;

fn limits() -> Limits {
    Limits { max_request_bytes: LIMIT, max_in_flight_bytes: BUDGET, ..Limits::default() }
}

/// Inflates within the budget; afterwards all of it must be there again.
fn inflate_within(encoding: Encoding, body: &[u8], limit: usize) -> Result<Vec<u8>, InflateError> {
    let admission = Admission::new(&limits(), Arc::default());
    let admitted = admission.admit();
    assert!(admitted.is_ok(), "the first request is let in");
    let result = admitted.map_err(InflateError::Busy).and_then(|mut admitted| {
        super::inflate::inflate(encoding, body.to_vec(), limit, &mut admitted)
    });
    let is_whole = admission.admit().is_ok_and(|next| next.check(BUDGET).is_ok());
    assert!(is_whole, "a part of the budget was never given back");
    result
}

fn pack(encoding: Encoding, bytes: &[u8]) -> Vec<u8> {
    match encoding {
        Encoding::Identity => bytes.to_vec(),
        Encoding::Gzip => {
            let level = flate2::Compression::fast();
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
            // Writing into memory cannot fail.
            encoder.write_all(bytes).ok();
            encoder.finish().unwrap_or_default()
        }
        Encoding::Zstd => zstd::encode_all(bytes, 1).unwrap_or_default(),
    }
}

/// The first byte chooses the compression; the others are inflated as they are, and compressed
/// in two members and inflated again.
pub fn inflate(input: &[u8]) {
    let Some((&choice, body)) = input.split_first() else { return };
    let encoding = if choice & 1 == 0 { Encoding::Gzip } else { Encoding::Zstd };
    if let Ok(out) = inflate_within(encoding, body, LIMIT) {
        assert!(out.len() <= LIMIT, "{} bytes came out", out.len());
        assert_eq!(inflate_within(encoding, body, out.len()).as_ref(), Ok(&out));
        if let Some(less) = out.len().checked_sub(1) {
            let result = inflate_within(encoding, body, less);
            assert_eq!(result, Err(InflateError::TooLarge));
        }
    }

    let cut = body.len() * usize::from(choice >> 1) / 128;
    let (first, second) = body.split_at(cut);
    let mut packed = [pack(encoding, first), pack(encoding, second)].concat();
    let out = inflate_within(encoding, &packed, LIMIT);
    if body.len() <= LIMIT {
        assert_eq!(out.as_deref(), Ok(body), "both members are read");
        packed.push(b'x');
        let longer = inflate_within(encoding, &packed, LIMIT);
        assert_eq!(longer, Err(InflateError::Damaged), "a byte after the last member");
        packed.truncate(packed.len() - 2);
        let cut = inflate_within(encoding, &packed, LIMIT);
        assert_eq!(cut, Err(InflateError::Damaged), "a byte less than the last member");
    } else {
        assert_eq!(out, Err(InflateError::TooLarge));
    }
}

/// Commits nowhere.
#[derive(Debug, Clone, Copy)]
struct Nowhere;

impl Commit for Nowhere {
    async fn commit(&self, _batch: Batch) -> Result<Committed, StoreError> {
        Ok(Committed::default())
    }
}

fn ingest() -> Ingest<Nowhere> {
    // 2026-11-29 12:00:00 UTC.
    let clock = ManualClock::at(UnixNanos::new(1_795_953_600_000_000_000));
    Ingest::new(Nowhere, Arc::new(clock), &InstallationSecret::from_bytes([7; 32]))
}

/// A body that arrives in pieces of a few bytes.
struct Pieces {
    rest: Bytes,
    size: usize,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let size = self.size.min(self.rest.len());
        let piece = self.rest.split_to(size);
        Poll::Ready((!piece.is_empty()).then(|| Ok(Frame::data(piece))))
    }
}

fn head(path: &str, headers: &[(&str, &str)]) -> Parts {
    let mut request = http::Request::post(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(());
    assert!(request.is_ok(), "the harness writes a sound head");
    request.unwrap_or_default().into_parts().0
}

const NAMES: [(&str, Option<Encoding>); 4] = [
    ("identity", Some(Encoding::Identity)),
    ("gzip", Some(Encoding::Gzip)),
    ("zstd", Some(Encoding::Zstd)),
    ("snappy", None),
];

/// The first byte chooses the compression that is named, the encoding over HTTP and the size of
/// the pieces in which the others arrive: over gRPC, and without gRPC's five bytes over HTTP.
pub fn framing(input: &[u8]) {
    let Some((&choice, body)) = input.split_first() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    assert!(runtime.is_ok(), "a runtime can be had");
    let Ok(runtime) = runtime else { return };
    let (name, encoding) = NAMES.get(usize::from(choice & 3)).copied().unwrap_or_default();
    let format = if choice & 4 == 0 { Format::Protobuf } else { Format::Json };
    let size = usize::from(choice >> 3) * 5 + 1;
    runtime.block_on(async {
        over_grpc_is_as_modelled(name, encoding, body, size).await;
        let body = body.get(5..).unwrap_or_default();
        over_http_is_as_modelled((name, encoding), format, body, size).await;
    });
}

fn receiver() -> Arc<Receiver<Nowhere>> {
    Arc::new(Receiver::new(ingest(), Options::from(limits())))
}

fn source(body: &[u8], size: usize) -> Source<Pieces> {
    let pieces = Pieces { rest: Bytes::copy_from_slice(body), size };
    Source::new(pieces, &limits(), Arc::default())
}

async fn over_grpc_is_as_modelled(
    name: &str,
    encoding: Option<Encoding>,
    body: &[u8],
    size: usize,
) {
    let path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
    let head = head(path, &[("grpc-encoding", name)]);
    let receiver = receiver();
    let mut response = grpc::answer(&receiver, &head, source(body, size)).await;
    let trailers = whole(&mut response).await.1;
    let status = trailers.as_ref().and_then(|trailers| trailers.get("grpc-status")).cloned();
    let status = status.or_else(|| response.headers().get("grpc-status").cloned());
    let code = status.and_then(|status| status.to_str().ok()?.parse::<u8>().ok());
    assert_eq!(code, Some(grpc_model(encoding, body)));
    is_empty_again(&receiver);
}

/// The code that gRPC's and OTLP's rules ask for.
fn grpc_model(encoding: Option<Encoding>, body: &[u8]) -> u8 {
    const OK: u8 = 0;
    const INVALID_ARGUMENT: u8 = 3;
    const RESOURCE_EXHAUSTED: u8 = 8;
    const UNIMPLEMENTED: u8 = 12;
    const INTERNAL: u8 = 13;
    let Some(encoding) = encoding else { return UNIMPLEMENTED };
    let Some((&[flag, length @ ..], message)) = body.split_first_chunk::<5>() else {
        return INVALID_ARGUMENT;
    };
    let encoding = match (flag, encoding) {
        (0, _) => Encoding::Identity,
        (1, Encoding::Identity) => return INTERNAL,
        (1, _) => encoding,
        _ => return INVALID_ARGUMENT,
    };
    let length = u32::from_be_bytes(length) as usize;
    if length > LIMIT {
        return RESOURCE_EXHAUSTED;
    }
    if length != message.len() {
        return INVALID_ARGUMENT;
    }
    match is_request(encoding, message, Format::Protobuf) {
        Ok(true) => OK,
        Err(InflateError::TooLarge) => RESOURCE_EXHAUSTED,
        Ok(false) | Err(_) => INVALID_ARGUMENT,
    }
}

/// Whether what is in `message` is an OTLP request.
fn is_request(encoding: Encoding, message: &[u8], format: Format) -> Result<bool, InflateError> {
    let bytes = inflate_within(encoding, message, LIMIT)?;
    Ok(ingest().read(&bytes, format, Some(Sent::Spans)).is_ok())
}

async fn over_http_is_as_modelled(
    (name, encoding): (&str, Option<Encoding>),
    format: Format,
    body: &[u8],
    size: usize,
) {
    let media_type = match format {
        Format::Protobuf => "application/x-protobuf",
        Format::Json => "application/json",
    };
    let headers = [("content-type", media_type), ("content-encoding", name)];
    let head = head("/v1/traces", &headers);
    let receiver = receiver();
    let mut response = over_http::answer(&receiver, &head, source(body, size)).await;
    let text = whole(&mut response).await.0;
    let code = response.status().as_u16();
    assert_eq!(code, http_model(encoding, body, format));
    assert_eq!(
        response.headers().get("content-type").map(http::HeaderValue::as_bytes),
        Some(media_type.as_bytes())
    );
    match format {
        Format::Json => {
            let is_object = serde_json::from_slice::<serde_json::Value>(&text)
                .is_ok_and(|value| value.is_object());
            assert!(is_object, "the reply is JSON");
        }
        Format::Protobuf if code != 200 => {
            let is_status = Status::decode(text).is_ok_and(|status| !status.message.is_empty());
            assert!(is_status, "an error is a Status");
        }
        Format::Protobuf => {}
    }
    is_empty_again(&receiver);
}

/// The status that OTLP's rules ask for.
fn http_model(encoding: Option<Encoding>, body: &[u8], format: Format) -> u16 {
    let Some(encoding) = encoding else { return 415 };
    if body.len() > LIMIT {
        return 413;
    }
    match is_request(encoding, body, format) {
        Ok(true) => 200,
        Err(InflateError::TooLarge) => 413,
        Ok(false) | Err(_) => 400,
    }
}

/// The bytes of a reply and its trailers.
async fn whole(response: &mut Response<ReplyBody>) -> (Bytes, Option<http::HeaderMap>) {
    let body = std::mem::take(response.body_mut()).collect().await;
    let body = body.unwrap_or_else(|never| match never {});
    let trailers = body.trailers().cloned();
    (body.to_bytes(), trailers)
}

/// Whatever came, nothing of it is held once it is answered.
fn is_empty_again(receiver: &Receiver<Nowhere>) {
    let is_whole = receiver.admission.admit().is_ok_and(|next| next.check(BUDGET).is_ok());
    assert!(is_whole, "a part of the budget was never given back");
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Runs `check` over what is committed for it, and over what every fuzzer begins with.
    fn over_corpus(name: &str, check: fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/fuzz").join(name);
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            check(&std::fs::read(entry.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count > 10, "{count} inputs");
        (0..=255).for_each(|byte| check(&[byte]));
    }

    #[test]
    fn inflating_holds_over_the_committed_inputs() {
        over_corpus("inflate", inflate);
    }

    #[test]
    fn framing_holds_over_the_committed_inputs() {
        over_corpus("framing", framing);
    }

    #[test]
    fn a_model_knows_every_answer() {
        let message =
            |flag: u8, len: u32, bytes: &[u8]| [&[flag][..], &len.to_be_bytes(), bytes].concat();
        let identity = Some(Encoding::Identity);
        assert_eq!(grpc_model(identity, &message(0, 0, b"")), 0);
        assert_eq!(grpc_model(identity, &message(0, 2, b"\x0a\x00")), 0);
        assert_eq!(grpc_model(identity, &message(0, 2, b"\x0a\x01")), 3);
        assert_eq!(grpc_model(identity, &message(0, 1, b"")), 3);
        assert_eq!(grpc_model(identity, b""), 3);
        assert_eq!(grpc_model(identity, &message(0, 65_537, b"")), 8);
        assert_eq!(grpc_model(identity, &message(1, 0, b"")), 13);
        assert_eq!(grpc_model(None, b""), 12);
        assert_eq!(http_model(identity, b"{}", Format::Json), 200);
        assert_eq!(http_model(identity, b"{", Format::Json), 400);
        assert_eq!(http_model(None, b"", Format::Json), 415);
    }
}
