//! The Markdown files and the summary for a pull request, from the same model as the HTML.

use askama::Template;

use super::host::{Host, SummaryOptions};
use super::html::render;
use super::link::ReportUrl;
use super::markdown_escape::filters;
use super::model::client_page::{ClientList, ClientPage};
use super::model::overview::Overview;
use super::model::recovery::RecoveryPage;
use super::model::summary::{Summary, summary};
use super::model::table::{self, ToolRow};
use super::model::tool_page::ToolPage;
use super::model::{Facts, Frame, RateText};
use crate::figures::Piece;

#[derive(Template)]
#[template(path = "markdown/overview.md")]
struct OverviewTemplate<'a> {
    page: &'a Overview,
}

/// What the list of all tools says.
struct ToolListPage {
    frame: Frame,
    against: Option<String>,
    tools: Vec<ToolRow>,
}

#[derive(Template)]
#[template(path = "markdown/tools.md")]
struct ToolsTemplate<'a> {
    page: &'a ToolListPage,
}

#[derive(Template)]
#[template(path = "markdown/clients.md")]
struct ClientsTemplate<'a> {
    page: &'a ClientList,
}

#[derive(Template)]
#[template(path = "markdown/tool.md")]
struct ToolTemplate<'a> {
    page: &'a ToolPage,
}

#[derive(Template)]
#[template(path = "markdown/recovery.md")]
struct RecoveryTemplate<'a> {
    page: &'a RecoveryPage,
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
    host: Host,
    url: Option<&'a ReportUrl>,
}

#[derive(Template)]
#[template(path = "markdown/summary_quiet.md")]
struct QuietSummaryTemplate<'a> {
    page: &'a Summary,
    url: Option<&'a ReportUrl>,
}

/// The overview, `README.md`.
pub fn overview(page: &Overview) -> String {
    closed(&render(&OverviewTemplate { page }))
}

/// A tool's file.
pub fn tool(page: &ToolPage) -> String {
    closed(&render(&ToolTemplate { page }))
}

/// Recovery over all tools.
pub fn recovery(page: &RecoveryPage) -> String {
    closed(&render(&RecoveryTemplate { page }))
}

/// The list of all tools.
pub fn tools(facts: &Facts<'_>) -> String {
    let page = ToolListPage {
        frame: Frame::below(facts, "Tools"),
        against: table::against(facts),
        tools: table::rows(facts, &table::tools_by_need(facts)),
    };
    closed(&render(&ToolsTemplate { page: &page }))
}

/// The list of all clients.
pub fn clients(page: &ClientList) -> String {
    closed(&render(&ClientsTemplate { page }))
}

/// A client's file.
pub fn client(page: &ClientPage) -> String {
    closed(&render(&ClientTemplate { page }))
}

/// The summary for a pull request, within what its host takes: whole rows are left out from
/// the bottom until it fits. Where nothing changed it is one line, unless the whole is wanted.
pub fn pull_request_summary(facts: &Facts<'_>, options: &SummaryOptions) -> String {
    let (host, url) = (options.host, options.report_url.as_ref());
    let marked =
        |text: &str, is_quiet| closed(&format!("{}\n{}", closed(text), host.marker(is_quiet)));
    let mut page = summary(facts, options);
    if page.is_quiet && !options.is_always {
        return marked(&render(&QuietSummaryTemplate { page: &page, url }), true);
    }
    loop {
        let text = marked(&render(&SummaryTemplate { page: &page, host, url }), false);
        if page.tools.is_empty() || host.budget().fits(&text) {
            return text;
        }
        // A tenth fewer each time: a few dozen renderings at most.
        page.shorten();
    }
}

/// The text with exactly one line break at its end.
fn closed(text: &str) -> String {
    let mut text = text.trim_end().to_owned();
    text.push('\n');
    text
}
