//! A range of days on the command line.

use clap::Args;

use super::{ExitCode, Failure};
use crate::call::Day;
use crate::config::{Config, Last};
use crate::report::Range;

/// `--last 7d`, or `--from` and `--to`.
#[derive(Debug, Clone, Args)]
pub struct RangeArgs {
    /// How many days up to the last covered one [default: 7d, or the configuration's]
    #[arg(long, value_name = "DAYS", conflicts_with_all = ["from", "to"])]
    pub last: Option<Last>,
    /// The first day, as YYYY-MM-DD (UTC)
    #[arg(long, value_name = "DAY", requires = "to")]
    pub from: Option<Day>,
    /// The last day, included
    #[arg(long, value_name = "DAY", requires = "from")]
    pub to: Option<Day>,
}

impl RangeArgs {
    /// The range that holds: the flags', else the configuration's.
    pub fn over(&self, config: &Config) -> Result<Range, Failure> {
        match (self.from, self.to) {
            (Some(from), Some(to)) => {
                in_order(from, to)?;
                Ok(Range::Between(from, to))
            }
            _ => Ok(Range::Last(self.last.unwrap_or(config.report.last).days())),
        }
    }
}

/// Refuses a range that ends before it begins: more likely a slip than a wish.
pub(super) fn in_order(from: Day, to: Day) -> Result<(), Failure> {
    if from <= to {
        return Ok(());
    }
    let error = format!("the range ends before it begins: --from {from} --to {to}");
    Err(Failure::new(ExitCode::Usage, error).with_hint("give the earlier day with --from"))
}
