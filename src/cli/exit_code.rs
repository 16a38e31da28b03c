//! What the program's exit status means. The numbers are a promise: scripts rely on them.

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// It did what it was asked.
    Done = 0,
    /// It failed in a way that it has no number for.
    Unexpected = 1,
    /// The command line or the input asks for something that makes no sense.
    Usage = 2,
    /// The configuration cannot be used, or an address that it names.
    Configuration = 3,
    /// The data folder cannot be read or written.
    Store = 4,
    /// Another pass is running.
    PassRunning = 5,
    /// There is nothing to report.
    NothingToReport = 6,
    /// A gate was not met.
    GateNotMet = 7,
    /// A part of the input could not be read; the rest was taken.
    DamagedInput = 8,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}

/// The table as `--help` shows it.
pub const HELP: &str = "\
Exit codes:
  0  done
  1  unexpected failure
  2  wrong usage
  3  configuration, or an address that cannot be listened on
  4  store: the data folder cannot be read or written
  5  another pass is running
  6  nothing to report
  7  gate not met
  8  a part of the input could not be read; the rest was taken";
