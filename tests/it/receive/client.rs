//! Clients that know nothing of OTLP: they send the bytes that a test gives them.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::Bytes;
use firstcall::otlp::generated::google::rpc::Status;
use http::{HeaderMap, Request};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An HTTP answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: HeaderMap,
}

impl Answer {
    /// A header's text, or none; trailers count as headers, as gRPC has it.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).or_else(|| self.trailers.get(name))?.to_str().ok()
    }

    /// The body as the `Status` that every error must be.
    pub(crate) fn status_body(&self) -> Status {
        assert_eq!(self.header("content-type"), Some("application/x-protobuf"));
        let status = Status::decode(self.body.as_slice()).unwrap();
        assert!(!status.message.is_empty());
        status
    }

    /// gRPC's status.
    pub(crate) fn grpc_status(&self) -> u32 {
        assert_eq!(self.status, 200);
        self.header("grpc-status").unwrap().parse().unwrap()
    }

    /// gRPC's details; none where there are none.
    pub(crate) fn grpc_details(&self) -> Option<Status> {
        let bytes = STANDARD_NO_PAD.decode(self.header("grpc-status-details-bin")?).unwrap();
        Some(Status::decode(bytes.as_slice()).unwrap())
    }

    /// Whether the details ask to send the same again.
    pub(crate) fn has_retry_info(&self) -> bool {
        let details = self.grpc_details().unwrap_or_default().details;
        details.iter().any(|any| any.type_url == "type.googleapis.com/google.rpc.RetryInfo")
    }
}

/// The head of a POST of spans over HTTP/1.1, without its last empty line.
pub(crate) fn head(content_length: usize) -> String {
    format!(
        "POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\n\
         content-length: {content_length}\r\n"
    )
}

/// Posts `body` over HTTP/1.1, with further header lines of the form `name: value`.
pub(crate) async fn post(address: SocketAddr, body: &[u8], more: &[&str]) -> Answer {
    let mut request = head(body.len());
    for line in more {
        request.push_str(line);
        request.push_str("\r\n");
    }
    request.push_str("\r\n");
    send(address, &[request.as_bytes(), body].concat()).await
}

/// Sends `request` over a new HTTP/1.1 connection and reads one answer.
pub(crate) async fn send(address: SocketAddr, request: &[u8]) -> Answer {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut reader, mut writer) = stream.into_split();
    let request = request.to_vec();
    // An early answer must be readable while the request is still being written.
    let writing = tokio::spawn(async move {
        drop(writer.write_all(&request).await);
        writer
    });
    let answer = read_answer(&mut reader).await.unwrap();
    drop(writing.await);
    answer
}

/// Reads one HTTP/1.1 answer; none where the peer closed instead.
pub(crate) async fn read_answer(reader: &mut (impl AsyncReadExt + Unpin)) -> Option<Answer> {
    let mut bytes = Vec::new();
    loop {
        if let Some(answer) = parse_answer(&bytes) {
            return Some(answer);
        }
        if reader.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return None;
        }
    }
}

fn parse_answer(bytes: &[u8]) -> Option<Answer> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let text = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = text.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line.split_once(": ").unwrap();
        headers
            .insert(http::HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
    }
    let len = headers.get("content-length").map_or(0, |len| len.to_str().unwrap().parse().unwrap());
    let body = bytes.get(end + 4..end + 4 + len)?.to_vec();
    Some(Answer { status, headers, body, trailers: HeaderMap::new() })
}

/// A body sent in these pieces; then it ends, or goes silent.
#[derive(Debug)]
pub(crate) struct Pieces {
    pieces: VecDeque<Bytes>,
    is_endless: bool,
}

impl Pieces {
    /// A body in one piece.
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self { pieces: [bytes.into()].into(), is_endless: false }
    }

    /// A body in pieces of `len` bytes.
    pub(crate) fn of_len(bytes: &[u8], len: usize) -> Self {
        let pieces = bytes.chunks(len).map(Bytes::copy_from_slice).collect();
        Self { pieces, is_endless: false }
    }

    /// A body that never ends.
    pub(crate) fn endless(bytes: impl Into<Bytes>) -> Self {
        Self { pieces: [bytes.into()].into(), is_endless: true }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.pieces.pop_front() {
            Some(piece) => Poll::Ready(Some(Ok(Frame::data(piece)))),
            None if self.is_endless => Poll::Pending,
            None => Poll::Ready(None),
        }
    }
}

/// An HTTP/2 connection without TLS.
pub(crate) async fn connect_h2(address: SocketAddr) -> http2::SendRequest<Pieces> {
    let stream = TcpStream::connect(address).await.unwrap();
    let (sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

/// The path of the method that takes spans.
pub(crate) const EXPORT: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/// Calls a gRPC method at `path` with these headers over the content type.
pub(crate) async fn call(
    sender: &mut http2::SendRequest<Pieces>,
    path: &str,
    headers: &[(&str, &str)],
    body: Pieces,
) -> Answer {
    // Some servers reset a call that does not say that it understands trailers.
    let mut request = Request::post(format!("http://localhost{path}")).header("te", "trailers");
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/grpc");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    exchange(sender, request.body(body).unwrap()).await
}

/// Sends a request over HTTP/2 and reads its answer.
pub(crate) async fn exchange(
    sender: &mut http2::SendRequest<Pieces>,
    request: Request<Pieces>,
) -> Answer {
    sender.ready().await.unwrap();
    let response = sender.send_request(request).await.unwrap();
    let (head, body) = response.into_parts();
    let collected = body.collect().await.unwrap();
    let trailers = collected.trailers().cloned().unwrap_or_default();
    Answer {
        status: head.status.as_u16(),
        headers: head.headers,
        body: collected.to_bytes().to_vec(),
        trailers,
    }
}

/// One call to the method that takes spans, over its own connection.
pub(crate) async fn export(
    address: SocketAddr,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Answer {
    let mut sender = connect_h2(address).await;
    call(&mut sender, EXPORT, headers, Pieces::whole(body)).await
}
