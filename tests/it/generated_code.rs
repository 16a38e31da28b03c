//! The code in `src/otlp/generated` is what `proto/` says. With `FIRSTCALL_WRITE_GENERATED` set,
//! the test writes it anew instead.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test's helpers")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const ROOTS: [&str; 4] = [
    "opentelemetry/proto/collector/logs/v1/logs_service.proto",
    "opentelemetry/proto/collector/trace/v1/trace_service.proto",
    "google/rpc/status.proto",
    "google/rpc/error_details.proto",
];

fn generate() -> BTreeMap<PathBuf, String> {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    let descriptors = protox::compile(ROOTS, [&proto]).expect("proto/ compiles");
    let out = tempfile::tempdir().unwrap();
    prost_build::Config::new()
        .out_dir(out.path())
        // Ours, with the two fields that replies need, instead of another crate's.
        .compile_well_known_types()
        .compile_fds(descriptors)
        .expect("generated code is written");
    read_folder(out.path())
}

fn read_folder(folder: &Path) -> BTreeMap<PathBuf, String> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.file_name().unwrap() != "mod.rs")
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (PathBuf::from(path.file_name().unwrap()), text)
        })
        .collect()
}

#[test]
fn the_committed_code_is_what_proto_says() {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/otlp/generated");
    let generated = generate();
    if std::env::var_os("FIRSTCALL_WRITE_GENERATED").is_some() {
        for (name, text) in &generated {
            std::fs::write(committed.join(name), text).unwrap();
        }
    }
    assert!(
        read_folder(&committed) == generated,
        "src/otlp/generated differs from proto/; set FIRSTCALL_WRITE_GENERATED=1 and run again"
    );
}
