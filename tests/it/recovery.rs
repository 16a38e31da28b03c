//! Faults injected into a real server with a real database and a real dependency, instrumented with
//! the OpenTelemetry SDK (`examples/recovery`), received by the real binary; then the pass, then
//! every figure and finding as worked out here by hand.
//!
//! Both variants of the server are called by the same client, which injects the same faults:
//!
//! | fault | rounds | unsafe: calls of `create_order` | safe |
//! |---|--:|---|---|
//! | A: the answer is dropped after the write | 5 | the call and the same again: 10 | the call, then the status: 5 |
//! | B: the ledger answers 503 first | 20 | one call, nine tries: 20 | two tries, refused, then again: 40 |
//! | C: cut off while the work goes on | 5 | the call: 5 | the call, then the status: 5 |
//! | D: a timeout at each stage | 5 | the call: 5 | the call, then the status: 5 |
//! | E: the same order again | 5 | without a key, done twice: 10 | with a key, answered from the first: 10 |
//! | F: another order, 0.3 s later | 3 | under the first one's key: 6 | under a key of its own: 6 |
//! | G: a busy hour | 20 | 60 of 100 ms in the queue: 20 | 5 of 100 ms: 20 |
//!
//! Together 76 calls by the unsafe and 91 by the safe variant. A, C and D make 15 uncertain calls
//! in each. F makes three retry chains of one extra attempt in each: a factor of 2.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::support::files::files_below;
use crate::support::{self, RunningServer};

/// Noon of yesterday, UTC, in seconds since the epoch.
#[expect(clippy::disallowed_methods, reason = "the real binary runs on the real clock")]
fn noon_of_yesterday() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    (now / 86_400 - 1) * 86_400 + 43_200
}

fn play(server: &RunningServer) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = Command::new(root.join("tests/python/interpreter")).output().expect("bash runs");
    assert!(found.status.success(), "{}", support::stderr(&found));
    let played = Command::new(support::stdout(&found).trim())
        .arg(root.join("examples/recovery/faults.py"))
        .args([server.http_url(), noon_of_yesterday().to_string()])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("python runs");
    assert!(played.status.success(), "{}", support::stderr(&played));
}

#[track_caller]
fn tool<'r>(report: &'r Value, service: &str, name: &str) -> &'r Value {
    let tools = report["tools"].as_array().unwrap();
    let found = tools.iter().find(|tool| tool["service"] == service && tool["tool"] == name);
    found.expect("the tool was called")
}

/// The findings about recovery of one service: rule, severity and count.
fn findings(report: &Value, service: &str) -> BTreeMap<String, (String, u64)> {
    const RULES: [&str; 8] = [
        "unsafe_replays",
        "double_writes",
        "unknown_open",
        "key_conflicts",
        "unchecked_timeouts",
        "unused_status_tool",
        "amplification",
        "queue_budget",
    ];
    let all = report["findings"].as_array().unwrap().iter();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    all.filter(|finding| finding["service"] == service)
        .filter(|finding| RULES.contains(&finding["rule"].as_str().unwrap()))
        .map(|finding| {
            let count = finding["count"].as_u64().unwrap();
            (text(finding, "rule"), (text(finding, "severity"), count))
        })
        .collect()
}

/// Every file below `folder` holds none of the marks.
#[track_caller]
fn assert_nothing_leaked(folder: &Path) {
    for path in files_below(folder) {
        let bytes = fs::read(&path).unwrap();
        for mark in ["key-canary", "handle-canary", "secret-item-canary"] {
            let holds = bytes.windows(mark.len()).any(|window| window == mark.as_bytes());
            assert!(!holds, "`{mark}` in {}", path.display());
        }
    }
}

#[track_caller]
fn assert_figures(recovery: &Value, expected: &Value) {
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&recovery[name], value, "{name}");
    }
}

#[test]
fn injected_faults_come_out_as_worked_out_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let server = RunningServer::start_with(&data_dir, &["--log-level", "trace"], &[]);
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/recovery/tools.json");
    for service in ["orders-unsafe", "orders-safe"] {
        let args = ["tools", "import", list.to_str().unwrap(), "--service", service];
        let imported = support::succeed(&data_dir, &args);
        assert!(support::stderr(&imported).contains("3 tools are kept, 3 of them"));
    }
    play(&server);
    let stopped = server.stop();
    assert_eq!(stopped.status.code(), Some(0));
    fs::write(folder.path().join("log"), stopped.log).unwrap();
    support::succeed(&data_dir, &["nightly"]);
    let out = folder.path().join("site");
    support::succeed(&data_dir, &["report", "--last", "1d", "--out", out.to_str().unwrap()]);
    let report: Value =
        serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();

    assert_unsafe(&report);
    assert_safe(&report);
    assert_shown(&out);
    let day = report["as_of"].as_str().unwrap();
    let explain = ["nightly", "--day", day, "--explain", "orders-unsafe/create_order"];
    let explained = support::stdout(&support::succeed(&data_dir, &explain));
    let unsafely = explained.lines().filter(|line| line.contains("then replayed_unsafely"));
    assert_eq!(unsafely.count(), 5, "{explained}");
    fs::write(folder.path().join("explained"), explained).unwrap();
    assert_nothing_leaked(folder.path());
}

