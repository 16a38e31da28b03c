//! The gate by the real binary, on the demo's figures: exit codes, lines, JUnit, baselines.
//!
//! Worked out in the demo's scenario: `search_orders` is 185 of 287 judged calls (64.5 %), by
//! both rules; `get_order` is 69 of 118 (58.5 %) by the window rule and 118 of 118 confirmed.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;

use crate::report::schema::assert_valid;
use crate::support::{self, stderr, stdout};

/// The demo's data, made once for a test.
struct Demo {
    folder: tempfile::TempDir,
}

impl Demo {
    fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("demo");
        support::succeed(folder.path(), &["demo", "--out", out.to_str().unwrap()]);
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let output = support::firstcall(&self.folder.path().join("demo/data"), args);
        let lines = stdout(&output).replace('\u{a0}', " ");
        (output.status.code().unwrap(), lines, stderr(&output))
    }

    fn check(&self, flags: &[&str]) -> (i32, String, String) {
        let args: Vec<&str> = ["check"].iter().chain(flags).copied().collect();
        self.run(&args)
    }
}

#[test]
fn least_rates_are_held_against_the_figures() {
    let demo = Demo::make();
    let junit = demo.path("gate.xml");
    let demands = ["search_orders=80%", "orders-mcp/get_order=99%", "export_ledger=99%"];
    let [a, b, c] = demands;
    let (code, lines, said) =
        demo.check(&["--tool", a, "--tool", b, "--tool", c, "--junit", &junit]);
    assert_eq!(code, 7, "{said}");
    assert_eq!(
        lines,
        "search_orders of orders-mcp: confirmed first-call success 64.5 % is below 80 % \
         (95 % 58.8–69.8, n 287)\n"
    );
    let skipped = "export_ledger of billing-mcp: not judged, few calls: 5 judged";
    assert!(said.contains(skipped), "{said}");
    assert!(said.contains("gate not met: 1 of 2 judged checks"), "{said}");
    let xml = fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{xml}");

    // The bare rule counts look-alikes as well.
    let (code, lines, _) = demo.check(&["--tool", "get_order=60%", "--rule", "window-30s"]);
    assert_eq!(code, 7);
    assert!(lines.contains("get_order of orders-mcp: first-call success 58.5 %"), "{lines}");

    let (code, lines, said) = demo.check(&["--min", "0%"]);
    assert_eq!((code, lines.as_str()), (0, ""), "{said}");

    // Five calls are below the floor, and a tool that is not there is none.
    for tool in ["export_ledger=99%", "no_such_tool=1%"] {
        let (code, lines, said) = demo.check(&["--tool", tool]);
        assert_eq!((code, lines.as_str()), (6, ""), "{said}");
        assert!(said.contains("nothing to judge"), "{said}");
    }
    for wrong in [&[][..], &["--min", "0.8"], &["--tool", "80%"], &["--baseline", "x.json"]] {
        assert_eq!(demo.check(wrong).0, 2, "{wrong:?}");
    }
}

#[test]
fn a_fall_is_one_against_the_period_before_or_a_baseline_of_the_same_rule() {
    let demo = Demo::make();
    let report = demo.path("demo/report/report.json");
    let text = fs::read_to_string(&report).unwrap();
    assert_valid(&text, "the demo's report");

    // 157 of 195 before, 185 of 287 now: a fall beyond its interval.
    let (code, lines, _) = demo.check(&["--no-drop"]);
    assert_eq!(code, 7);
    let fall =
        "search_orders of orders-mcp: confirmed first-call success fell from 80.5 % to 64.5 %";
    assert!(lines.contains(fall), "{lines}");

    // Against itself nothing fell.
    let (code, _, said) = demo.check(&["--no-drop", "--baseline", &report]);
    assert_eq!(code, 0, "{said}");

    let other = demo.path("other.json");
    fs::write(&other, text.replace("window-30s+evidence/1", "window-30s+evidence/2")).unwrap();
    for command in [&["check", "--no-drop"][..], &["summary"]] {
        let mut args = command.to_vec();
        args.extend(["--baseline", &other, "--baseline-name", "v1"]);
        let (code, lines, said) = demo.run(&args);
        assert_eq!((code, lines.as_str()), (2, ""), "{said}");
        assert!(said.contains("the baseline `v1` was made by the rules"), "{said}");
        assert!(said.contains("not by `window-30s+evidence/1`"), "{said}");
        assert!(said.contains("hint: "), "{said}");
    }
    // The bare rule is the same on both sides.
    let bare = ["--no-drop", "--rule", "window-30s", "--baseline", &other];
    assert_eq!(demo.check(&bare).0, 0);
    let missing = demo.path("none.json");
    assert_eq!(demo.check(&["--no-drop", "--baseline", &missing]).0, 2);
}
