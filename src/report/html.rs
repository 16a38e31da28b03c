//! The HTML pages: one struct per template, filled from the model.
//!
//! A page is whole in itself: one hashed `<style>`, one hashed `<script>` that only sorts and
//! filters, no request of any kind; or, for hosts that refuse what is inline, the same as files
//! beside the pages. askama escapes every value; no template passes anything around it.

use askama::Template;

use super::assets::{Assets, Head};
use super::model::client_page::{ClientList, ClientPage};
use super::model::night_page::{NightList, NightPage};
use super::model::overview::Overview;
use super::model::quality::QualityPage;
use super::model::recovery::RecoveryPage;
use super::model::tool_page::ToolPage;
use super::model::{ChangeText, Frame, RateText, table};
use super::names;
use crate::figures::Piece;
use crate::report::model::findings::FindingText;
use crate::report::model::tool_list::ToolList;

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
    head: &'a Head,
}

#[derive(Template)]
#[template(path = "html/tool.html")]
struct Tool<'a> {
    page: &'a ToolPage,
    head: &'a Head,
}

#[derive(Template)]
#[template(path = "html/client.html")]
struct Client<'a> {
    page: &'a ClientPage,
    head: &'a Head,
}

#[derive(Template)]
#[template(path = "html/tools.html")]
struct Tools<'a> {
    page: &'a ToolList,
    head: &'a Head,
}

#[derive(Template)]
#[template(path = "html/clients.html")]
struct Clients<'a> {
    page: &'a ClientList,
    head: &'a Head,
}

#[derive(Template)]
#[template(path = "html/findings.html")]
struct Findings<'a> {
    page: &'a FindingList,
    head: &'a Head,
}

#[derive(Template)]
#[template(path = "html/night.html")]
struct NightTemplate<'a> {
    page: &'a NightPage,
    head: &'a Head,
}

#[derive(Template)]
#[template(path = "html/nights.html")]
struct Nights<'a> {
    page: &'a NightList,
    head: &'a Head,
}

#[derive(Template)]
#[template(path = "html/quality.html")]
struct Quality<'a> {
    page: &'a QualityPage,
    head: &'a Head,
}

#[derive(Template)]
#[template(path = "html/recovery.html")]
struct Recovery<'a> {
    page: &'a RecoveryPage,
    head: &'a Head,
}

#[derive(Template)]
#[template(path = "html/method.html")]
struct Method<'a> {
    page: &'a MethodPage,
    head: &'a Head,
}

/// Renders pages of one site, which share a style sheet and a script.
#[derive(Debug)]
pub struct Pages {
    head: Head,
}

impl Pages {
    /// Prepares the style sheet and the script.
    pub fn new(assets: Assets) -> Self {
        Self { head: Head::new(assets) }
    }

    /// The files that the pages ask for, by their paths from the site's top; none where the
    /// pages hold all they need.
    pub fn files(&self) -> Vec<(String, String)> {
        self.head.files()
    }

    /// The overview.
    pub fn overview(&self, page: &Overview) -> String {
        render(&Index { page, head: &self.head })
    }

    /// A tool's page.
    pub fn tool(&self, page: &ToolPage) -> String {
        render(&Tool { page, head: &self.head })
    }

    /// A client's page.
    pub fn client(&self, page: &ClientPage) -> String {
        render(&Client { page, head: &self.head })
    }

    /// A page of the list of tools.
    pub fn tools(&self, page: &ToolList) -> String {
        render(&Tools { page, head: &self.head })
    }

    /// The list of clients.
    pub fn clients(&self, page: &ClientList) -> String {
        render(&Clients { page, head: &self.head })
    }

    /// The list of findings.
    pub fn findings(&self, page: &FindingList) -> String {
        render(&Findings { page, head: &self.head })
    }

    /// A night's page.
    pub fn night(&self, page: &NightPage) -> String {
        render(&NightTemplate { page, head: &self.head })
    }

    /// The list of nights.
    pub fn nights(&self, page: &NightList) -> String {
        render(&Nights { page, head: &self.head })
    }

    /// The data-quality page.
    pub fn quality(&self, page: &QualityPage) -> String {
        render(&Quality { page, head: &self.head })
    }

    /// The page of recovery.
    pub fn recovery(&self, page: &RecoveryPage) -> String {
        render(&Recovery { page, head: &self.head })
    }

    /// The method page.
    pub fn method(&self, page: &MethodPage) -> String {
        render(&Method { page, head: &self.head })
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
