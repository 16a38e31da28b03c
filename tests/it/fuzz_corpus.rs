//! What the fuzz targets check, over the committed inputs: the bytes that a fuzzer begins with,
//! and those with which one once found something (`tests/corpus/fuzz`).
//!
//! The targets that need the receiver's insides run over theirs in `src/receive/fuzz.rs`.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "public to the fuzz targets")]
mod targets;

use targets::{canonical_json, json_text, json_twin, json_twin_logs, protobuf, protobuf_logs};

fn inputs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(folder);
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    assert!(files.len() > 10, "{} inputs in {}", files.len(), folder.display());
    files
}

/// Runs `check` over each input, over all that one begins with, and with each byte changed once.
fn run(folder: &str, check: fn(&[u8])) {
    for path in inputs(folder) {
        let input = fs::read(&path).unwrap();
        check(&input);
        for at in 0..input.len().min(300) {
            check(&input[..at]);
            let mut changed = input.clone();
            changed[at] ^= 1 << (at % 8);
            check(&changed);
        }
    }
}

#[test]
fn the_walker_reads_the_committed_inputs_as_prost_does() {
    run("fuzz/protobuf", protobuf::check);
}

#[test]
fn json_is_read_as_its_protobuf_twin_over_the_committed_inputs() {
    run("fuzz/protobuf", json_twin::check);
}

#[test]
fn log_records_are_read_as_prost_reads_them_over_the_committed_inputs() {
    run("fuzz/protobuf_logs", protobuf_logs::check);
}

#[test]
fn log_records_in_json_are_read_as_their_protobuf_twins_over_the_committed_inputs() {
    run("fuzz/protobuf_logs", json_twin_logs::check);
}

#[test]
fn what_is_json_and_what_is_not_is_told_apart_over_the_committed_inputs() {
    run("fuzz/json_text", json_text::check);
    for path in inputs("otlp").iter().filter(|path| path.extension().unwrap() == "json") {
        json_text::check(&fs::read(path).unwrap());
    }
}

#[test]
fn canonical_json_is_written_as_the_oracle_writes_it_over_the_committed_inputs() {
    run("fuzz/canonical_json", canonical_json::check);
    let vectors = include_str!("../vectors/jcs.json");
    let vectors: serde_json::Value = serde_json::from_str(vectors).unwrap();
    let inputs = vectors.as_array().unwrap().iter().filter_map(|vector| vector["input"].as_str());
    assert!(inputs.map(|input| canonical_json::check(input.as_bytes())).count() > 100);
}
