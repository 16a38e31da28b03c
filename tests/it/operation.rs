//! The real program as an operator has it: what it says of itself, what it refuses to listen on,
//! who may send.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests, which say where they are skipped"
)]

mod abuse;
mod disk;
mod security;
mod self_report;
