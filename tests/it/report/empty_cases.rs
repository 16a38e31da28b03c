//! Nothing received, only today, no judged call, one call: pages that say so. Null is not zero.

use std::collections::BTreeMap;

use firstcall::figures::{DayFigures, Figures, UnjudgedReason};
use scraper::{Html, Selector};

use super::pages::assert_links_resolve;
use super::report_input::{
    ReportDays, blank_day, counted, empty, habit_of, one_day, pair_of, usual,
};
use super::{file_of, html_pages, site};

#[track_caller]
fn check(input: &ReportDays, headline: &str, detail: &str) -> BTreeMap<String, String> {
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
    let summary = super::pull_request_summary(input).replace('\u{a0}', " ");
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
    let input = ReportDays { has_calls_uncovered: true, ..empty() };
    let headline = "Not yet computed: calls have arrived, and no day is covered yet.";
    shows_no_rate(&check(&input, headline, "Today is never covered"));
}

#[test]
fn no_day_of_the_range_is_covered() {
    let input = empty();
    let input = ReportDays { as_of: Some(input.from.minus(3)), ..input };
    let headline = "Not yet computed: no day of this range is covered.";
    shows_no_rate(&check(&input, headline, "The last covered day is 20 November 2026."));
}

#[test]
fn a_covered_day_holds_no_call() {
    let input = empty();
    let days = vec![blank_day(input.to)];
    let input = ReportDays { as_of: Some(input.to), days, ..input };
    shows_no_rate(&check(&input, "No tool was called.", "1 day is covered, without a call."));
}

