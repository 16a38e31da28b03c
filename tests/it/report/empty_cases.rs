//! Nothing received, only today, no judged call, one call: pages that say so. Null is not zero.

use std::collections::BTreeMap;

use firstcall::figures::{Figures, UnjudgedReason};
use firstcall::report::ReportInput;
use scraper::{Html, Selector};

use super::pages::assert_links_resolve;
use super::report_input::{blank_day, counted, empty, habit_of, one_day, usual};
use super::{file_of, html_pages, site};

#[track_caller]
fn check(input: &ReportInput, headline: &str, detail: &str) -> BTreeMap<String, String> {
    let site = site(input);
    for (path, html) in html_pages(&site) {
        let document = Html::parse_document(html);
        assert!(document.errors.is_empty(), "{path}: {:?}", document.errors);
    }
    assert_links_resolve(&site);
    let index = Html::parse_document(&site["index.html"]);
    let text = |selector: &str| -> String {
        let found = index.select(&Selector::parse(selector).unwrap()).next();
        found.map_or_else(String::new, |e| e.text().collect::<String>().replace('\u{a0}', " "))
    };
    assert_eq!(text("h1"), headline);
    assert!(text(".lead").contains(detail), "{}", text(".lead"));
    let readme = site["README.md"].replace('\u{a0}', " ");
    assert!(readme.starts_with(&format!("# {}", headline.replace('_', "\\_"))), "{readme}");
    let summary = firstcall::report::pull_request_summary(input).replace('\u{a0}', " ");
    assert!(summary.starts_with(&headline.replace('_', "\\_")), "{summary}");
    site
}

fn shows_no_rate(site: &BTreeMap<String, String>) {
    let index = &site["index.html"];
    let main = &index[index.find("<main").unwrap()..index.find("</main>").unwrap()];
    let first = Html::parse_fragment(main);
    assert!(first.select(&Selector::parse(".big:not(.words)").unwrap()).next().is_none());
    let json: serde_json::Value = serde_json::from_str(&site["report.json"]).unwrap();
    assert!(json["overall"]["first_call_success"].is_null());
}

#[test]
fn nothing_was_ever_received() {
    let site = check(&empty(), "Nothing has been received yet.", "Point an OTLP exporter");
    shows_no_rate(&site);
    let json: serde_json::Value = serde_json::from_str(&site["report.json"]).unwrap();
    assert!(json["as_of"].is_null());
}

#[test]
fn only_today_has_calls() {
    let input = ReportInput { has_calls_uncovered: true, ..empty() };
    let headline = "Not yet computed: calls have arrived, and no day is covered yet.";
    shows_no_rate(&check(&input, headline, "Today is never covered"));
}

#[test]
fn no_day_of_the_range_is_covered() {
    let input = empty();
    let input = ReportInput { as_of: Some(input.from.minus(3)), ..input };
    let headline = "Not yet computed: no day of this range is covered.";
    shows_no_rate(&check(&input, headline, "The last covered day is 20 November 2026."));
}

#[test]
fn a_covered_day_holds_no_call() {
    let input = empty();
    let days = vec![blank_day(input.to)];
    let input = ReportInput { as_of: Some(input.to), days, ..input };
    shows_no_rate(&check(&input, "No tool was called.", "1 day is covered, without a call."));
}

#[test]
fn no_call_could_be_judged() {
    let mut blind = Figures { calls: 300, ..Figures::default() };
    blind.unjudged.add(UnjudgedReason::NoArgsHash, 300);
    let input = one_day([(("search", "ide"), blind)]);
    let site = check(&input, "Not judged: no args_hash.", "neither 0 % nor 100 %");
    shows_no_rate(&site);
    let (_, page) = file_of(&site, "tools/search-", ".html");
    assert!(page.contains("not judged"));
    assert!(site["index.html"].contains("not judged"));
}

#[test]
fn one_call_is_few_calls() {
    let input = one_day([(("search", "ide"), counted(1, &habit_of("get_order"), 0))]);
    let site = check(&input, "Too few calls for a verdict: 1 call was judged.", "From 20 judged");
    assert!(site["index.html"].contains("few calls"));
    let index = Html::parse_document(&site["index.html"]);
    assert!(index.select(&Selector::parse(".big:not(.words)").unwrap()).next().is_none());
    // Data has the rate, marked; pages do not.
    let json: serde_json::Value = serde_json::from_str(&site["report.json"]).unwrap();
    assert_eq!(json["overall"]["few_calls"], true);
    assert_eq!(json["overall"]["first_call_success"]["rate"], 1.0);
}

#[test]
fn a_first_day_has_nothing_to_compare_with() {
    let input = one_day([(("search", "ide"), counted(100, &habit_of("find_customer"), 0))]);
    check(
        &input,
        // 100 calls: 12 confirmed retries and 25 look-alikes.
        "62.0 % of calls were right the first time, over 1 tool.",
        "There is no earlier period to compare with yet.",
    );
}

#[test]
fn a_tool_that_vanished_keeps_its_page() {
    let site = site(&usual());
    let (_, page) = file_of(&site, "tools/old-report-", ".html");
    assert!(page.contains("It was not called in this range."));
    assert!(site["index.html"].contains("not called"));
}

#[test]
fn an_unknown_client_is_shown_as_such() {
    let site = site(&usual());
    let (_, page) = file_of(&site, "clients/unknown-", ".html");
    assert!(page.contains("does not name the program that called"));
}
