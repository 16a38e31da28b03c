//! What can go wrong with the data folder, each with what to do about it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::call::{Day, UnixNanos};

/// Why the store could not do what it was asked. Names files, never what is in them.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The data folder's path leads to something else.
    #[error("`{}` is not a folder", .path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// The folder holds no firstcall data.
    #[error("no firstcall data in `{}`", .path.display())]
    NothingThere {
        /// The folder.
        path: PathBuf,
    },
    /// Another connection held the file's lock for longer than the store waits.
    #[error("`{}` is locked by another program", .file.display())]
    Locked {
        /// The file.
        file: PathBuf,
    },
    /// The disk, or the size that the file may have, is used up.
    #[error("no space left to write `{}`", .file.display())]
    Full {
        /// The file.
        file: PathBuf,
    },
    /// The file or its folder may not be written.
    #[error("no permission to write `{}`", .file.display())]
    ReadOnly {
        /// The file or folder.
        file: PathBuf,
    },
    /// The file's content is damaged.
    #[error("`{}` is damaged: {damage}", .file.display())]
    Corrupt {
        /// The file.
        file: PathBuf,
        /// What was found.
        damage: Damage,
    },
    /// The file is a sound database of some other program.
    #[error("`{}` is a database that firstcall did not make", .file.display())]
    NotOurs {
        /// The file.
        file: PathBuf,
    },
    /// The file was written by a newer firstcall. It is left alone.
    #[error("`{}` has schema version {found}, this firstcall knows up to {known}", .file.display())]
    TooNew {
        /// The file.
        file: PathBuf,
        /// The file's schema version.
        found: u32,
        /// The newest version that this program knows.
        known: u32,
    },
    /// Another pass is running.
    #[error("another pass is running: {owner}{}", since_text(*.since))]
    PassRunning {
        /// Who runs it, in its own words.
        owner: String,
        /// Since when, where it is known.
        since: Option<UnixNanos>,
    },
    /// Another process receives into this data folder.
    #[error("another firstcall receives into `{}`{}", .path.display(), pid_text(*.pid))]
    WriterRunning {
        /// The data folder.
        path: PathBuf,
        /// The other process, where it is known.
        pid: Option<u32>,
    },
    /// The writer was closed, or its thread died.
    #[error("the store's writer has stopped")]
    WriterStopped,
    /// A covered day's sightings are no longer there, so its figures cannot be made again.
    #[error("the sightings behind the figures of {day} are no longer kept")]
    SightingsGone {
        /// The day.
        day: Day,
    },
    /// The server cannot be reached, or the connection to it broke.
    #[error("cannot reach {place}")]
    Unreachable {
        /// The database's place.
        place: String,
        /// The cause.
        #[source]
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// The server took longer than the store waits. What it was sent may still be done.
    #[error("{place} did not answer in time")]
    TooSlow {
        /// The database's place.
        place: String,
    },
    /// The server refused what it was asked.
    #[error("{place} refused{}", refusal_text(*.code, .name.as_deref()))]
    Refused {
        /// The database's place.
        place: String,
        /// ClickHouse's number of the error.
        code: Option<u32>,
        /// ClickHouse's name of the error.
        name: Option<String>,
    },
    /// What the server answered cannot be understood.
    #[error("the answer of {place} cannot be understood: {what}")]
    Answer {
        /// The database's place.
        place: String,
        /// What kind of trouble it is.
        what: String,
    },
    /// The database or its tables are not there.
    #[error("{place} does not hold firstcall's tables")]
    NoSchema {
        /// The database's place.
        place: String,
    },
    /// The tables are those of another version.
    #[error("{place} has schema version {found}, this firstcall knows {known}")]
    OtherSchema {
        /// The database's place.
        place: String,
        /// The schema's version.
        found: u32,
        /// The version that this program knows.
        known: u32,
    },
    /// The environment variable that should hold the password does not.
    #[error("the environment variable `{variable}` holds no password")]
    NoPassword {
        /// The variable.
        variable: String,
    },
    /// The secret that was given is not the one that others use with this database.
    #[error("the secret of this firstcall is not the one that {place} was begun with")]
    OtherSecret {
        /// The database's place.
        place: String,
    },
    /// Another pass began because this one had not renewed its right for too long.
    #[error("the right to this pass was lost to another one")]
    LeaseLost,
    /// The operating system failed to read or write.
    #[error("failed to use `{}`", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Arc<io::Error>,
    },
    /// SQLite failed in a way that has no name of its own here.
    #[error("failed to use the database `{}`", .file.display())]
    Database {
        /// The file.
        file: PathBuf,
        /// The cause.
        #[source]
        source: Arc<rusqlite::Error>,
    },
}

