//! The receiver's contract with OTLP senders, row by row. The names carry the rows of the
//! checklist: `row_N` stands in the OTLP specification, `bug_N` was reported of other receivers.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod abuse;
mod ageing;
mod both;
pub(crate) mod client;
mod grpc;
mod http;
mod logs;
mod security;
pub(crate) mod server;
pub(crate) mod spans;
mod stopping;
pub(crate) mod tls;
