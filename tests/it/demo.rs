//! The demo by the real binary: its report shows the figures that its scenario says, in every
//! form, and no more.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use firstcall::call::Day;
use firstcall::demo::expected::{Expected, Sums, expected};
use firstcall::demo::scenario::DAYS;
use serde_json::Value;

use crate::support::files::files_below;
use crate::support::{self, stderr, stdout};

/// The seven days that the report shows, and the seven before.
const SHOWN: std::ops::Range<usize> = 7..DAYS;

#[track_caller]
fn number(figures: &Value, name: &str) -> u64 {
    figures[name].as_u64().unwrap_or_else(|| panic!("{name} is {} and no count", figures[name]))
}

/// An object of counts, zeros left out.
#[track_caller]
fn counts<'a>(figures: &'a Value, name: &str) -> BTreeMap<&'a str, u64> {
    let words = figures[name].as_object().unwrap_or_else(|| panic!("{name} is no object"));
    let counts = words.iter().map(|(word, count)| (word.as_str(), count.as_u64().unwrap()));
    counts.filter(|(_, count)| *count > 0).collect()
}

/// A rate, its text in data having six decimals.
#[track_caller]
fn assert_rate(figures: &Value, name: &str, hits: u64, judged: u64, what: &str) {
    let rate = &figures[name];
    if judged == 0 {
        assert!(rate.is_null(), "{what}: {name} is {rate} and nothing was judged");
        return;
    }
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let exact = hits as f64 / judged as f64;
    let shown = rate["rate"].as_f64().unwrap();
    assert!((shown - exact).abs() <= 5e-7, "{what}: {name} {shown}, {hits} of {judged}");
    let (low, high) = (rate["low"].as_f64().unwrap(), rate["high"].as_f64().unwrap());
    assert!(low <= shown && shown <= high, "{what}: {low} {shown} {high}");
}

#[track_caller]
fn assert_figures(figures: &Value, sums: &Sums, what: &str) {
    for (name, sum) in [
        ("calls", sums.calls),
        ("judged", sums.judged),
        ("emptiness_known", sums.emptiness_known),
        ("empty", sums.empty),
        ("retried", sums.retried),
        ("look_alikes", sums.look_alikes),
        ("confirmed_retries", sums.confirmed_retries),
        ("repeats", sums.repeats),
        ("first_call_successes", sums.first_call_successes),
        ("confirmed_first_call_successes", sums.confirmed_first_call_successes),
        ("retry_chains", sums.retry_chains),
        ("abandoned_chains", sums.abandoned_chains),
    ] {
        assert_eq!(number(figures, name), sum, "{what}: {name}");
    }
    assert_eq!(counts(figures, "unjudged"), sums.unjudged, "{what}: unjudged");
    assert_eq!(counts(figures, "outcomes"), sums.outcomes, "{what}: outcomes");
    assert_eq!(counts(figures, "retry_classes"), sums.retry_classes, "{what}: retry_classes");
    let judged = sums.judged;
    assert_rate(figures, "first_call_success", sums.first_call_successes, judged, what);
    let confirmed = sums.confirmed_first_call_successes;
    assert_rate(figures, "confirmed_first_call_success", confirmed, judged, what);
    assert_eq!(figures["few_calls"], judged < 20, "{what}: few_calls");
    let mean = figures["extra_attempts_mean"].as_f64();
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let exact =
        (sums.usable_chains > 0).then(|| sums.extra_attempts as f64 / sums.usable_chains as f64);
    match (mean, exact) {
        (Some(mean), Some(exact)) => assert!((mean - exact).abs() < 1e-6, "{what}: {mean}"),
        (mean, exact) => assert_eq!(mean, exact, "{what}: extra_attempts_mean"),
    }
}