/// What is wrong with a damaged file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// SQLite cannot make sense of the file.
    #[error("it is no sound SQLite database")]
    Database,
    /// A batch of sightings does not match its checksum or form.
    #[error("batch {0} does not match its checksum")]
    Batch(i64),
    /// A write-ahead log was damaged within; what remained was taken, the log was kept aside.
    #[error("it is a log of which commits were lost; what is left of them was taken")]
    Log,
    /// A value in a table is none that this program writes.
    #[error("column `{0}` holds a value that firstcall never writes")]
    Column(&'static str),
    /// The installation's secret does not have its length.
    #[error("it does not hold 32 bytes")]
    Secret,
}

impl StoreError {
    /// What a person can do about it.
    pub const fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotAFolder { .. } => "name a folder with --data-dir or FIRSTCALL_DATA_DIR",
            Self::NothingThere { .. } => {
                "run `firstcall serve` first, or name the folder with --data-dir or FIRSTCALL_DATA_DIR"
            }
            Self::Locked { .. } => {
                "close the program that has the file open for writing, then try again"
            }
            Self::Full { .. } => {
                "free disk space or delete old files in `sightings`; senders try again by themselves"
            }
            Self::ReadOnly { .. } => {
                "give the user that runs firstcall write access, or name another folder with --data-dir"
            }
            Self::Corrupt { .. } => {
                "move the file out of the data folder or put a backup in its place; the other files stay usable"
            }
            Self::NotOurs { .. } => "name another folder with --data-dir",
            Self::TooNew { .. } => "use the newer firstcall; the file was left unchanged",
            Self::PassRunning { .. } => "wait until it is done",
            Self::WriterRunning { .. } => {
                "stop the other one, or give this one its own folder with --data-dir"
            }
            Self::SightingsGone { .. } => "the figures published before stay as they are",
            Self::WriterStopped => "restart `firstcall serve`",
            Self::Unreachable { .. } | Self::TooSlow { .. } => {
                "check that the server runs and can be reached; senders try again by themselves"
            }
            Self::Refused { .. } => {
                "the number and name are ClickHouse's own; check user, password and grants, and the server's log"
            }
            Self::Answer { .. } => {
                "check that the address is a ClickHouse server's HTTP interface, and its version"
            }
            Self::NoSchema { .. } => {
                "make them with what `firstcall schema clickhouse` prints, or set store.clickhouse.create_schema and start `firstcall serve`"
            }
            Self::OtherSchema { .. } => "use the firstcall whose schema it is; nothing was changed",
            Self::NoPassword { .. } => {
                "set the variable, or name another with store.clickhouse.password_env"
            }
            Self::OtherSecret { .. } => "give all receivers the same store.clickhouse.secret_file",
            Self::LeaseLost => "the other pass does the work; nothing was published twice",
            Self::Io { .. } | Self::Database { .. } => {
                "check the disk, and that the user that runs firstcall may read and write the data folder"
            }
        })
    }

    /// Whether the same can succeed later without being changed: the fault is the store's, and a
    /// sender should keep what it sent and try again. True of everything that a commit returns.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Locked { .. }
            | Self::Full { .. }
            | Self::ReadOnly { .. }
            | Self::Corrupt { .. }
            | Self::NotOurs { .. }
            | Self::TooNew { .. }
            | Self::PassRunning { .. }
            | Self::WriterStopped
            | Self::Unreachable { .. }
            | Self::TooSlow { .. }
            | Self::Refused { .. }
            | Self::Answer { .. }
            | Self::NoSchema { .. }
            | Self::OtherSchema { .. }
            | Self::Io { .. }
            | Self::Database { .. } => true,
            Self::NotAFolder { .. }
            | Self::NothingThere { .. }
            | Self::WriterRunning { .. }
            | Self::NoPassword { .. }
            | Self::OtherSecret { .. }
            | Self::LeaseLost
            | Self::SightingsGone { .. } => false,
        }
    }

    /// An error of the operating system about `path`.
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { file: path }
            }
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::Full { file: path },
            io::ErrorKind::NotADirectory => Self::NotAFolder { path },
            _ => Self::Io { path, source: Arc::new(source) },
        }
    }

    /// An error of SQLite about `file`.
    pub(super) fn sqlite(file: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let file = file.to_path_buf();
        // The log's index could not grow: the disk is full, though SQLite does not say so.
        if matches!(source, rusqlite::Error::SqliteFailure(error, _)
            if error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
        {
            return Self::Full { file };
        }
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { file },
            Some(ErrorCode::DiskFull) => Self::Full { file },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly { file },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Corrupt { file, damage: Damage::Database }
            }
            Some(ErrorCode::SystemIoFailure) => {
                Self::Io { path: file, source: Arc::new(io::Error::other(source)) }
            }
            _ => Self::Database { file, source: Arc::new(source) },
        }
    }
}

