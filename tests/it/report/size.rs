//! Many tools and clients: pages stay within their budgets, and everything still has a page.

use firstcall::call::{ClientName, Name, ToolKey};
use firstcall::report::{ReportInput, pull_request_summary};

use super::report_input::{blank_day, counted, empty, habit_of};
use super::site;

/// `tools` by `clients` on the last seven days and the seven before; each tool is called by
/// `each` clients.
pub(super) fn many(tools: u64, clients: u64, each: u64) -> ReportInput {
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
    ReportInput { as_of, history: days.clone(), days, previous, ..input }
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
fn the_summary_stays_within_its_budget() {
    let text = pull_request_summary(&many(2_000, 4, 1));
    let length = text.chars().count();
    assert!((40_000..=60_000).contains(&length), "{length}");
    assert!(text.contains("</details>") && text.contains("more in the report."));
    assert!(text.trim_end().ends_with("<!-- firstcall:summary -->"));
}
