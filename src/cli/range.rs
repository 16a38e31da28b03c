//! A range of days on the command line.

use std::collections::BTreeMap;

use clap::Args;

use super::{ExitCode, Failure};
use crate::call::{Day, Name};
use crate::clock::{Clock, SystemClock};
use crate::config::{Config, Last};
use crate::report::{self, OfferedTool, Range, ReportInput};
use crate::store::{Store, StoreError};

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
    /// Reads what a report of the range is made of. A store that holds neither a call nor a
    /// covered day has nothing to report; one with calls has, even before the first pass.
    pub(super) fn read(&self, config: &Config) -> Result<ReportInput, Failure> {
        let range = self.over(config)?;
        let store = Store::open_configured(&config.store)?;
        let mut input = report::read(&store, range, SystemClock.now().day())?;
        input.offered = offered(declared(config), &store)?;
        input.releases = releases(config);
        if input.dates.as_of.is_none() && !input.has_calls_uncovered {
            let error = format!("no tool call has arrived in {} yet", store.place());
            let hint = "point an OTLP exporter at `firstcall serve`, \
                        or look at `firstcall demo` meanwhile";
            return Err(Failure::new(ExitCode::NothingToReport, error).with_hint(hint));
        }
        Ok(input)
    }

    /// The range that holds: the flags', else the configuration's.
    fn over(&self, config: &Config) -> Result<Range, Failure> {
        match (self.from, self.to) {
            (Some(from), Some(to)) => {
                in_order(from, to)?;
                Ok(Range::Between(from, to))
            }
            _ => Ok(Range::Last(self.last.unwrap_or(config.report.last).days())),
        }
    }
}

/// The tools that the configuration speaks of; it names no services, and a pattern is no tool.
pub(super) fn declared(config: &Config) -> Vec<OfferedTool> {
    let names = config.tools.iter().map(|(name, _)| name);
    let tool =
        |tool: &str| OfferedTool { service: None, tool: tool.to_owned(), schema_bytes: None };
    names.filter(|name| !name.contains(['*', '?'])).map(tool).collect()
}

/// What was released on which day, as the configuration tells.
pub(super) fn releases(config: &Config) -> BTreeMap<Day, Name> {
    let told = config.report.releases.iter();
    told.filter_map(|(day, name)| Some((day.as_str().parse().ok()?, Name::cut(name)))).collect()
}

/// Those, and the tools that servers say they offer, which tell more.
pub(super) fn offered(
    declared: Vec<OfferedTool>,
    store: &Store,
) -> Result<Vec<OfferedTool>, StoreError> {
    let mut offered: Vec<OfferedTool> = store
        .offered_tools()?
        .into_iter()
        .map(|imported| OfferedTool {
            service: imported.service.map(|service| service.as_str().to_owned()),
            tool: imported.tool.as_str().to_owned(),
            schema_bytes: imported.schema_bytes,
        })
        .collect();
    let is_new = |tool: &OfferedTool| offered.iter().all(|known| known.tool != tool.tool);
    let further: Vec<OfferedTool> = declared.into_iter().filter(is_new).collect();
    offered.extend(further);
    Ok(offered)
}

/// Refuses a range that ends before it begins: more likely a slip than a wish.
fn in_order(from: Day, to: Day) -> Result<(), Failure> {
    if from <= to {
        return Ok(());
    }
    let error = format!("the range ends before it begins: --from {from} --to {to}");
    Err(Failure::new(ExitCode::Usage, error).with_hint("give the earlier day with --from"))
}
