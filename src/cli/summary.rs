//! `firstcall summary`: the Markdown summary for a pull request, on standard output.

use clap::Args;

use super::range::RangeArgs;
use super::{Failure, Globals, print};
use crate::report;

/// Arguments of `firstcall summary`.
#[derive(Debug, Args)]
pub struct SummaryArgs {
    #[command(flatten)]
    range: RangeArgs,
}

/// Runs the command.
pub fn run(args: &SummaryArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
    let input = args.range.read(&config)?;
    print(&report::pull_request_summary(&input))
}
