//! The report: from figures to pages that say the same.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "a helper that cannot go on fails its test, and the paths are the report's own"
)]

mod badges;
mod empty_cases;
mod hostile;
mod hosts;
mod markdown;
mod nights;
mod pages;
pub(crate) mod parameter_names;
mod reading;
mod rules;
pub(crate) mod schema;
mod size;

#[path = "../support/report_input.rs"]
pub(crate) mod report_input;

use std::collections::BTreeMap;
use std::path::PathBuf;

use firstcall::figures::{Figures, UnjudgedReason};
use firstcall::report::baseline::Baseline;
use firstcall::report::{Assets, SiteOptions, SummaryOptions};
use report_input::ReportDays;

/// The site's files by their paths, as texts.
fn site(days: &ReportDays) -> BTreeMap<String, String> {
    site_with(days, Assets::Inline)
}

/// The summary for a pull request.
fn summary(days: &ReportDays, baseline: Option<&Baseline>, options: &SummaryOptions) -> String {
    firstcall::report::summary(&days.input(), baseline, options)
}

/// The whole summary for a pull request on GitHub.
fn pull_request_summary(days: &ReportDays) -> String {
    firstcall::report::pull_request_summary(&days.input())
}

/// The same, with the style sheet and the script where `assets` says.
fn site_with(days: &ReportDays, assets: Assets) -> BTreeMap<String, String> {
    let text = |(path, bytes): (PathBuf, Vec<u8>)| {
        (path.to_str().unwrap().to_owned(), String::from_utf8(bytes).unwrap())
    };
    let options = SiteOptions { assets, ..SiteOptions::default() };
    firstcall::report::site_with(&days.input(), &options).into_iter().map(text).collect()
}

/// The pages among them.
fn html_pages(site: &BTreeMap<String, String>) -> impl Iterator<Item = (&String, &String)> {
    site.iter().filter(|(path, _)| path.ends_with(".html"))
}

/// The file in `folder` whose name begins with `slug` and ends in `.ext`.
fn file_of<'s>(site: &'s BTreeMap<String, String>, start: &str, ext: &str) -> (&'s str, &'s str) {
    let mut found = site.iter().filter(|(path, _)| path.starts_with(start) && path.ends_with(ext));
    let (path, text) = found.next().unwrap_or_else(|| panic!("no {start}*{ext}"));
    assert!(found.next().is_none(), "{start}*{ext} is not one");
    (path, text)
}

/// Where browser tests and a curious person find whole sites: `target/tmp/fixture-site`.
#[test]
fn sites_are_left_for_the_browser() {
    let only_today = ReportDays { has_calls_uncovered: true, ..report_input::empty() };
    let habit = report_input::habit_of("get_order");
    let one_call =
        report_input::one_day([(("search", "ide"), report_input::counted(1, &habit, 0))]);
    let mut blind = Figures { calls: 300, ..Figures::default() };
    blind.unjudged.add(UnjudgedReason::NoSession, 300);
    let not_judged = report_input::one_day([(("search", "ide"), blind)]);
    let inputs = [
        ("usual", report_input::usual(), Assets::Inline),
        ("files", report_input::usual(), Assets::Files),
        ("hostile", report_input::hostile(), Assets::Inline),
        ("empty", report_input::empty(), Assets::Inline),
        ("only-today", only_today, Assets::Inline),
        ("one-call", one_call, Assets::Inline),
        ("not-judged", not_judged, Assets::Inline),
        ("renamed", empty_cases::renamed(), Assets::Inline),
        ("large", size::many(450, 60, 3), Assets::Inline),
    ];
    let top = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fixture-site");
    for (name, input, assets) in inputs {
        let dir = top.join(name);
        let _ = std::fs::remove_dir_all(&dir);
        let options = SiteOptions { assets, ..SiteOptions::default() };
        let files = firstcall::report::site_with(&input.input(), &options);
        firstcall::report::publish(&dir, files).unwrap();
        assert!(dir.join("index.html").is_file());
    }
}
