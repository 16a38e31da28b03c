//! `firstcall summary`: the Markdown summary for a pull request, on standard output.

use clap::Args;

use super::range::RangeArgs;
use super::{Failure, Globals, print};
use crate::clock::{Clock, SystemClock};
use crate::report;
use crate::store::Store;

/// Arguments of `firstcall summary`.
#[derive(Debug, Args)]
pub struct SummaryArgs {
    #[command(flatten)]
    range: RangeArgs,
}

/// Runs the command.
pub fn run(args: &SummaryArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
    let store = Store::open(config.store.sqlite.data_dir.as_path())?;
    let today = SystemClock.now().day();
    let input = report::read(&store, args.range.over(&config)?, today)?;
    print(&report::pull_request_summary(&input))
}
