//! The command line: types, one file per command, and what all of them share.
//!
//! Data goes to standard output and nothing else does. Whatever is meant for the person at the
//! terminal goes to standard error.

mod baseline;
pub mod check;
pub mod config;
mod declared;
pub mod demo;
pub mod doctor;
pub mod exit_code;
mod explain;
pub mod export;
pub mod failure;
pub mod hash;
pub mod import;
pub mod logging;
pub mod nightly;
mod nights;
pub mod range;
pub mod report;
pub mod schema;
pub mod serve;
pub mod summary;
pub mod tools;

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub use exit_code::ExitCode;
pub use failure::Failure;
use logging::{LogFormat, LogLevel};

use crate::config::Config;

/// Tells, every night, whether models understood your tools the first time.
///
/// firstcall receives OpenTelemetry spans of tool calls, keeps a fingerprint of each call and
/// nothing of its content, and finds the calls that a model had to word again.
#[derive(Debug, Parser)]
#[command(name = "firstcall", version, after_help = exit_code::HELP, after_long_help = exit_code::HELP)]
#[command(subcommand_required = true, arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Command,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Globals {
    /// The configuration file (YAML)
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "FIRSTCALL_CONFIG",
        hide_env_values = true
    )]
    pub config: Option<PathBuf>,
    /// The data folder [default: ./firstcall-data, or the configuration's]
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "FIRSTCALL_DATA_DIR",
        hide_env_values = true
    )]
    pub data_dir: Option<PathBuf>,
    /// How much is logged to standard error [default: info for serve, warn otherwise]
    #[arg(
        long,
        global = true,
        value_name = "LEVEL",
        env = "FIRSTCALL_LOG_LEVEL",
        hide_env_values = true
    )]
    pub log_level: Option<LogLevel>,
    /// How log lines are written
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        env = "FIRSTCALL_LOG_FORMAT",
        hide_env_values = true,
        default_value = "text"
    )]
    pub log_format: LogFormat,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Receive spans, run the pass every night, rewrite the reports after it
    Serve(serve::ServeArgs),
    /// Tell what has arrived lately, what it lacks, and what would mend it
    Doctor(doctor::DoctorArgs),
    /// Take in what is kept already: files of requests, or a Collector's tables in ClickHouse
    Import(import::ImportArgs),
    /// Run the pass now, beside a running server
    Nightly(nightly::NightlyArgs),
    /// Write the report: HTML, Markdown, JSON and CSV
    Report(report::ReportArgs),
    /// Print the Markdown summary for a pull request
    Summary(summary::SummaryArgs),
    /// Tell by the exit code whether the figures come up to what is asked
    Check(check::CheckArgs),
    /// Write the calls of a day, without hashes
    Export(export::ExportArgs),
    /// Print the args_hash of the JSON on standard input
    Hash(hash::HashArgs),
    /// Play two weeks of agent traffic through the whole program and look at the report
    Demo(demo::DemoArgs),
    /// Keep what servers say they offer
    Tools(tools::ToolsArgs),
    /// Print the tables of a store in a database
    Schema(schema::SchemaArgs),
    /// Check or print the configuration
    Config(config::ConfigArgs),
}

impl Globals {
    /// The configuration that holds: the file's, with the data folder's flag over it.
    pub fn load(&self) -> Result<Config, Failure> {
        let mut config = match &self.config {
            Some(path) => Config::load(path)?,
            None => Config::default(),
        };
        if let Some(data_dir) = &self.data_dir {
            config.store.set_folder(data_dir);
        }
        Ok(config)
    }
}

/// Reads the command line, does what it says, and tells how that ended.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Asking for help is no error and goes to standard output; clap knows which is which.
            error.print().ok();
            return if error.use_stderr() { ExitCode::Usage } else { ExitCode::Done };
        }
    };
    // The panic hook has told where by then.
    let ended = catch_unwind(AssertUnwindSafe(|| cli.command.run(&cli.globals)));
    match ended {
        Ok(Ok(())) => ExitCode::Done,
        Ok(Err(failure)) => {
            failure.print();
            failure.code()
        }
        Err(_panic) => ExitCode::Unexpected,
    }
}

impl Command {
    fn run(self, globals: &Globals) -> Result<(), Failure> {
        let usual = if matches!(self, Self::Serve(_)) { LogLevel::Info } else { LogLevel::Warn };
        logging::start(globals.log_level.unwrap_or(usual), globals.log_format);
        match self {
            Self::Serve(args) => serve::run(&args, globals),
            Self::Doctor(args) => doctor::run(&args, globals),
            Self::Import(args) => import::run(&args, globals),
            Self::Nightly(args) => nightly::run(&args, globals),
            Self::Report(args) => report::run(&args, globals),
            Self::Summary(args) => summary::run(&args, globals),
            Self::Check(args) => check::run(&args, globals),
            Self::Export(args) => export::run(&args, globals),
            Self::Hash(args) => hash::run(&args),
            Self::Demo(args) => demo::run(&args),
            Self::Tools(args) => tools::run(&args, globals),
            Self::Schema(args) => schema::run(&args),
            Self::Config(args) => config::run(&args, globals),
        }
    }
}

/// Writes data to standard output. A reader that went away early, such as `head`, is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Tells the person at the terminal something, on standard error.
pub(crate) fn tell(text: &str) {
    // When standard error is gone there is nobody left to tell.
    writeln!(io::stderr(), "{text}").ok();
}
