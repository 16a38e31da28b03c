//! Everything that can be wrong with a request. The text is what the sender reads: what is
//! wrong, never where in our code, never a byte of what was sent.

use super::admission::Busy;
use super::inflate::{Encoding, InflateError};
use super::source::SourceError;
use crate::ingest::IngestError;

/// Why a request was not taken.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum RequestError {
    /// No token, or one that is not known.
    #[error("a bearer token that is accepted here is needed in the header `authorization`")]
    Unauthenticated,
    /// Nothing is received at this path.
    #[error(
        "nothing is received here; spans are sent to POST /v1/traces, or over gRPC to \
             opentelemetry.proto.collector.trace.v1.TraceService/Export"
    )]
    NotFound,
    /// Another method than POST.
    #[error("only POST is understood here")]
    Method,
    /// A content type that is not read.
    #[error("content-type is not one that is read here; send application/x-protobuf")]
    MediaType,
    /// gRPC without HTTP/2.
    #[error("gRPC needs HTTP/2; this connection speaks HTTP/1")]
    GrpcOverHttp1,
    /// A compression that is not read.
    #[error("encoding is not one that is read here; send one of {}", Encoding::ACCEPTED)]
    Encoding,
    /// A compressed gRPC message in a request that names no compression.
    #[error("message is marked as compressed, but the request names no grpc-encoding")]
    UnnamedEncoding,
    /// A gRPC request without a message.
    #[error("request holds no message; an empty message is five bytes long")]
    NoMessage,
    /// A gRPC request with more than one message.
    #[error("request holds more than one message")]
    SecondMessage,
    /// gRPC's five bytes before the message, or the message, are cut or mean nothing.
    #[error("gRPC framing of the message is broken")]
    Framing,
    /// Over the size limit, as sent or inflated.
    #[error("request is over the size limit of {limit} bytes, counted after inflating")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The budget is spent.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// The body did not arrive.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The compressed body is damaged.
    #[error("compressed body is damaged, cut, or followed by other bytes")]
    Damaged,
    /// gzip, and nothing says so.
    #[error("body is gzip, but no header says so; label it with content-encoding or grpc-encoding")]
    UndeclaredGzip,
    /// It could not be taken in.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// The sender has stopped waiting.
    #[error("request was not committed within its grpc-timeout; send it again, it counts once")]
    DeadlinePassed,
    /// Our own fault.
    #[error("receiver failed; the request was not taken")]
    Panicked,
}

impl RequestError {
    /// What inflating made of a body, under the limit that it was held to.
    pub(super) const fn inflate(error: InflateError, limit: usize) -> Self {
        match error {
            InflateError::Damaged => Self::Damaged,
            InflateError::TooLarge => Self::TooLarge { limit },
            InflateError::Busy(busy) => Self::Busy(busy),
        }
    }
}
