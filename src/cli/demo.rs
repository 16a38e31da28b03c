//! `firstcall demo`: the whole path in one command.

use std::path::PathBuf;

use clap::Args;

use super::{ExitCode, Failure, print, tell};
use crate::clock::SystemClock;
use crate::demo::progress::Progress;
use crate::demo::{self, DemoError};

/// Arguments of `firstcall demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// The folder to play in; an earlier demo in it is replaced
    #[arg(long, value_name = "DIR", default_value = "./firstcall-demo")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &DemoArgs) -> Result<(), Failure> {
    let progress = Progress::start();
    let finished = demo::run(&args.out, &SystemClock, &progress);
    progress.finish();
    let finished = finished?;
    print(&finished.summary)?;
    tell(&format!(
        "\n{} spans were sent, {} days are covered.\n\n  the report   {}\n  as Markdown  {}\n  \
         its data     {}\n\nPlay with it: firstcall summary --data-dir {}",
        finished.spans,
        finished.days,
        finished.report.join("index.html").display(),
        finished.report.join("README.md").display(),
        finished.report.join("report.json").display(),
        finished.data_dir.display(),
    ));
    Ok(())
}

impl From<DemoError> for Failure {
    fn from(error: DemoError) -> Self {
        match error {
            DemoError::NotOurs(_) => Self::new(ExitCode::Usage, error)
                .with_hint("give an empty or new folder with --out"),
            DemoError::Folder { .. } => Self::new(ExitCode::Store, error)
                .with_hint("give a folder that can be written with --out"),
            DemoError::Server(error) => error.into(),
            DemoError::Nightly(error) => error.into(),
            DemoError::Store(error) => error.into(),
            DemoError::Publish(error) => error.into(),
            DemoError::Exporter(_)
            | DemoError::Export(_)
            | DemoError::NoProgram(_)
            | DemoError::Arguments(_) => Self::new(ExitCode::Unexpected, error),
        }
    }
}
