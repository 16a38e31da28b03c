//! The gate by the real binary, on the demo's figures: exit codes, lines, JUnit, baselines.
//!
//! Worked out in the demo's scenario: `search_orders` is 185 of 287 judged calls (64.5 %), by
//! both rules; `get_order` is 69 of 118 (58.5 %) by the window rule and 118 of 118 confirmed.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::path::PathBuf;

use crate::report::schema::assert_valid;
use crate::support::{self, stderr, stdout};

#[test]
fn the_gate_tells_what_is_not_met_and_ends_with_seven() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("demo");
    support::succeed(folder.path(), &["demo", "--out", out.to_str().unwrap()]);
    let data = out.join("data");
    let report = out.join("report/report.json");
    assert_valid(&fs::read_to_string(&report).unwrap(), "the demo's report");
    let check = |flags: &[&str]| {
        let args: Vec<&str> = ["check"].iter().chain(flags).copied().collect();
        let output = support::firstcall(&data, &args);
        (output.status.code().unwrap(), stdout(&output).replace('\u{a0}', " "), stderr(&output))
    };

    let junit = folder.path().join("gate.xml");
    let (code, lines, said) = check(&[
        "--tool",
        "search_orders=80%",
        "--tool",
        "orders-mcp/get_order=99%",
        "--tool",
        "export_ledger=99%",
        "--junit",
        junit.to_str().unwrap(),
    ]);
    assert_eq!(code, 7, "{said}");
    assert_eq!(
        lines,
        "search_orders of orders-mcp: confirmed first-call success 64.5 % is below 80 % \
         (95 % 58.8–69.8, n 287)\n"
    );
    assert!(
        said.contains("export_ledger of billing-mcp: not judged, few calls: 5 judged"),
        "{said}"
    );
    assert!(said.contains("gate not met: 1 of 2 judged checks"), "{said}");
    let xml = fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{xml}");

    // The bare rule counts look-alikes as well.
    let (code, lines, _) = check(&["--tool", "get_order=60%", "--rule", "window-30s"]);
    assert_eq!(code, 7);
    assert!(lines.contains("get_order of orders-mcp: first-call success 58.5 %"), "{lines}");

    let (code, lines, said) = check(&["--min", "0%"]);
    assert_eq!((code, lines.as_str()), (0, ""), "{said}");

    // 157 of 195 before, 185 of 287 now: a fall beyond its interval.
    let (code, lines, _) = check(&["--no-drop"]);
    assert_eq!(code, 7);
    assert!(
        lines.contains(
            "search_orders of orders-mcp: confirmed first-call success fell from 80.5 % to 64.5 %"
        ),
        "{lines}"
    );

    // Against itself nothing fell.
    let (code, _, said) = check(&["--no-drop", "--baseline", report.to_str().unwrap()]);
    assert_eq!(code, 0, "{said}");

    let other = folder.path().join("other.json");
    let text = fs::read_to_string(&report).unwrap();
    fs::write(&other, text.replace("window-30s+evidence/1", "window-30s+evidence/2")).unwrap();
    for command in [&["check", "--no-drop"][..], &["summary"]] {
        let mut args = command.to_vec();
        args.extend(["--baseline", other.to_str().unwrap(), "--baseline-name", "v1"]);
        let output = support::firstcall(&data, &args);
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(said.contains("the baseline `v1` was made by the rules"), "{said}");
        assert!(
            said.contains("not by `window-30s+evidence/1`") && said.contains("hint: "),
            "{said}"
        );
    }

    // Five calls are below the floor, and a tool that is not there is none.
    for tool in ["export_ledger=99%", "no_such_tool=1%"] {
        let (code, lines, said) = check(&["--tool", tool]);
        assert_eq!((code, lines.as_str()), (6, ""), "{said}");
        assert!(said.contains("nothing to judge"), "{said}");
    }
    for wrong in [&[][..], &["--min", "0.8"], &["--tool", "80%"], &["--baseline", "x.json"]] {
        assert_eq!(check(wrong).0, 2, "{wrong:?}");
    }
    let missing: PathBuf = folder.path().join("none.json");
    assert_eq!(check(&["--no-drop", "--baseline", missing.to_str().unwrap()]).0, 2);
}
