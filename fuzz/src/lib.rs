//! What the fuzz targets check, as functions of bytes that panic where something is wrong.
//!
//! The program's own tests include this file and run every function over the committed inputs
//! (`tests/it/fuzz_corpus.rs`), so that what a fuzzer once found stays found.

pub mod canonical_json;
pub mod json_text;
pub mod json_twin;
pub mod json_twin_logs;
pub mod protobuf;
pub mod protobuf_logs;
mod shown;
