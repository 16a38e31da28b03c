//! Whole paths, through the library's own doors and the real binary.
#[path = "../support/mod.rs"]
mod support;

mod architecture;
mod cli;
mod conformance;
mod demo;
mod dialects;
mod exactly_once;
mod generated_code;
mod histories;
mod ingest;
mod nightly;
mod no_content;
mod no_content_end_to_end;
mod operation;
mod receive;
mod report;
mod sdk;
mod store;