fn assert_unsafe(report: &Value) {
    let create = tool(report, "orders-unsafe", "create_order");
    assert_eq!(create["calls"], 76);
    // A's first calls timed out at the client, D's at the server: 10.
    assert_eq!(create["outcomes"]["timeout"], 10);
    assert_eq!(create["extra_attempts_mean"].as_f64(), Some(1.0));
    let recovery = &create["recovery"];
    assert_figures(
        recovery,
        &json!({
            "timeouts_by_stage": {
                "queue": 1, "auth": 1, "downstream": 1, "transform": 1, "audit": 1, "untold": 5
            },
            // A; of D the client was told.
            "timeout_fate": {"answer_lost": 5},
            "uncertain": 15,
            // A was sent again at once; after C and D nothing came.
            "followed": {"replayed_unsafely": 5, "given_up": 10},
            "status_tool": "get_order_status",
            "status_checked": 0,
            "never_checked": 15,
            "unsafe_replays": 5,
            // F alone sends keys, and the server says nothing of them.
            "keyed_calls": 6,
            "duplicate_key_hits": null,
            "key_conflicts": 3,
            "possible_double_writes": 5,
            "writes": 76,
            "unknown_outcomes": 5,
            "unknown_resolved": 0,
            // Nothing is below the two calls that waited in vain; nine tries each in B, else one:
            // 20 * 9 + 54 over 74 calls, times 2 for F's chains.
            "attempts_per_call": 3.162_162,
            "amplification": 6.324_324,
        }),
    );
    assert_eq!(recovery["budget"]["calls"], 20);
    assert_eq!(recovery["budget"]["total_ms"], 2000);
    let dependencies = recovery["dependencies"].as_array().unwrap();
    let of = |at: usize| {
        let counts = ["attempts", "failed", "timed_out"].map(|key| dependencies[at][key].clone());
        (dependencies[at]["kind"].as_str().unwrap(), dependencies[at]["dependency"].clone(), counts)
    };
    // A 10, B 180 of which 160 were refused, D 3 of which one was too slow, E 10, F 6, G 20.
    assert_eq!(of(0), ("http", json!("ledger"), [json!(229), json!(160), json!(1)]));
    // One INSERT for each order that was kept: A 10, B 20, C 5, D 2, E 10, F 6, G 20.
    assert_eq!(of(1), ("database", json!("sqlite"), [json!(73), json!(0), json!(0)]));
    assert_eq!(dependencies.len(), 2);
    let expected = [
        ("unsafe_replays", "high", 5),
        ("double_writes", "high", 5),
        ("unknown_open", "high", 5),
        ("key_conflicts", "medium", 3),
        ("unchecked_timeouts", "medium", 15),
        ("unused_status_tool", "note", 15),
        ("amplification", "medium", 74),
        ("queue_budget", "medium", 20),
    ];
    let expected = expected
        .map(|(rule, severity, count)| (rule.to_owned(), (severity.to_owned(), count)))
        .into_iter()
        .collect();
    assert_eq!(findings(report, "orders-unsafe"), expected);
}

fn assert_safe(report: &Value) {
    let create = tool(report, "orders-safe", "create_order");
    assert_eq!(create["calls"], 91);
    assert_eq!(tool(report, "orders-safe", "get_order_status")["calls"], 15);
    assert_figures(
        &create["recovery"],
        &json!({
            "timeouts_by_stage": {
                "queue": 1, "auth": 1, "downstream": 1, "transform": 1, "audit": 1, "untold": 5
            },
            "timeout_fate": {"answer_lost": 5},
            "uncertain": 15,
            "followed": {"checked_known": 15},
            "status_checked": 15,
            "never_checked": 0,
            "unsafe_replays": 0,
            "keyed_calls": 91,
            // E's second calls.
            "duplicate_key_hits": 5,
            "key_conflicts": 0,
            "possible_double_writes": 0,
            "unknown_outcomes": 5,
            "unknown_resolved": 5,
            // Two tries in B's first calls, else one: 20 * 2 + 69 over 89 calls, times 2.
            "attempts_per_call": 1.224_719,
            "amplification": 2.449_438,
        }),
    );
    assert_eq!(findings(report, "orders-safe"), BTreeMap::new());
}

/// The pages say the same, in words, in a picture and in a table.
fn assert_shown(out: &Path) {
    let page = fs::read_to_string(out.join("recovery.html")).unwrap();
    for part in [
        "<svg class=\"flow\" role=\"img\"",
        "<title>What followed 30\u{a0}calls that timed out or ended unknown</title>",
        "replayed unsafely: 5",
        "checked and known: 15",
        "given up: 10",
        "timed out or ended unknown, within 10 minutes</caption>",
        "What to change",
        "In <bdi>orders-unsafe</bdi>:",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let markdown = fs::read_to_string(out.join("recovery.md")).unwrap();
    for part in [
        "| replayed unsafely | 5 |",
        "| checked and known | 15 |",
        "| given up | 10 |",
        "in `orders-unsafe`: ",
    ] {
        assert!(markdown.contains(part), "{part} in {markdown}");
    }
    let csv = fs::read_to_string(out.join("figures.csv")).unwrap();
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = header.iter().position(|name| *name == "unsafe_replays").unwrap();
    let row = csv.lines().find(|line| line.starts_with("tool,orders-unsafe,create_order")).unwrap();
    assert_eq!(row.split(',').nth(column), Some("5"));
}
