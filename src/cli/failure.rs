//! An error on its way out of the program: what to print, and the exit status.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use super::exit_code::ExitCode;
use crate::config::ConfigError;
use crate::report::PublishError;
use crate::store::StoreError;

/// An error with its hint and exit code.
#[derive(Debug)]
pub struct Failure {
    code: ExitCode,
    error: Box<dyn Error + Send + Sync>,
    hint: Option<String>,
}

impl Failure {
    /// A failure with nothing more to say than `error`.
    pub fn new(code: ExitCode, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { code, error: error.into(), hint: None }
    }

    /// A failure with what to do about it.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A failure that knows or does not know what to do about it.
    pub fn hinted(
        code: ExitCode,
        hint: Option<&str>,
        error: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self { hint: hint.map(str::to_owned), ..Self::new(code, error) }
    }

    /// The exit code.
    pub const fn code(&self) -> ExitCode {
        self.code
    }

    /// Prints the error, its causes and the hint to standard error.
    pub fn print(&self) {
        // When standard error is gone there is nobody left to tell.
        write!(io::stderr(), "{self}").ok();
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", self.error)?;
        let mut cause = self.error.source();
        while let Some(error) = cause {
            writeln!(f, "  caused by: {error}")?;
            cause = error.source();
        }
        if let Some(hint) = &self.hint {
            writeln!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::hinted(ExitCode::Configuration, error.help(), error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::PassRunning { .. } | StoreError::LeaseLost => ExitCode::PassRunning,
            StoreError::NothingThere { .. } => ExitCode::NothingToReport,
            _ => ExitCode::Store,
        };
        Self::hinted(code, error.help(), error)
    }
}

impl From<PublishError> for Failure {
    fn from(error: PublishError) -> Self {
        Self::hinted(ExitCode::Unexpected, error.help(), error)
    }
}

/// Standard output could not be written: the reader went away, or the disk is full.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(ExitCode::Unexpected, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot open `x`")]
    struct Outer(#[source] io::Error);

    #[test]
    fn error_causes_and_hint_are_printed_in_that_order() {
        let failure = Failure::new(ExitCode::Store, Outer(io::Error::other("no such disk")))
            .with_hint("plug it in");
        let text = "error: cannot open `x`\n  caused by: no such disk\n\nhint: plug it in\n";
        assert_eq!(failure.to_string(), text);
    }
}