fn pid_text(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" (process {pid})"))
}

fn refusal_text(code: Option<u32>, name: Option<&str>) -> String {
    let code = code.map_or_else(String::new, |code| format!(": error {code}"));
    let name = name.map_or_else(String::new, |name| format!(" ({name})"));
    format!("{code}{name}")
}

fn since_text(since: Option<UnixNanos>) -> String {
    let time = since
        .and_then(|since| i64::try_from(since.get()).ok())
        .map(chrono::DateTime::from_timestamp_nanos);
    time.map_or_else(String::new, |time| {
        format!(", since {}", time.format("%Y-%m-%d %H:%M:%S UTC"))
    })
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use rusqlite::ffi;

    use super::*;

    fn of_sqlite(code: i32) -> StoreError {
        let failure = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        StoreError::sqlite(Path::new("day.sqlite"), failure)
    }

    #[test]
    fn each_trouble_of_the_disk_has_its_own_name() {
        assert!(matches!(of_sqlite(ffi::SQLITE_BUSY), StoreError::Locked { .. }));
        assert!(matches!(of_sqlite(ffi::SQLITE_FULL), StoreError::Full { .. }));
        assert!(matches!(of_sqlite(ffi::SQLITE_IOERR_SHMSIZE), StoreError::Full { .. }));
        assert!(matches!(of_sqlite(ffi::SQLITE_READONLY_DBMOVED), StoreError::ReadOnly { .. }));
        assert!(matches!(of_sqlite(ffi::SQLITE_CORRUPT), StoreError::Corrupt { .. }));
        assert!(matches!(of_sqlite(ffi::SQLITE_NOTADB), StoreError::Corrupt { .. }));
        assert!(matches!(of_sqlite(ffi::SQLITE_IOERR_FSYNC), StoreError::Io { .. }));
        assert!(matches!(of_sqlite(ffi::SQLITE_CANTOPEN), StoreError::Database { .. }));
        let of_system = |kind: io::ErrorKind| StoreError::io(Path::new("secret"), kind.into());
        assert!(matches!(of_system(io::ErrorKind::StorageFull), StoreError::Full { .. }));
        assert!(matches!(of_system(io::ErrorKind::PermissionDenied), StoreError::ReadOnly { .. }));
        assert!(matches!(of_system(io::ErrorKind::NotADirectory), StoreError::NotAFolder { .. }));
        assert!(matches!(of_system(io::ErrorKind::Interrupted), StoreError::Io { .. }));
    }

    #[test]
    fn a_message_names_the_file_and_leaves_the_cause_to_the_chain() {
        let error = of_sqlite(ffi::SQLITE_IOERR_FSYNC);
        assert_eq!(error.to_string(), "failed to use `day.sqlite`");
        assert!(error.source().is_some() && error.help().is_some() && error.is_retryable());
    }
}
