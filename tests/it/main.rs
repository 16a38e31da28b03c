//! Whole paths, through the library's own doors and the real binary.
#[path = "../support/mod.rs"]
mod support;

mod action;
mod architecture;
mod args_hash;
mod attempts;
mod captures;
mod check;
mod cli;
mod clickhouse_front;
mod conformance;
mod demo;
mod deploy;
mod dialects;
mod doctor;
mod exactly_once;
mod exporters;
mod fuzz_corpus;
mod generated_code;
mod histories;
mod import;
mod ingest;
mod killed_pass;
mod nightly;
mod no_content;
mod no_content_end_to_end;
mod operation;
mod receive;
mod recorded_runs;
mod recovery;
mod report;
mod retention;
mod sdk;
mod simulation;
mod store;
