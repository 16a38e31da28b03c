//! The HTML pages: one struct per template, filled from the model.
//!
//! A page is whole in itself: one hashed `<style>`, no script, no request of any kind. askama
//! escapes every value; no template passes anything around it.

use askama::Template;
use base64::Engine as _;
use sha2::{Digest, Sha256};

use super::model::client_page::{ClientList, ClientPage};
use super::model::night_page::NightPage;
use super::model::overview::Overview;
use super::model::quality::QualityPage;
use super::model::tool_page::ToolPage;
use super::model::{ChangeText, Frame, RateText};
use super::names;
use crate::figures::Piece;
use crate::report::model::findings::FindingText;
use crate::report::model::tool_list::ToolList;

/// The style sheet, rendered as the pages include it.
#[derive(Template)]
#[template(path = "html/report.css", escape = "none")]
struct Style;

/// The hash by which the content security policy lets the style sheet in.
pub fn style_hash() -> String {
    let digest = Sha256::digest(render(&Style).as_bytes());
    base64::engine::general_purpose::STANDARD.encode(digest)
}

/// What the list of findings says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingList {
    /// The frame.
    pub frame: Frame,
    /// All findings.
    pub findings: Vec<FindingText>,
}

/// What the method page says beside its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodPage {
    /// The frame.
    pub frame: Frame,
}

#[derive(Template)]
#[template(path = "html/index.html")]
struct Index<'a> {
    page: &'a Overview,
    style_hash: &'a str,
}

#[derive(Template)]
#[template(path = "html/tool.html")]
struct Tool<'a> {
    page: &'a ToolPage,
    style_hash: &'a str,
}

#[derive(Template)]
#[template(path = "html/client.html")]
struct Client<'a> {
    page: &'a ClientPage,
    style_hash: &'a str,
}

#[derive(Template)]
#[template(path = "html/tools.html")]
struct Tools<'a> {
    page: &'a ToolList,
    style_hash: &'a str,
}

#[derive(Template)]
#[template(path = "html/clients.html")]
struct Clients<'a> {
    page: &'a ClientList,
    style_hash: &'a str,
}

#[derive(Template)]
#[template(path = "html/findings.html")]
struct Findings<'a> {
    page: &'a FindingList,
    style_hash: &'a str,
}

#[derive(Template)]
#[template(path = "html/night.html")]
struct NightTemplate<'a> {
    page: &'a NightPage,
    style_hash: &'a str,
}

#[derive(Template)]
#[template(path = "html/quality.html")]
struct Quality<'a> {
    page: &'a QualityPage,
    style_hash: &'a str,
}

#[derive(Template)]
#[template(path = "html/method.html")]
struct Method<'a> {
    page: &'a MethodPage,
    style_hash: &'a str,
}

/// Renders pages of one site, which share a style sheet.
#[derive(Debug)]
pub struct Pages {
    style_hash: String,
}

impl Pages {
    /// Prepares the style sheet.
    pub fn new() -> Self {
        Self { style_hash: style_hash() }
    }

    /// The overview.
    pub fn overview(&self, page: &Overview) -> String {
        render(&Index { page, style_hash: &self.style_hash })
    }

    /// A tool's page.
    pub fn tool(&self, page: &ToolPage) -> String {
        render(&Tool { page, style_hash: &self.style_hash })
    }

    /// A client's page.
    pub fn client(&self, page: &ClientPage) -> String {
        render(&Client { page, style_hash: &self.style_hash })
    }

    /// A page of the list of tools.
    pub fn tools(&self, page: &ToolList) -> String {
        render(&Tools { page, style_hash: &self.style_hash })
    }

    /// The list of clients.
    pub fn clients(&self, page: &ClientList) -> String {
        render(&Clients { page, style_hash: &self.style_hash })
    }

    /// The list of findings.
    pub fn findings(&self, page: &FindingList) -> String {
        render(&Findings { page, style_hash: &self.style_hash })
    }

    /// A night's page.
    pub fn night(&self, page: &NightPage) -> String {
        render(&NightTemplate { page, style_hash: &self.style_hash })
    }

    /// The data-quality page.
    pub fn quality(&self, page: &QualityPage) -> String {
        render(&Quality { page, style_hash: &self.style_hash })
    }

    /// The method page.
    pub fn method(&self, page: &MethodPage) -> String {
        render(&Method { page, style_hash: &self.style_hash })
    }
}

impl Default for Pages {
    fn default() -> Self {
        Self::new()
    }
}

/// Renders a template into a string.
pub(super) fn render(template: &impl Template) -> String {
    #[expect(
        clippy::expect_used,
        reason = "a string takes every write, and no template calls anything that can fail"
    )]
    template.render().expect("writing to a string cannot fail")
}
