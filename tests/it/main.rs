//! Whole paths, through the library's own doors and the real binary.
mod architecture;
mod cli;
mod demo;
mod dialects;
mod exactly_once;
mod generated_code;
mod histories;
mod ingest;
mod nightly;
mod no_content;
mod receive;
mod report;
mod sdk;
mod store;
