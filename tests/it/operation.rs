//! The real program as an operator has it: what it says of itself, what it refuses to listen on,
//! who may send.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod abuse;
mod disk;
mod security;
mod self_report;
