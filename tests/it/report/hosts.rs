//! The summary on each host: within its limits, with what it can show, and nothing else alive.

use firstcall::figures::RangeFigures;
use firstcall::report::baseline::Baseline;
use firstcall::report::{Host, SummaryOptions};

use super::markdown::{assert_nothing_comes_alive, read};
use super::report_input::{ReportDays, empty, hostile, usual};
use super::size::many;
use super::summary;

const HOSTS: [Host; 5] =
    [Host::GitHub, Host::GitHubStep, Host::GitLab, Host::Bitbucket, Host::Gitea];

fn always(host: Host) -> SummaryOptions {
    SummaryOptions { host, is_always: true, report_url: None }
}

fn unchanged() -> ReportDays {
    usual().unchanged()
}

/// The days before the usual ones as a report of their own.
fn baseline(name: &str) -> Baseline {
    let input = usual();
    Baseline {
        name: name.to_owned(),
        from: input.from.minus(7),
        to: input.from.minus(1),
        rules: vec!["window-30s".to_owned(), "window-30s+evidence/1".to_owned()],
        figures: RangeFigures::of(&input.previous),
    }
}

#[test]
fn each_host_reads_as_it_was_approved() {
    for host in HOSTS {
        let options = SummaryOptions {
            report_url: Some("https://ci.example/report/index.html".parse().unwrap()),
            ..always(host)
        };
        let text = summary(&usual(), Some(&baseline("main")), &options);
        insta::assert_snapshot!(format!("summary_{}", host.word()), text);
    }
}

#[test]
fn two_thousand_tools_fit_every_host_and_are_cut_by_whole_rows() {
    let input = many(2_000, 4, 1);
    for host in HOSTS {
        let text = summary(&input, None, &always(host));
        assert!(host.budget().fits(&text), "{}: {}", host.word(), text.len());
        let alive = read(&text);
        for table in &alive.tables {
            assert!(table.iter().all(|cells| *cells == table[0]), "{}", host.word());
        }
        assert_eq!(text.contains("<details>"), host.has_html());
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
        assert!(text.trim_end().ends_with(host.marker(false)), "{}", host.word());
        // One host takes all 2,000 rows; its changed rows are cut all the same.
        assert!(text.contains("more in the report."), "{}", host.word());
    }
    // The hosts' own limits.
    let length = |host| summary(&input, None, &always(host)).chars().count();
    assert!(length(Host::GitHub) <= 60_000 && length(Host::Gitea) <= 60_000);
    assert!(length(Host::Bitbucket) <= 30_000);
    assert!(summary(&input, None, &always(Host::GitHubStep)).len() <= 900 * 1024);
}

#[test]
fn bitbucket_gets_no_html_and_the_marker_is_seen_nowhere() {
    for input in [usual(), hostile()] {
        let text = summary(&input, None, &always(Host::Bitbucket));
        let alive = read(&text);
        assert!(alive.html.is_empty(), "{:?}", alive.html);
        assert_eq!(alive.headings, 1);
        assert!(!alive.text.contains("firstcall:summary"), "{}", alive.text);
    }
}

#[test]
fn hostile_names_come_alive_on_no_host() {
    for host in HOSTS {
        let text = summary(&hostile(), Some(&baseline("@all #1 `x`|<b>\n!7 ~bug")), &always(host));
        let alive = read(&text);
        assert_nothing_comes_alive(host.word(), &alive);
        assert!(alive.links.is_empty(), "{}: {:?}", host.word(), alive.links);
        // Outside of code there is none of the signs by which hosts find mentions, issues,
        // merge requests, labels and snippets.
        for sign in ['@', '#', '!', '~', '$'] {
            assert!(!alive.text.contains(sign), "{}: {sign} in {}", host.word(), alive.text);
        }
        let html = alive.html.concat();
        assert!(!html.contains("script") && !html.contains("img"), "{}: {html}", host.word());
    }
}

#[test]
fn without_a_change_there_is_one_line_unless_the_whole_is_wanted() {
    for host in HOSTS {
        let options = SummaryOptions { is_always: false, ..always(host) };
        let text = summary(&unchanged(), None, &options);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].starts_with("No significant change: ") && lines[1].is_empty(), "{text}");
        assert_eq!(lines[2], host.marker(true));
        assert!(summary(&unchanged(), None, &always(host)).lines().count() > 10);
        // A change is never passed over.
        assert_eq!(summary(&usual(), None, &options), summary(&usual(), None, &always(host)));
    }
    let nothing = summary(&empty(), None, &SummaryOptions::default());
    assert!(nothing.starts_with("Nothing has been received yet."), "{nothing}");
    assert_eq!(nothing.lines().count(), 3);
}

#[test]
fn a_baseline_is_named_dated_and_doubted_when_old_or_overlapping() {
    let options = always(Host::GitHub);
    let text =
        |baseline: &Baseline| summary(&usual(), Some(baseline), &options).replace('\u{a0}', " ");
    let beside = baseline("main");
    let shown = text(&beside);
    assert!(
        shown.contains("before: `main`, 16 to 22 November 2026 (7 days covered, n "),
        "{shown}"
    );
    assert!(
        shown.contains(", ends 1 day before)") && shown.contains(" --baseline report.json`"),
        "{shown}"
    );
    assert!(!shown.contains("the baseline "), "{shown}");
    // The same figures from three weeks earlier.
    let old = Baseline { from: beside.from.minus(20), to: beside.to.minus(20), ..beside.clone() };
    assert!(text(&old).contains("the baseline ends 21 days before this range begins"));
    let over = Baseline { from: beside.from.plus(1), to: beside.to.plus(1), ..beside.clone() };
    assert!(text(&over).contains("the baseline overlaps this range"));
    let nothing = Baseline { figures: RangeFigures::default(), ..beside };
    assert!(text(&nothing).contains("the baseline holds no covered day"));
}

#[test]
fn a_baseline_of_the_period_before_says_what_the_period_before_says() {
    let (with, without) = (
        summary(&usual(), Some(&baseline("main")), &always(Host::GitHub)),
        summary(&usual(), None, &always(Host::GitHub)),
    );
    let body = |text: &str| {
        text.lines()
            .filter(|line| !line.starts_with("As of "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(body(&with), body(&without));
}

#[test]
fn a_published_report_is_linked_with_its_tools_pages() {
    let options = SummaryOptions {
        report_url: Some("https://ci.example/r/".parse().unwrap()),
        ..always(Host::GitLab)
    };
    let alive = read(&summary(&usual(), None, &options));
    assert_eq!(alive.links.last().unwrap(), "https://ci.example/r/");
    let page = "https://ci.example/r/tools/search-orders-31ed624222.html";
    assert_eq!(alive.links[0], page);
}
