//! The executable checklist: what an OTLP receiver must do, row by row, seen from outside alone.
//!
//! By default against `firstcall serve`. `FIRSTCALL_CHECK_HTTP` and `FIRSTCALL_CHECK_GRPC`, each
//! `host:port`, point it at any other receiver: `cargo test --test it conformance`. The rows are
//! those of `docs/conformance.md`.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod both;
mod data;
mod http;
mod json;
mod target;

/// Every `fn` of the tests.
fn functions(folder: &std::path::Path, found: &mut std::collections::BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            functions(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let names = text.split("fn ").skip(1).filter_map(|rest| rest.split('(').next());
            found.extend(names.map(str::to_owned));
        }
    }
}

#[test]
fn the_page_names_tests_that_exist_and_every_test_of_the_checklist() {
    let page = include_str!("../../docs/conformance.md");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = std::collections::BTreeSet::new();
    functions(&root.join("tests"), &mut all);
    functions(&root.join("src"), &mut all);
    let named = page.lines().filter(|line| line.starts_with("| ")).flat_map(|line| line.split('`'));
    let mut count = 0;
    for name in named.filter_map(|name| name.rsplit("::").next()).filter(|name| name.len() > 15) {
        if name.contains('_') && !name.contains(' ') {
            assert!(all.contains(name), "{name} does not exist");
            count += 1;
        }
    }
    assert!(count > 60, "{count} tests are named");
    let mut checklist = std::collections::BTreeSet::new();
    functions(&root.join("tests/it/conformance"), &mut checklist);
    for name in checklist.iter().filter(|name| name.starts_with("row") || name.starts_with("bug")) {
        assert!(page.contains(name.as_str()), "{name} is not on the page");
    }
}
