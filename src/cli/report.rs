//! `firstcall report`: writes the site, and the same as Markdown, JSON and CSV.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::range::RangeArgs;
use super::{Failure, Globals, tell};
use crate::call::{Day, Name};
use crate::config::PageAssets;
use crate::report;

/// Arguments of `firstcall report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The folder to write; an earlier report in it is replaced in one step
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Where the pages' style sheet and script are: `inline` in every page; `files` beside them,
    /// for hosts that refuse what is inline; or `mail`, the style in every page and no script
    /// [default: report.assets, else inline]
    #[arg(long, value_name = "WHERE", value_enum)]
    assets: Option<AssetsArg>,
    /// What was released on which day, as 2026-11-24='orders 2.3', to mark it on the pages; may
    /// be given again
    #[arg(long, value_name = "DAY=NAME")]
    release: Vec<Release>,
    #[command(flatten)]
    range: RangeArgs,
}

/// What was released on which day.
#[derive(Debug, Clone)]
struct Release(Day, Name);

impl FromStr for Release {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (day, name) = text.split_once('=').unwrap_or((text, ""));
        match (day.parse(), name) {
            (Ok(day), name) if !name.is_empty() => Ok(Self(day, Name::cut(name))),
            _ => Err("expected a day and a name, such as 2026-11-24='orders 2.3'".to_owned()),
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum AssetsArg {
    Inline,
    Files,
    Mail,
}

impl From<AssetsArg> for PageAssets {
    fn from(arg: AssetsArg) -> Self {
        match arg {
            AssetsArg::Inline => Self::Inline,
            AssetsArg::Files => Self::Files,
            AssetsArg::Mail => Self::Mail,
        }
    }
}

impl From<PageAssets> for report::Assets {
    fn from(assets: PageAssets) -> Self {
        match assets {
            PageAssets::Inline => Self::Inline,
            PageAssets::Files => Self::Files,
            PageAssets::Mail => Self::Mail,
        }
    }
}

/// Runs the command.
pub fn run(args: &ReportArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
    let mut input = args.range.read(&config)?;
    let told = args.release.iter().map(|Release(day, name)| (*day, name.clone()));
    input.releases.extend(told);
    let assets = args.assets.map_or(config.report.assets, PageAssets::from);
    report::rewrite(&args.out, &input, assets.into())?;
    tell(&format!("wrote {}", args.out.join("index.html").display()));
    Ok(())
}
