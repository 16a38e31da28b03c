//! Report: figures of a range become pages.
//!
//! In comes a [`ReportInput`]; out goes a set of files: HTML, Markdown, JSON and CSV of the
//! same figures. `model` holds what each page says, in words and numbers; `html` and `markdown`
//! give it its form; `publish` is the only writer. The same input makes the same bytes: no
//! clock, no randomness, no path of this machine. It reads figures and never sightings.

pub mod assets;
pub mod badge;
pub mod baseline;
pub mod chart;
pub mod csv;
pub mod dates;
pub mod fold;
pub mod gate;
pub mod host;
pub mod html;
pub mod input;
pub mod json;
pub mod lines;
pub mod link;
pub mod markdown;
pub mod markdown_escape;
pub mod model;
pub mod names;
pub mod night;
pub mod publish;
mod read;
pub mod site;
pub mod slug;

use std::path::Path;

pub use assets::Assets;
pub use fold::Fold;
pub use host::{Host, SummaryOptions};
pub use input::{Dates, OfferedTool, Range, ReportInput};
pub use publish::{PublishError, publish};
pub use read::read;
pub use site::{SiteOptions, site, site_with, write_site};

/// Makes the site of `input` and publishes it at `dir`, beside the nights that are kept there.
/// Gives the number of its files.
pub fn rewrite(dir: &Path, input: &ReportInput, assets: Assets) -> Result<usize, PublishError> {
    let options = SiteOptions { assets, nights_kept: publish::nights_kept(dir) };
    publish::publish_each(dir, |writer| write_site(input, &options, writer))
}

/// The whole summary for a pull request on GitHub, as Markdown.
pub fn pull_request_summary(input: &ReportInput) -> String {
    let options = SummaryOptions { is_always: true, ..SummaryOptions::default() };
    summary(input, None, &options)
}

/// The summary for a pull request, against a baseline or else the period before, as Markdown.
pub fn summary(
    input: &ReportInput,
    baseline: Option<&baseline::Baseline>,
    options: &SummaryOptions,
) -> String {
    let facts = match baseline {
        Some(baseline) => model::Facts::against(input, baseline),
        None => model::Facts::of(input),
    };
    markdown::pull_request_summary(&facts, options)
}
