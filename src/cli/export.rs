//! `firstcall export`: the calls of a day, one a line, without hashes.

use std::io::{self, BufWriter, Write};

use clap::{Args, Subcommand, ValueEnum};

use super::{ExitCode, Failure, Globals};
use crate::call::Day;
use crate::nightly::{self, ExportedCall, Terms};
use crate::store::Store;

/// Arguments of `firstcall export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print the calls of a day, one a line, without hashes
    Calls(CallsArgs),
}

/// Arguments of `firstcall export calls`.
#[derive(Debug, Args)]
struct CallsArgs {
    /// The day, as YYYY-MM-DD (UTC); it need not be covered
    #[arg(long, value_name = "DAY")]
    day: Day,
    /// How a call is written
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    format: ExportFormat,
}

/// How calls are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// One JSON object a line
    Jsonl,
    /// Comma-separated values with a header
    Csv,
}

/// Runs the command.
pub fn run(args: &ExportArgs, globals: &Globals) -> Result<(), Failure> {
    let What::Calls(args) = &args.what;
    let config = globals.load()?;
    let store = Store::open_configured(&config.store)?;
    let stdout = BufWriter::new(io::stdout().lock());
    let mut lines = match args.format {
        ExportFormat::Jsonl => Lines::Jsonl(stdout),
        ExportFormat::Csv => Lines::Csv(Box::new(csv::Writer::from_writer(stdout))),
    };
    let mut written: io::Result<u64> = Ok(0);
    let terms = Terms::inferring(config.sessions.infer);
    nightly::export_calls(&store, terms, args.day, &mut |call| {
        if let Ok(count) = &mut written {
            match lines.write(call) {
                Ok(()) => *count += 1,
                Err(error) => written = Err(error),
            }
        }
    })?;
    match written.and_then(|count| lines.flush().map(|()| count)) {
        Ok(0) => {
            let error = format!("no call started on {}", args.day);
            Err(Failure::new(ExitCode::NothingToReport, error)
                .with_hint("days are UTC; `firstcall report` shows which days have calls"))
        }
        // A reader that went away early, such as `head`, has had what it wanted.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        Ok(_) | Err(_) => Ok(()),
    }
}

enum Lines<W: Write> {
    Jsonl(W),
    Csv(Box<csv::Writer<W>>),
}

impl<W: Write> Lines<W> {
    fn write(&mut self, call: ExportedCall) -> io::Result<()> {
        match self {
            Self::Jsonl(out) => {
                serde_json::to_writer(&mut *out, &call)?;
                out.write_all(b"\n")
            }
            Self::Csv(out) => out.serialize(guarded(call)).map_err(io::Error::from),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Jsonl(out) => out.flush(),
            Self::Csv(out) => out.flush(),
        }
    }
}

/// Names come from telemetry: one that a spreadsheet would take for a formula gets an
/// apostrophe before it.
fn guarded(mut call: ExportedCall) -> ExportedCall {
    let names = [Some(&mut call.service), call.tool.as_mut(), Some(&mut call.client)];
    let further = [call.client_version.as_mut(), Some(&mut call.dialect)];
    for name in names.into_iter().chain(further).flatten() {
        if name.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
            name.insert(0, '\'');
        }
    }
    call
}
