//! An earlier report to compare with, on the command line.

use std::path::PathBuf;

use clap::Args;

use super::{ExitCode, Failure};
use crate::figures::Rule;
use crate::report::baseline::{Baseline, BaselineError};

/// `--baseline` and what it is called.
#[derive(Debug, Clone, Args)]
pub(super) struct BaselineArgs {
    /// Compare with this earlier report.json and not with the period before
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// What the baseline is called, such as a branch or a release [default: its file's name]
    #[arg(long, value_name = "NAME", requires = "baseline")]
    baseline_name: Option<String>,
}

impl BaselineArgs {
    /// Reads the baseline and refuses one that was not made by each of `rules`.
    pub(super) fn read(&self, rules: &[Rule]) -> Result<Option<Baseline>, Failure> {
        let Some(path) = &self.baseline else { return Ok(None) };
        let baseline = Baseline::read(path, self.baseline_name.as_deref())?;
        rules.iter().try_for_each(|rule| baseline.require(*rule))?;
        Ok(Some(baseline))
    }
}

/// What was given cannot be compared with: the command asks for something that makes no sense.
impl From<BaselineError> for Failure {
    fn from(error: BaselineError) -> Self {
        Self::hinted(ExitCode::Usage, error.help(), error)
    }
}
