//! The figures as OTLP metrics: what a receiver on loopback gets, and what happens without one.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

pub(crate) mod receiver;
mod values;
mod whole;
