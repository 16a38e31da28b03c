//! firstcall tells, every night, whether models understood your tools the first time.
//!
//! The flow, in the order of the modules: bytes are received, tool calls recognised and reduced
//! to sightings, stored durably; at night the sightings of a day become calls, the calls become
//! figures; a report shows the figures. `docs/architecture.md` is the map.

// The helpers of tests name this crate as tests from outside do.
#[cfg(test)]
extern crate self as firstcall;

// The vocabulary: no I/O, no clock, no async.
pub mod call;
pub mod figures;

// Leaves that any stage may use.
pub mod clock;
pub mod self_report;
pub mod shutdown;
pub mod terminal;
pub mod tls_client;

// The flow.
pub mod ingest;
pub mod nightly;
pub mod otlp;
pub mod receive;
pub mod recognise;
pub mod reduce;
pub mod report;
pub mod store;

// The edges.
pub mod cli;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod exporters;
pub mod import;
pub mod server;
