//! `firstcall import`: requests out of files, as if they had been received.

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
use crate::import::{self, Damage, ImportError, Imported, Listener, Place, Source};
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
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// Runs the command.
pub fn run(args: &ImportArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
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

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Open(..) => Self::new(ExitCode::Usage, error)
                .with_hint("nothing was imported; name files that can be read"),
            ImportError::Store(error @ StoreError::WriterRunning { .. }) => {
                Self::new(ExitCode::Store, error).with_hint(SERVING_HINT)
            }
            ImportError::Store(error) => error.into(),
            ImportError::Runtime(_) => Self::new(ExitCode::Unexpected, error),
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
