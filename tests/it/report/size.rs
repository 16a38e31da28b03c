//! Many tools and clients: pages stay within their budgets, and everything still has a page.

use firstcall::call::{ClientName, Name, ToolKey};

use super::report_input::{ReportDays, blank_day, counted, empty, habit_of};
use super::{pull_request_summary, site};
use crate::support::files::files_below;

/// `tools` by `clients` on the last seven days and the seven before; each tool is called by
/// `each` clients.
pub(super) fn many(tools: u64, clients: u64, each: u64) -> ReportDays {
    let input = empty();
    let habits = ["search_orders", "get_order", "find_customer", "export_ledger"].map(habit_of);
    let day_of = |ago: u32| {
        let mut day = blank_day(input.to.minus(ago));
        for tool in 0..tools {
            let key = ToolKey {
                service: Name::cut("warehouse"),
                tool: Name::cut(&format!("tool_with_a_longer_name_{tool}")),
            };
            for client in 0..each {
                let client = (client + tool) % clients;
                let client = ClientName::new(Name::cut(&format!("client {client}")));
                let habit = &habits[usize::try_from(tool % 4).unwrap()];
                let fall = if ago < 7 { 0 } else { 9 };
                day.tools.insert((key.clone(), client), counted(24 + tool % 5, habit, fall));
            }
        }
        day
    };
    let [days, previous] = [0..1, 7..8].map(|ago| ago.map(day_of).collect::<Vec<_>>());
    let as_of = Some(input.to);
    ReportDays { as_of, history: days.clone(), days, previous, ..input }
}

#[test]
fn two_hundred_tools_by_twenty_clients_fit_in_half_a_megabyte() {
    let site = site(&many(200, 20, 20));
    for (path, text) in site.iter().filter(|(path, _)| path.ends_with(".html")) {
        assert!(text.len() < 500_000, "{path}: {}", text.len());
    }
}

#[test]
fn beyond_that_the_pages_are_split_and_nothing_is_lost() {
    let site = site(&many(450, 60, 3));
    for page in ["tools/index.html", "tools/page-2.html", "tools/page-3.html"] {
        assert!(site[page].contains("tool_with_a_longer_name_"), "{page}");
    }
    let pages = site.keys().filter(|path| path.starts_with("tools/tool-with")).count();
    assert_eq!(pages, 2 * 450); // HTML and Markdown
    assert!(site["index.html"].len() < 500_000);
    super::pages::assert_links_resolve(&site);
}

#[test]
fn four_hundred_tools_by_sixty_clients_are_made_in_seconds() {
    let input = many(400, 60, 12);
    let start = std::time::Instant::now();
    let site = site(&input);
    let took = start.elapsed();
    for (path, text) in site.iter().filter(|(path, _)| path.ends_with(".html")) {
        assert!(text.len() < 500_000, "{path}: {}", text.len());
    }
    // Unoptimised, on a busy machine.
    assert!(took.as_secs() < 60, "{took:?}");
}

/// Written file by file as `serve` does it; the test's own process is the measure of memory.
#[test]
#[ignore = "a measurement: time and memory of two thousand tools by two hundred clients"]
fn two_thousand_tools_by_two_hundred_clients_are_published() {
    let peak = || -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_000
    };
    let each: u64 = std::env::var("FIRSTCALL_EACH").map_or(40, |each| each.parse().unwrap());
    let temp = tempfile::tempdir().unwrap();
    // Left for the browser where a place is named.
    let dir = std::env::var_os("FIRSTCALL_SITE")
        .map_or_else(|| temp.path().join("site"), std::path::PathBuf::from);
    let input = many(2_000, 200, each).input();
    let of_input = peak();
    let start = std::time::Instant::now();
    let files = firstcall::report::rewrite(&dir, &input, firstcall::report::Assets::Inline);
    let (files, took) = (files.unwrap(), start.elapsed());
    let again = std::time::Instant::now();
    firstcall::report::rewrite(&dir, &input, firstcall::report::Assets::Inline).unwrap();
    let again = again.elapsed();
    let (mut bytes, mut largest) = (0, 0);
    for path in files_below(&dir) {
        let length = std::fs::metadata(&path).unwrap().len();
        bytes += length;
        if path.extension().is_some_and(|ext| ext == "html") {
            largest = largest.max(length);
        }
    }
    println!(
        "{each} clients a tool: {files} files, {} MB, in {took:.1?}, unchanged in {again:.1?}; the \
         largest page has {} kB; peak memory {} MB, of which the input {of_input} MB",
        bytes / 1_000_000,
        largest / 1_000,
        peak(),
    );
    assert!(largest < 500_000);
}

#[test]
fn the_summary_stays_within_its_budget() {
    let text = pull_request_summary(&many(2_000, 4, 1));
    let length = text.chars().count();
    assert!((40_000..=60_000).contains(&length), "{length}");
    assert!(text.contains("</details>") && text.contains("more in the report."));
    assert!(text.trim_end().ends_with("<!-- firstcall:summary -->"));
}
