//! Log lines: what happens, to standard error, as text or JSON.
//!
//! Only firstcall's own lines are written. Libraries log what they were given, at some level,
//! and what they were given may be content.

use std::io;
use std::panic::PanicHookInfo;

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// What a person must act on.
    Error,
    /// What went wrong and was mended.
    Warn,
    /// Start, stop, each night with its counts.
    Info,
    /// Each request.
    Debug,
    /// Each span, never its values.
    Trace,
}

/// How a log line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One line for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Starts logging for the whole program; later calls change nothing.
pub fn start(level: LogLevel, format: LogFormat) {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let ours = Targets::new().with_target("firstcall", level);
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false);
    let started = match format {
        LogFormat::Text => {
            tracing_subscriber::registry().with(lines.with_target(false)).with(ours).try_init()
        }
        LogFormat::Json => tracing_subscriber::registry()
            .with(lines.json().flatten_event(true))
            .with(ours)
            .try_init(),
    };
    // A second start in one process is a test's business and does no harm.
    started.ok();
    std::panic::set_hook(Box::new(report_panic));
}

/// Tells where the program broke, and no more: a panic's message may quote what it choked on.
fn report_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map_or_else(|| "unknown place".to_owned(), ToString::to_string);
    tracing::error!(place, "a defect in firstcall: panicked at {place}");
}
