//! The report: from figures to pages that say the same.

#[path = "../support/report_input.rs"]
mod report_input;

use std::path::PathBuf;

/// Where browser tests and a curious person find a whole site:
/// `cargo nextest run -E 'test(a_site_is_left_for_the_browser)'`, then `target/tmp/fixture-site`.
#[test]
fn a_site_is_left_for_the_browser() {
    let inputs = [
        ("usual", report_input::usual()),
        ("hostile", report_input::hostile()),
        ("empty", report_input::empty()),
    ];
    let top = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fixture-site");
    let _ = std::fs::remove_dir_all(&top);
    for (name, input) in inputs {
        for (path, bytes) in firstcall::report::site(&input) {
            let path = top.join(name).join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let summary = firstcall::report::pull_request_summary(&input);
        std::fs::write(top.join(name).join("summary.md"), summary).unwrap();
    }
}
