//! The set of files that a report is.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::assets::Assets;
use super::badge::Badge;
use super::html::{FindingList, MethodPage, Pages};
use super::input::ReportInput;
use super::model::client_page::{client_list, client_page};
use super::model::history::Histories;
use super::model::night_page::{night_page, nights};
use super::model::overview::overview;
use super::model::quality::quality_page;
use super::model::recovery::recovery_page;
use super::model::tool_list::tool_lists;
use super::model::tool_page::tool_page;
use super::model::{Facts, Frame, findings};
use super::{csv, json, markdown};
use crate::call::Day;

/// All files of the report: HTML, Markdown, JSON, CSV and badges of the same figures, by their
/// paths from the site's top. The same input makes the same bytes.
pub fn site(input: &ReportInput) -> Vec<(PathBuf, Vec<u8>)> {
    site_with(input, &SiteOptions::default())
}

/// How a site is made, beside the figures.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SiteOptions {
    /// Where the style sheet and the script are.
    pub assets: Assets,
    /// Nights whose pages earlier reports left in the folder, see
    /// [`publish::nights_kept`](super::publish::nights_kept); the new pages link to them.
    pub nights_kept: BTreeSet<Day>,
}

/// The same as `options` want it.
pub fn site_with(input: &ReportInput, options: &SiteOptions) -> Vec<(PathBuf, Vec<u8>)> {
    let facts = Facts::of(input);
    let histories = Histories::of(input);
    let pages = Pages::new(options.assets);
    let mut files = Files::default();
    for (path, text) in pages.files() {
        files.add(path, text);
    }
    let overview = overview(&facts);
    files.add("index.html", pages.overview(&overview));
    files.add("README.md", markdown::overview(&overview));
    for list in tool_lists(&facts) {
        files.add(format!("tools/{}", list.file), pages.tools(&list));
    }
    files.add("clients/index.html", pages.clients(&client_list(&facts)));
    let findings =
        FindingList { frame: Frame::top(&facts, "Findings"), findings: findings::all(&facts) };
    files.add("findings.html", pages.findings(&findings));
    let recovery = recovery_page(&facts);
    files.add("recovery.html", pages.recovery(&recovery));
    files.add("recovery.md", markdown::recovery(&recovery));
    files.add("quality.html", pages.quality(&quality_page(&facts)));
    files.add("method.html", pages.method(&MethodPage { frame: Frame::top(&facts, "Method") }));
    for (key, slug) in &facts.tools {
        let page = tool_page(&facts, &histories, key);
        files.add(format!("tools/{slug}.html"), pages.tool(&page));
        files.add(format!("tools/{slug}.md"), markdown::tool(&page));
    }
    for (client, slug) in &facts.clients {
        let page = client_page(&facts, &histories, client);
        files.add(format!("clients/{slug}.html"), pages.client(&page));
        files.add(format!("clients/{slug}.md"), markdown::client(&page));
    }
    let nights = nights(&facts);
    let mut with_page = options.nights_kept.clone();
    with_page.extend(nights.iter().map(|night| night.day));
    for night in nights {
        let page = night_page(&facts, &with_page, night);
        files.add(format!("nights/{}.html", page.night.day), pages.night(&page));
    }
    files.add_badge("overall", &Badge::overall(&facts));
    for (key, slug) in &facts.tools {
        files.add_badge(slug, &Badge::tool(&facts, key.tool.as_str(), facts.tool(key)));
    }
    files.add("report.json", json::report(&facts));
    files.add("report.schema.json", json::SCHEMA);
    files.add("figures.csv", csv::figures(&facts));
    files.0
}

#[derive(Default)]
struct Files(Vec<(PathBuf, Vec<u8>)>);

impl Files {
    fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<Vec<u8>>) {
        self.0.push((path.into(), text.into()));
    }

    fn add_badge(&mut self, name: &str, badge: &Badge) {
        self.add(format!("badges/{name}.svg"), badge.svg());
        self.add(format!("badges/{name}.json"), badge.json());
    }
}