#[track_caller]
fn assert_report(report: &Value, expected: &Expected) {
    assert_figures(&report["overall"], &expected.overall, "overall");
    assert_eq!(
        number(&report["overall"], "unknown_tool_calls"),
        expected.overall.unknown_tool_calls
    );

    let tools = report["tools"].as_array().unwrap();
    let mut seen = Vec::new();
    for tool in tools {
        let named = (tool["service"].as_str().unwrap(), tool["tool"].as_str().unwrap());
        let known = expected.tools.iter().find(|(key, _)| **key == named);
        let (key, clients) = known.unwrap_or_else(|| panic!("no tool {named:?}"));
        assert_figures(tool, &expected.tool(*key), key.1);
        let shown = tool["clients"].as_array().unwrap();
        assert_eq!(shown.len(), clients.len(), "{key:?}");
        for client in shown {
            let name = client["client"].as_str().unwrap();
            let sums = clients.get(name).unwrap_or_else(|| panic!("{key:?}: no client {name}"));
            assert_figures(client, sums, &format!("{} by {name}", key.1));
        }
        seen.push(*key);
    }
    seen.sort_unstable();
    assert_eq!(seen, expected.tools.keys().copied().collect::<Vec<_>>());

    let clients = report["clients"].as_array().unwrap();
    assert_eq!(clients.len(), expected.clients.len());
    for client in clients {
        let name = client["client"].as_str().unwrap();
        let sums = expected.clients.get(name).unwrap_or_else(|| panic!("no client {name}"));
        assert_figures(client, sums, name);
        assert_eq!(number(client, "unknown_tool_calls"), sums.unknown_tool_calls, "{name}");
    }
}

/// Every file below a folder, with its bytes as text.
fn texts(folder: &Path) -> BTreeMap<PathBuf, String> {
    let text = |path: PathBuf| (path.clone(), fs::read_to_string(path).unwrap());
    files_below(folder).into_iter().map(text).collect()
}

#[test]
fn the_demos_report_shows_what_its_scenario_says() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("demo");
    let since = Instant::now();
    let output = support::succeed(folder.path(), &["demo", "--out", out.to_str().unwrap()]);
    let took = since.elapsed().as_secs();
    assert!(took < 30, "the demo took {took} s");

    let report = fs::read(out.join("report/report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_report(&report, &expected(SHOWN));
    assert_eq!(report["covered_days"].as_array().unwrap().len(), 7);
    assert_eq!(report["as_of"], report["to"]);

    // The figures that people see: worked out on paper in the scenario's own test.
    let files = texts(&out.join("report"));
    let search = |extension: &str| {
        files
            .iter()
            .filter(|(path, text)| {
                path.extension().is_some_and(|e| e == extension) && text.contains("search_orders")
            })
            .map(|(_, text)| text.as_str())
            .collect::<String>()
    };
    for extension in ["html", "md"] {
        // 185 of 287 judged calls of search_orders: 64.5 %; 81 of 160 by Cursor: 50.6 %.
        for figure in ["64.5", "287", "50.6", "160"] {
            assert!(search(extension).contains(figure), "no {figure} in the {extension} files");
        }
    }

    let summary = stdout(&output);
    assert!(summary.contains("search_orders") && summary.contains("Cursor"), "{summary}");
    let said = stderr(&output);
    assert!(said.contains("index.html"), "{said}");

    // 23:59:50 is retried at 00:00:05 of the day after, which is today and not covered.
    let last = report["as_of"].as_str().unwrap();
    let question = ["--explain", "orders-mcp/search_orders", "--client", "Claude Code"];
    let args: Vec<&str> = ["nightly", "--day", last].into_iter().chain(question).collect();
    let table = stdout(&support::succeed(&out.join("data"), &args));
    // Without a day it is about the last covered one.
    let without = ["nightly"].into_iter().chain(question).collect::<Vec<_>>();
    assert_eq!(stdout(&support::succeed(&out.join("data"), &without)), table);
    let late = table.lines().find(|line| line.starts_with("23:59:50.000")).expect("the late call");
    let today = format!("after_empty by 00:00:05.000 of {}", last.parse::<Day>().unwrap().plus(1));
    assert!(late.contains(&today), "{late}");
    assert!(late.contains("\tno: empty\tno: empty\t"), "{late}");
}

#[test]
fn a_second_demo_takes_the_place_of_the_first_and_of_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    fs::create_dir(&kept).unwrap();
    fs::write(kept.join("thesis.txt"), "years of work").unwrap();
    let output = support::firstcall(folder.path(), &["demo", "--out", kept.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("not empty"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(kept.join("thesis.txt")).unwrap(), "years of work");
    assert_eq!(fs::read_dir(&kept).unwrap().count(), 1);

    let out = folder.path().join("demo");
    for _ in 0..2 {
        support::succeed(folder.path(), &["demo", "--out", out.to_str().unwrap()]);
    }
    let report = fs::read(out.join("report/report.json")).unwrap();
    assert_report(&serde_json::from_slice(&report).unwrap(), &expected(SHOWN));
}
