//! `firstcall report`: writes the site, and the same as Markdown, JSON and CSV.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::range::RangeArgs;
use super::{Failure, Globals, tell};
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
    #[command(flatten)]
    range: RangeArgs,
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
    let input = args.range.read(&config)?;
    let assets = args.assets.map_or(config.report.assets, PageAssets::from);
    report::rewrite(&args.out, &input, assets.into())?;
    tell(&format!("wrote {}", args.out.join("index.html").display()));
    Ok(())
}
