//! `firstcall report`: writes the site, and the same as Markdown, JSON and CSV.

use std::path::PathBuf;

use clap::Args;

use super::range::RangeArgs;
use super::{Failure, Globals, tell};
use crate::clock::{Clock, SystemClock};
use crate::report;
use crate::store::Store;

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
    let store = Store::open(config.store.sqlite.data_dir.as_path())?;
    let today = SystemClock.now().day();
    let input = report::read(&store, args.range.over(&config)?, today)?;
    let files = report::site(&input);
    report::publish(&args.out, files)?;
    tell(&format!("wrote {}", args.out.join("index.html").display()));
    Ok(())
}
