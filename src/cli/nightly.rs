//! `firstcall nightly`: the pass by hand, beside a running server.

use std::sync::Arc;

use clap::Args;

use super::{ExitCode, Failure, Globals, declared, explain, tell};
use crate::call::Day;
use crate::clock::{Clock, SystemClock};
use crate::config::Config;
use crate::exporters;
use crate::figures::format::plural;
use crate::import::{ImportError, otel_tables};
use crate::nightly::{self, DayPassed, DaysToRun, NightlyError, PassEvent, Terms};
use crate::report::{self, Range};
use crate::store::{Store, StoreError};

/// Arguments of `firstcall nightly`.
#[derive(Debug, Args)]
pub struct NightlyArgs {
    /// Run this day, whether it is due or not, as YYYY-MM-DD (UTC)
    #[arg(long, value_name = "DAY", conflicts_with_all = ["from", "to"])]
    day: Option<Day>,
    /// Run the days from this one on
    #[arg(long, value_name = "DAY", requires = "to")]
    from: Option<Day>,
    /// Run the days up to this one, included
    #[arg(long, value_name = "DAY", requires = "from")]
    to: Option<Day>,
    /// Print how each call of this tool was judged on --day, else on the last covered day; runs
    /// and changes nothing
    #[arg(long, value_name = "TOOL", conflicts_with_all = ["from", "to"])]
    explain: Option<String>,
    /// Only the calls of this client
    #[arg(long, value_name = "CLIENT", requires = "explain")]
    client: Option<String>,
}

/// Runs the command.
pub fn run(args: &NightlyArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
    let is_due = args.day.is_none() && args.from.is_none() && args.explain.is_none();
    let tables_failed = if is_due { read_tables(&config) } else { None };
    let store = Store::open_configured(&config.store)?;
    let declared = declared::of(&config.tools);
    let terms = Terms::inferring(config.sessions.infer);
    if let Some(tool) = &args.explain {
        let question = (tool.clone(), args.client.clone(), args.day);
        return explain::print_calls(&store, terms, &declared, question);
    }
    let days = match (args.day, args.from, args.to) {
        (Some(day), ..) => DaysToRun::Range { from: day, to: day },
        (None, Some(from), Some(to)) => DaysToRun::Range { from, to },
        _ => DaysToRun::Due,
    };
    let pass = nightly::run_under(&store, terms, &declared, days, &SystemClock, &mut |event| {
        if let PassEvent::Published(day) = event {
            tell(&told(&day));
        }
    })?;
    for day in &pass.kept {
        tell(&format!("{day}: its sightings are no longer kept; its figures stay as they are"));
    }
    let erased = match nightly::erase(&store, config.nightly.restate_days, &SystemClock) {
        // It began in between, and erases when it is done; this one has done what it was asked.
        Err(NightlyError::Store(StoreError::PassRunning { .. })) => Vec::new(),
        erased => erased?,
    };
    if let (Some(first), Some(last)) = (erased.first(), erased.last()) {
        tell(&format!(
            "{first} to {last}: the sightings of {} {} can no longer be restated and are erased; the \
             figures stay",
            erased.len(),
            plural(erased.len() as u64, "day", "days"),
        ));
    }
    if pass.days.is_empty() && pass.failed.is_empty() {
        tell("nothing to do: every day that is over is covered");
    }
    send(&config, &store);
    // The others are covered by now; the first trouble decides how the command ended.
    match pass.failed.into_iter().next() {
        None => tables_failed.map_or(Ok(()), Err),
        Some((_, error)) => Err(error.into()),
    }
}

/// Reads the configured tables first, so that the pass counts what they brought. What keeps it from
/// being read does not keep the pass from what is there.
fn read_tables(config: &Config) -> Option<Failure> {
    let tables = config.source.clickhouse_otel.as_ref()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    match otel_tables::run(tables, config, &clock, &mut super::import::Told) {
        Ok(imported) => {
            tell(&format!(
                "{} calls new out of the tables of {}",
                imported.calls(),
                tables.database
            ));
            None
        }
        // That server reads them itself.
        Err(ImportError::Store(StoreError::WriterRunning { .. })) => {
            tell("the tables of source.clickhouse_otel are read by `firstcall serve`, which runs");
            None
        }
        Err(error) => {
            tell(&format!("warning: the tables of source.clickhouse_otel were not read: {error}"));
            Some(error.into())
        }
    }
}

/// Sends the figures as metrics where that is wanted; a receiver that is not there is told and
/// changes nothing else.
fn send(config: &Config, store: &Store) {
    if config.exporters.otlp.endpoint.is_none() {
        return;
    }
    let range = Range::Last(config.report.last.days());
    let input = match report::read(store, range, SystemClock.now().day()) {
        Ok(input) => input,
        Err(error) => return tell(&format!("warning: no figures were sent: {error}")),
    };
    match exporters::send(&config.exporters.otlp, &input.now, input.dates.as_of) {
        Ok(sent) if sent.points > 0 => {
            tell(&format!("sent {} figures as metrics", sent.points));
        }
        Ok(_) => {}
        Err(error) => {
            let cause = std::error::Error::source(&error);
            let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
            let help = error.help();
            tell(&format!("warning: the figures were not sent: {error}{cause}; {help}"));
        }
    }
}

fn told(passed: &DayPassed) -> String {
    let DayPassed { day, calls, judged, late, is_again, .. } = passed;
    let verb = if *is_again { "covered again" } else { "covered" };
    let late = if *late == 0 { String::new() } else { format!(", {late} of them late") };
    let noun = plural(*calls, "call", "calls");
    format!("{day}: {verb}; {calls} {noun}{late}, {judged} judged")
}

impl From<NightlyError> for Failure {
    fn from(error: NightlyError) -> Self {
        match error {
            NightlyError::Store(error) => error.into(),
            NightlyError::Days(_) => Self::hinted(ExitCode::Usage, error.help(), error),
            NightlyError::Scratch { .. } | NightlyError::Answer | NightlyError::Mismatch(_) => {
                Self::hinted(ExitCode::Store, error.help(), error)
            }
        }
    }
}
