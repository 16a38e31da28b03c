//! `firstcall report`: writes the site, and the same as Markdown, JSON and CSV.

use std::path::PathBuf;

use clap::Args;

use super::range::RangeArgs;
use super::{Failure, Globals, tell};
use crate::report;

/// Arguments of `firstcall report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The folder to write; an earlier report in it is replaced in one step
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    range: RangeArgs,
}

/// Runs the command.
pub fn run(args: &ReportArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
    let input = args.range.read(&config)?;
    let files = report::site(&input);
    report::publish(&args.out, files)?;
    tell(&format!("wrote {}", args.out.join("index.html").display()));
    Ok(())
}