#[test]
fn no_call_could_be_judged() {
    let mut blind = Figures { calls: 300, ..Figures::default() };
    blind.unjudged.add(UnjudgedReason::NoArgsHash, 300);
    let input = one_day([(("search", "ide"), blind)]);
    let detail = "neither 0 % nor 100 %. firstcall doctor tells what is missing";
    let site = check(&input, "Not judged: no args_hash.", detail);
    assert!(!site["index.html"].contains("Read with care"));
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

/// What each page says, as HTML and as its Markdown twin; `words` stand in both.
#[track_caller]
fn says(site: &BTreeMap<String, String>, start: &str, words: &[&str]) {
    for ext in [".html", ".md"] {
        let (path, text) = file_of(site, start, ext);
        let text = if ext == ".html" {
            let document = Html::parse_document(text);
            let main = document.select(&Selector::parse("main").unwrap()).next().unwrap();
            main.text().collect::<String>()
        } else {
            text.replace('\\', "")
        };
        let text = text.replace(['\u{a0}', '\u{2011}'], " ");
        for word in words {
            assert!(text.contains(word), "{path}: {word:?} in\n{text}");
        }
    }
}

/// No Markdown file shows a rate where there is none.
fn shows_no_rate_in_markdown(site: &BTreeMap<String, String>) {
    for (path, text) in site.iter().filter(|(path, _)| path.ends_with(".md")) {
        let shown = text.split("intervals are 95").next().unwrap().replace("0\u{a0}% nor", "");
        assert!(!shown.contains("\u{a0}% ("), "{path}: {text}");
    }
}

#[test]
fn without_a_call_the_markdown_says_so_too() {
    let nothing = site(&empty());
    shows_no_rate_in_markdown(&nothing);
    assert!(nothing["README.md"].contains("Nothing has been received yet."));
    assert!(nothing["tools/README.md"].contains("No tool was called on a covered day"));
    assert!(nothing["clients/README.md"].contains("No client called a tool on a covered day"));
    let today = site(&ReportDays { has_calls_uncovered: true, ..empty() });
    assert!(today["README.md"].contains("Today is never covered"));
    shows_no_rate_in_markdown(&today);
    for site in [nothing, today] {
        let twins = site.keys().filter(|path| path.ends_with(".md")).count();
        assert_eq!(twins, 4, "no page of a tool or a client");
    }
}

#[test]
fn one_call_and_no_judged_call_read_alike_on_every_twin() {
    let one = site(&one_day([(("search", "ide"), counted(1, &habit_of("get_order"), 0))]));
    shows_no_rate_in_markdown(&one);
    says(&one, "tools/search-", &["few calls"]);
    says(&one, "clients/ide-", &["few calls"]);
    for list in ["tools/README.md", "clients/README.md", "README.md"] {
        assert!(one[list].contains("few calls"), "{list}");
    }
    let mut blind = Figures { calls: 300, ..Figures::default() };
    blind.unjudged.add(UnjudgedReason::NoSession, 300);
    let none = site(&one_day([(("search", "ide"), blind)]));
    shows_no_rate_in_markdown(&none);
    says(&none, "tools/search-", &["not judged", "no session", "300"]);
    says(&none, "clients/ide-", &["not judged", "no session", "300"]);
    assert!(none["README.md"].contains("Not judged: no session."));
    assert!(none["tools/README.md"].contains("not judged") && !none["README.md"].contains("100.0"));
}

/// Where no call could be judged, that no retry was seen is not known rather than zero.
#[test]
fn what_was_never_judged_shows_no_number_of_retries() {
    let site = site(&usual());
    let not_known = "Not known: no call could be judged, so no retry could be seen.";
    for page in ["tools/update-address-", "clients/unknown-"] {
        says(&site, page, &[not_known, "Retried within 30 s", "no call could be judged"]);
        let (path, html) = file_of(&site, page, ".html");
        let document = Html::parse_document(html);
        for row in document.select(&Selector::parse("#figures tbody tr").unwrap()) {
            let cells: Vec<String> = row.child_elements().map(|e| e.text().collect()).collect();
            if ["Retried within 30\u{a0}s", "Extra attempts", "Abandoned chains"]
                .contains(&&*cells[0])
            {
                assert_eq!(cells[1], "unknown", "{path}: {cells:?}");
            }
        }
        // The last cell of each night's row, and no bare zero.
        let last_cell = Selector::parse("#days tbody tr td:last-child").unwrap();
        let nights = document.select(&last_cell);
        let retried: Vec<String> = nights.map(|cell| cell.text().collect()).collect();
        assert_eq!(retried.len(), 28);
        assert!(retried.iter().all(|text| text == "–no figure"), "{retried:?}");
    }
    // It had no rate before its days were run again either, and nothing stands in brackets.
    let (_, unjudged) = file_of(&site, "tools/update-address-", ".html");
    assert!(!unjudged.contains("Restated"), "{unjudged}");
    let mut texts = site.iter().filter(|(path, _)| path.ends_with(".md"));
    assert!(texts.all(|(_, text)| !text.contains("()")));
}

#[test]
fn one_call_is_told_in_words_that_fit_one() {
    let site = site(&one_day([(("search", "ide"), counted(1, &habit_of("get_order"), 0))]));
    let index = &site["index.html"];
    assert!(index.contains("The one call was not retried."), "{index}");
    assert!(index.contains("1 judged; a rate is shown from 20 on"), "{index}");
    // No line without a point, and no heading that counts no retries.
    assert!(!index.contains("What the 0 retries were"));
    let head = Html::parse_document(index);
    assert!(head.select(&Selector::parse("#headline figure").unwrap()).next().is_none());
    assert!(site["nights/2026-11-29.html"].contains("1\u{a0}call on this day."));
}

/// A tool that was called `find_orders` until the day before, and is `search_orders` now.
pub(super) fn renamed() -> ReportDays {
    let to: firstcall::call::Day = "2026-11-29".parse().unwrap();
    let day = |ago: u32, tool: &'static str| {
        let of = pair_of("orders", tool, "ide");
        let tools = [(of, counted(100, &habit_of("get_order"), 9))];
        DayFigures { tools: tools.into_iter().collect(), ..blank_day(to.minus(ago)) }
    };
    ReportDays {
        from: to,
        as_of: Some(to),
        days: vec![day(0, "search_orders")],
        previous: vec![day(1, "find_orders")],
        history: vec![day(1, "find_orders"), day(0, "search_orders")],
        ..empty()
    }
}

/// A tool that was renamed is one that vanished and a new one beside it.
#[test]
fn a_renamed_tool_is_two_tools_and_neither_is_compared_with_the_other() {
    let site = site(&renamed());
    assert_links_resolve(&site);
    let last = "The last call was on 28 November 2026.";
    says(&site, "tools/find-orders-", &[last]);
    says(&site, "tools/find-orders-", &["not called", "It was not called in this range."]);
    // Of 100 calls one looks alike and two are confirmed retries.
    says(&site, "tools/search-orders-", &["97.0 %"]);
    let (_, page) = file_of(&site, "tools/search-orders-", ".md");
    assert!(
        page.contains("| First-call success | 97.0\u{a0}% (91.5–99.0) | 100 | – | – |"),
        "{page}"
    );
    for list in ["README.md", "tools/README.md"] {
        let row = |tool: &str| {
            let lines = site[list].lines();
            lines.into_iter().find(|line| line.contains(&format!("[`{tool}`]"))).unwrap()
        };
        assert!(row("find_orders").ends_with("| not called |"), "{list}");
        assert!(row("search_orders").ends_with("| healthy |"), "{list}");
    }
    // Nothing is said to have risen or fallen.
    let headline = &site["README.md"].lines().next().unwrap().replace('\u{a0}', " ");
    assert_eq!(*headline, "# 97.0 % of calls were right the first time, over 1 tool.");
}

