//! The Markdown files and the summary for a pull request, from the same model as the HTML.

use askama::Template;

use super::html::render;
use super::markdown_escape::filters;
use super::model::client_page::ClientPage;
use super::model::overview::Overview;
use super::model::summary::{Summary, summary};
use super::model::tool_page::ToolPage;
use super::model::{Facts, RateText};
use crate::figures::Piece;

/// The longest summary, in characters; GitHub refuses a comment of more than 65,536.
pub const SUMMARY_CHARACTERS: usize = 60_000;

#[derive(Template)]
#[template(path = "markdown/overview.md")]
struct OverviewTemplate<'a> {
    page: &'a Overview,
}

#[derive(Template)]
#[template(path = "markdown/tool.md")]
struct ToolTemplate<'a> {
    page: &'a ToolPage,
}

#[derive(Template)]
#[template(path = "markdown/client.md")]
struct ClientTemplate<'a> {
    page: &'a ClientPage,
}

#[derive(Template)]
#[template(path = "markdown/summary.md")]
struct SummaryTemplate<'a> {
    page: &'a Summary,
}

/// The overview, `README.md`.
pub fn overview(page: &Overview) -> String {
    closed(&render(&OverviewTemplate { page }))
}

/// A tool's file.
pub fn tool(page: &ToolPage) -> String {
    closed(&render(&ToolTemplate { page }))
}

/// A client's file.
pub fn client(page: &ClientPage) -> String {
    closed(&render(&ClientTemplate { page }))
}

/// The summary for a pull request, within [`SUMMARY_CHARACTERS`]: whole rows are left out from
/// the bottom until it fits.
pub fn pull_request_summary(facts: &Facts<'_>) -> String {
    let mut tools = facts.now.tools.len();
    loop {
        let text = closed(&render(&SummaryTemplate { page: &summary(facts, tools) }));
        if tools == 0 || text.chars().count() <= SUMMARY_CHARACTERS {
            return text;
        }
        // A tenth fewer each time: a few dozen renderings at most.
        tools -= tools.div_ceil(10);
    }
}

/// The text with exactly one line break at its end.
fn closed(text: &str) -> String {
    let mut text = text.trim_end().to_owned();
    text.push('\n');
    text
}
