//! `firstcall import`: what is kept already, as if it had been received: requests in files, and
//! the tables of an OpenTelemetry Collector in ClickHouse.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{ExitCode, Failure, Globals, tell};
use crate::call::Day;
use crate::call::hidden::plain;
use crate::clock::{Clock, SystemClock};
use crate::config::{ClickHouseOtel, Config, Last, ServerUrl, SqlName};
use crate::import::{self, Damage, ImportError, Imported, Listener, Place, Source, otel_tables};
use crate::store::StoreError;

/// Damaged parts of a file that are told one by one.
const TOLD: u64 = 20;

/// What to do while `firstcall serve` receives into the same folder.
const SERVING_HINT: &str = "\
one process at a time writes into a data folder: stop `firstcall serve`, import, and start it \
again (senders try again by themselves meanwhile); or import into a folder of its own with \
--data-dir";

/// Arguments of `firstcall import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Files of OTLP requests, as the Collector's file exporter writes them: JSON lines or
    /// protobuf behind lengths, plain, gzip or zstd; `-` is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Read the tables of an OpenTelemetry Collector's ClickHouse exporter on this server instead
    /// of files [default without files: the configuration's source.clickhouse_otel]
    #[arg(long, value_name = "URL", conflicts_with = "files")]
    clickhouse: Option<ServerUrl>,
    /// The database that holds the tables [default: default, or the configuration's]
    #[arg(long, value_name = "NAME", conflicts_with = "files")]
    database: Option<SqlName>,
    /// How many days of the tables to read, such as 30d [default: 7d, or the configuration's]
    #[arg(long, value_name = "DAYS", conflicts_with = "files")]
    since: Option<Last>,
}

/// What to do where neither files nor tables are named.
const NOTHING_NAMED_HINT: &str = "\
name files of OTLP requests, or a ClickHouse server with --clickhouse http://HOST:8123, or set \
source.clickhouse_otel in the configuration";

/// Runs the command.
pub fn run(args: &ImportArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
    if args.files.is_empty() {
        return import_tables(args, &config);
    }
    let sources: Vec<Source> = args.files.iter().map(|path| Source::of(path)).collect();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let mut progress = Progress::new(&sources);
    let imported = import::run(&sources, &config, &clock, &mut progress);
    progress.finish();
    let imported = imported?;
    tell(summary(&imported).trim_end());
    if imported.damaged > 0 {
        let error = format!("{} could not be read", counted(imported.damaged, "part", "parts"));
        let hint = "everything else was imported; once a file is whole, import it again: \
                    nothing is counted twice";
        return Err(Failure::new(ExitCode::DamagedInput, error).with_hint(hint));
    }
    Ok(())
}

/// Imports tables: those that the flags name, over those of the configuration.
fn import_tables(args: &ImportArgs, config: &Config) -> Result<(), Failure> {
    let configured = config.source.clickhouse_otel.clone();
    let mut tables = match (&args.clickhouse, configured) {
        (Some(url), Some(configured)) => ClickHouseOtel { url: url.clone(), ..configured },
        (Some(url), None) => ClickHouseOtel::at(url.clone()),
        (None, Some(configured)) => configured,
        (None, None) => {
            let error = "there is nothing to import: neither files nor tables are named";
            return Err(Failure::new(ExitCode::Usage, error).with_hint(NOTHING_NAMED_HINT));
        }
    };
    if let Some(database) = &args.database {
        tables.database = database.clone();
    }
    if let Some(since) = args.since {
        tables.since = since;
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let imported = otel_tables::run(&tables, config, &clock, &mut Told)?;
    tell(tables_summary(&imported).trim_end());
    Ok(())
}

/// Tells of each day of a table that brought something.
pub(super) struct Told;

impl otel_tables::Listener for Told {
    fn read(&mut self, table: &SqlName, day: Day, kept: u64) {
        if kept > 0 {
            tell(&format!("{day}: {} out of {table}", counted(kept, "call", "calls")));
        }
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Open(..) => Self::new(ExitCode::Usage, error)
                .with_hint("nothing was imported; name files that can be read"),
            ImportError::Store(error @ StoreError::WriterRunning { .. }) => {
                Self::new(ExitCode::Store, error).with_hint(SERVING_HINT)
            }
            ImportError::Store(error) => error.into(),
            ImportError::Tables(error) => {
                let help = error.help();
                Self::hinted(ExitCode::Configuration, Some(help), error)
            }
            ImportError::Runtime(_) | ImportError::Reading(_) => {
                Self::new(ExitCode::Unexpected, error)
            }
        }
    }
}

