//! The set of files that a report is.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::assets::Assets;
use super::badge::Badge;
use super::html::{FindingList, MethodPage, Pages};
use super::input::ReportInput;
use super::model::client_page::{client_list, client_page};
use super::model::night_page::{night_list, night_page};
use super::model::overview::overview;
use super::model::quality::quality_page;
use super::model::recovery::recovery_page;
use super::model::tool_list::{Order, sorted, tool_list};
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

/// Takes the files of a site one after another, so that they need not be held at once.
pub trait FileSink {
    /// What can go wrong with it.
    type Error;

    /// Takes a file that is made.
    ///
    /// # Errors
    /// Where it could not be kept; no further file is made.
    fn file(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Takes a file that is written piece by piece, since it may be larger than memory.
    ///
    /// # Errors
    /// As [`FileSink::file`].
    fn long_file(&mut self, path: &Path, write: Pieces<'_>) -> Result<(), Self::Error>;
}

/// What writes a file piece by piece.
pub type Pieces<'p> = &'p dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Files in memory.
#[derive(Debug, Default)]
struct Held(Vec<(PathBuf, Vec<u8>)>);

impl FileSink for Held {
    type Error = Infallible;

    fn file(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Infallible> {
        self.0.push((path.to_owned(), bytes.to_vec()));
        Ok(())
    }

    fn long_file(&mut self, path: &Path, write: Pieces<'_>) -> Result<(), Infallible> {
        let mut bytes = Vec::new();
        #[expect(clippy::expect_used, reason = "a vector takes every write")]
        write(&mut bytes).expect("a vector takes every write");
        self.file(path, &bytes)
    }
}

/// The same as `options` want it.
pub fn site_with(input: &ReportInput, options: &SiteOptions) -> Vec<(PathBuf, Vec<u8>)> {
    let mut held = Held::default();
    match write_site(input, options, &mut held) {
        Ok(()) => held.0,
        Err(never) => match never {},
    }
}

/// Makes the files of the report one after another and gives each to `sink`.
///
/// # Errors
/// The first of the sink's.
pub fn write_site<S: FileSink>(
    input: &ReportInput,
    options: &SiteOptions,
    sink: &mut S,
) -> Result<(), S::Error> {
    let facts = Facts::of(input);
    let pages = Pages::new(options.assets);
    let mut files = Files(sink);
    for (path, text) in pages.files() {
        files.add(path, &text)?;
    }
    let overview = overview(&facts);
    files.add("index.html", &pages.overview(&overview))?;
    files.add("README.md", &markdown::overview(&overview))?;
    for order in Order::ALL {
        let keys = sorted(&facts, order);
        let mut number = 1;
        while let Some(list) = tool_list(&facts, (order, &keys), number) {
            files.add(format!("tools/{}", list.file), &pages.tools(&list))?;
            number += 1;
        }
    }
    files.add("tools/README.md", &markdown::tools(&facts))?;
    let clients = client_list(&facts);
    files.add("clients/index.html", &pages.clients(&clients))?;
    files.add("clients/README.md", &markdown::clients(&clients))?;
    let findings =
        FindingList { frame: Frame::top(&facts, "Findings"), findings: findings::all(&facts) };
    files.add("findings.html", &pages.findings(&findings))?;
    let recovery = recovery_page(&facts);
    files.add("recovery.html", &pages.recovery(&recovery))?;
    files.add("recovery.md", &markdown::recovery(&recovery))?;
    files.add("quality.html", &pages.quality(&quality_page(&facts)))?;
    files.add("method.html", &pages.method(&MethodPage { frame: Frame::top(&facts, "Method") }))?;
    for (key, slug) in &facts.tools {
        let page = tool_page(&facts, key);
        files.add(format!("tools/{slug}.html"), &pages.tool(&page))?;
        files.add(format!("tools/{slug}.md"), &markdown::tool(&page))?;
        files.badge(slug, &Badge::tool(&facts, key))?;
    }
    for (client, slug) in &facts.clients {
        let page = client_page(&facts, client);
        files.add(format!("clients/{slug}.html"), &pages.client(&page))?;
        files.add(format!("clients/{slug}.md"), &markdown::client(&page))?;
    }
    let mut with_page = options.nights_kept.clone();
    with_page.extend(input.nights.keys());
    for (day, figures) in &input.nights {
        let page = night_page(&with_page, (*day, figures), facts.release(*day));
        files.add(format!("nights/{day}.html"), &pages.night(&page))?;
    }
    files.add("nights/index.html", &pages.nights(&night_list(&facts, &with_page)))?;
    files.badge("overall", &Badge::overall(&facts))?;
    files.0.long_file(Path::new("report.json"), &|out| json::write(&facts, out))?;
    files.add("report.schema.json", json::SCHEMA)?;
    files.0.long_file(Path::new("figures.csv"), &|out| csv::write(&facts, out))
}

struct Files<'s, S>(&'s mut S);

impl<S: FileSink> Files<'_, S> {
    fn add(&mut self, path: impl Into<PathBuf>, text: &str) -> Result<(), S::Error> {
        self.0.file(&path.into(), text.as_bytes())
    }

    fn badge(&mut self, name: &str, badge: &Badge) -> Result<(), S::Error> {
        self.add(format!("badges/{name}.svg"), &badge.svg())?;
        self.add(format!("badges/{name}.json"), &badge.json())
    }
}
