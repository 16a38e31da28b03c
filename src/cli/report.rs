//! `firstcall report`: writes the site, and the same as Markdown, JSON and CSV.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::range::RangeArgs;
use super::{Failure, Globals, tell};
use crate::report;

/// Arguments of `firstcall report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The folder to write; an earlier report in it is replaced in one step
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Where the pages' style sheet and script are: `inline` in every page, or `files` beside
    /// them, for hosts that refuse what is inline
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = AssetsArg::Inline)]
    assets: AssetsArg,
    #[command(flatten)]
    range: RangeArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum AssetsArg {
    Inline,
    Files,
}

impl From<AssetsArg> for report::Assets {
    fn from(arg: AssetsArg) -> Self {
        match arg {
            AssetsArg::Inline => Self::Inline,
            AssetsArg::Files => Self::Files,
        }
    }
}

/// Runs the command.
pub fn run(args: &ReportArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
    let input = args.range.read(&config)?;
    report::rewrite(&args.out, &input, args.assets.into())?;
    tell(&format!("wrote {}", args.out.join("index.html").display()));
    Ok(())
}
