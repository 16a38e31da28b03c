//! Report: figures of a range become pages.
//!
//! In comes a [`ReportInput`]; out goes a set of files: HTML, Markdown, JSON and CSV of the
//! same figures. `model` holds what each page says, in words and numbers; `html` and `markdown`
//! give it its form; `publish` is the only writer. The same input makes the same bytes: no
//! clock, no randomness, no path of this machine. It reads figures and never sightings.

pub mod assets;
pub mod chart;
pub mod csv;
pub mod dates;
pub mod html;
pub mod input;
pub mod json;
pub mod markdown;
pub mod markdown_escape;
pub mod model;
pub mod names;
pub mod publish;
pub mod site;
pub mod slug;

pub use assets::Assets;
pub use input::{Range, ReportInput, read};
pub use publish::{PublishError, publish};
pub use site::{SiteOptions, site, site_with};

/// The summary for a pull request, as Markdown.
pub fn pull_request_summary(input: &ReportInput) -> String {
    markdown::pull_request_summary(&model::Facts::of(input))
}