#[test]
fn a_tool_that_is_offered_and_never_called_says_so_everywhere() {
    let site = site(&usual());
    assert_links_resolve(&site);
    // 28 of the last 30 days and 7 before are covered; the charts begin on 31 October.
    let words = [
        "never called",
        "It is offered, and was not called on any of the 28 covered days since 31 October 2026.",
        "Its description and schemas take 2.3 kB.",
        "is offered and was not called on 7 covered days",
    ];
    says(&site, "tools/close-period-", &words);
    says(&site, "tools/merge-customers-", &["never called", "service not declared"]);
    for list in ["index.html", "tools/index.html", "README.md", "tools/README.md"] {
        assert!(site[list].contains("never called"), "{list}");
    }
    let (_, badge) = file_of(&site, "badges/close-period-", ".json");
    assert!(badge.contains("\"never called\""), "{badge}");
    // A tool that was called is not, whoever declared it.
    says(&site, "tools/create-refund-", &["friction"]);
    let json: serde_json::Value = serde_json::from_str(&site["report.json"]).unwrap();
    let found = json["findings"].as_array().unwrap();
    let never: Vec<_> = found.iter().filter(|one| one["rule"] == "never_called").collect();
    assert_eq!(never.len(), 2);
    assert!(never.iter().any(|one| one["service"] == "ledger" && one["tool"] == "close_period"));
}

#[test]
fn before_the_first_covered_day_no_tool_is_called_never_called() {
    let site = site(&ReportDays { offered: usual().offered, ..empty() });
    assert!(site.values().all(|text| !text.contains("never called")
        || text.contains("No tool")
        || text.contains("How it is counted")));
    assert!(!site.keys().any(|path| path.starts_with("tools/close-period")));
}

#[test]
fn a_tool_that_vanished_keeps_its_page() {
    let site = site(&usual());
    // It was called until eight days before the last one.
    let words = "It was not called in this range. The last call was on 21 November 2026.";
    says(&site, "tools/old-report-", &[words, "not called"]);
    // Once in the head and once in the sentence, and not as two large figures besides.
    let (_, html) = file_of(&site, "tools/old-report-", ".html");
    assert!(!html.contains("class=\"big"), "{html}");
    for list in ["index.html", "README.md", "tools/README.md"] {
        assert!(site[list].contains("old_report") && site[list].contains("not called"), "{list}");
    }
}

/// No version of a server is kept, so releases are told by whoever makes the report.
#[test]
fn a_release_that_is_told_stands_on_lines_days_nights_and_in_the_verdict() {
    let site = site(&usual());
    // The fall is seen since the 26th; the release was the day before.
    let release = "On 25 November orders 2.3 was released.";
    let index = Html::parse_document(&site["index.html"]);
    let text = |selector: &str| -> String {
        let found = index.select(&Selector::parse(selector).unwrap()).next();
        found.map_or_else(String::new, |e| e.text().collect())
    };
    assert!(text(".lead").contains(release), "{}", text(".lead"));
    assert!(text("#headline figcaption").contains("Released: 25 Nov orders 2.3"));
    for (page, marks) in [("tools/search-orders-", 1), ("clients/codex-", 1)] {
        let (_, html) = file_of(&site, page, ".html");
        assert_eq!(html.matches("class=\"mark\"").count(), marks, "{page}");
        assert!(html.contains("25 Nov</a><small>released <bdi>orders 2.3</bdi></small>"));
    }
    assert!(site["nights/2026-11-25.html"].contains("Released on this day: <bdi>orders 2.3</bdi>"));
    assert!(!site["nights/2026-11-26.html"].contains("orders 2.3"));
    says(&site, "tools/search-orders-", &["25 Nov", "orders 2.3"]);
    let without = super::site(&ReportDays { releases: BTreeMap::new(), ..usual() });
    assert!(without.values().all(|text| !text.contains("orders 2.3")));
    assert!(!without["index.html"].contains("class=\"mark\""));
    // Where many are told, the caption counts them and the table names them.
    let input = usual();
    let name = firstcall::call::Name::cut("orders");
    let days = input.to.minus(3).through(input.to);
    let releases = days.map(|day| (day, name.clone())).collect();
    let often = super::site(&ReportDays { releases, ..input });
    let index = Html::parse_document(&often["index.html"]);
    let caption = index.select(&Selector::parse("#headline figcaption").unwrap()).next().unwrap();
    let caption: String = caption.text().collect();
    assert!(caption.ends_with("4 releases are marked; the table by night names them"), "{caption}");
}

#[test]
fn an_unknown_client_is_shown_as_such() {
    let site = site(&usual());
    says(&site, "clients/unknown-", &["does not name the program that called", "not judged"]);
    assert!(site["clients/README.md"].contains("[`unknown`]"));
}
