//! Receive: OTLP over gRPC and HTTP, admission, limits, inflating, replies.
//!
//! Connections come in, committed batches and answers go out. Both listeners run the same code:
//! whatever a connection speaks is understood on either port. A request passes one pipeline:
//! admission, a capped read, capped inflating, [`Ingest`](crate::ingest::Ingest), the answer.
//! Nothing is answered with success before it is on disk.

mod admission;
mod bearer;
mod connection;
mod cors;
mod deadline;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
mod grpc;
mod http;
mod inflate;
mod limits;
mod listener;
mod options;
mod receiver;
mod reply;
mod reply_body;
mod reply_json;
mod request_error;
mod retry_delay;
mod source;
mod tls;
mod watch;

pub use bearer::{BearerTokens, TokenError};
pub use cors::Cors;
pub use limits::Limits;
pub use listener::{BindError, Drained, Listeners, Transport};
pub use options::Options;
pub use tls::{Tls, TlsError, TlsFiles};