/// The summary, line by line.
fn summary(imported: &Imported) -> String {
    let Imported { requests, spans, kept, refused, days, closed_days, .. } = imported;
    let mut text = String::new();
    // Writing to a text cannot fail.
    let mut line = |what: &str, told: String| writeln!(text, "{what:<12}{told}").ok();
    line("requests", format!("{requests} taken"));
    for (times, what) in [
        (imported.known_requests, "imported before, left out"),
        (imported.metric_requests, "of metrics, dropped"),
        (imported.damaged, "damaged, left out"),
    ] {
        if times > 0 {
            line("", format!("{times} {what}"));
        }
    }
    line("spans", spans.to_string());
    if imported.log_records > 0 {
        line("log records", imported.log_records.to_string());
    }
    let of_days = match (days.first(), days.last()) {
        (Some(first), Some(last)) if first == last => format!(" of {first}"),
        (Some(first), Some(last)) => {
            format!(" of {}, {first} to {last}", counted(days.len() as u64, "day", "days"))
        }
        _ => String::new(),
    };
    line("tool calls", format!("{kept} kept{of_days}"));
    for (reason, times) in refused.iter().filter(|(_, times)| *times > 0) {
        line("", format!("{times} refused: {reason}"));
    }
    if let (Some(first), Some(last)) = (closed_days.keys().next(), closed_days.keys().last()) {
        line("closed days", format!("{first} to {last}: their figures can no longer change"));
    }
    if *kept > 0 {
        line("next", format!("`firstcall nightly` counts {}", days_to_count(days.iter())));
    }
    text
}

/// The same of tables.
fn tables_summary(imported: &Imported) -> String {
    let Imported { requests, spans, log_records, late, refused, days, closed_days, .. } = imported;
    let mut text = String::new();
    // Writing to a text cannot fail.
    let mut line = |what: &str, told: String| writeln!(text, "{what:<12}{told}").ok();
    line("minutes", format!("{requests} new or changed"));
    line("spans", spans.to_string());
    line("log records", log_records.to_string());
    let of_days = match (days.first(), days.last()) {
        (Some(first), Some(last)) => format!(", {first} to {last}"),
        _ => String::new(),
    };
    line("tool calls", format!("{} kept{of_days}", imported.calls()));
    if *late > 0 {
        line("", format!("{late} of them late: their minutes had been read before"));
    }
    for (reason, times) in refused.iter().filter(|(_, times)| *times > 0) {
        line("", format!("{times} refused: {reason}"));
    }
    if let (Some(first), Some(last)) = (closed_days.keys().next(), closed_days.keys().last()) {
        line("closed days", format!("{first} to {last}: their figures can no longer change"));
    }
    if imported.calls() > 0 {
        line("next", format!("`firstcall nightly` counts {}", days_to_count(days.iter())));
    } else {
        line("", "nothing new: what was read before is known by its minute".to_owned());
    }
    text
}

fn days_to_count<'d>(days: impl Iterator<Item = &'d Day>) -> &'static str {
    if days.count() == 1 { "the day" } else { "the days" }
}

fn counted(times: u64, one: &str, many: &str) -> String {
    format!("{times} {}", if times == 1 { one } else { many })
}

/// A bar on a terminal, a line for each file elsewhere, and a line for each damage.
struct Progress {
    bar: Option<ProgressBar>,
    done: u64,
    current: u64,
    told: u64,
    untold: u64,
}

impl Progress {
    fn new(sources: &[Source]) -> Self {
        let total = sources.iter().map(Source::size).sum();
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total);
            let template = "{bar:24} {binary_bytes:>10} of {binary_total_bytes}  {wide_msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, done: 0, current: 0, told: 0, untold: 0 }
    }

    fn tell(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(text)),
            None => tell(text),
        }
    }

    fn tell_untold(&mut self) {
        if self.untold > 0 {
            self.tell(&format!("  and {} more", self.untold));
        }
        (self.told, self.untold) = (0, 0);
    }

    fn finish(&mut self) {
        self.tell_untold();
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Listener for Progress {
    fn begin(&mut self, source: &Source) {
        self.tell_untold();
        self.done += std::mem::take(&mut self.current);
        let name = plain(&source.name());
        match &self.bar {
            Some(bar) => bar.set_message(name),
            None => tell(&format!("importing {name}")),
        }
    }

    fn advance(&mut self, bytes: u64) {
        self.current = bytes;
        if let Some(bar) = &self.bar {
            bar.set_position(self.done + bytes);
        }
    }

    fn damaged(&mut self, source: &Source, place: Place, damage: &Damage) {
        if self.told < TOLD {
            self.told += 1;
            self.tell(&format!("{}{place}: {damage}", plain(&source.name())));
        } else {
            self.untold += 1;
        }
    }
}
