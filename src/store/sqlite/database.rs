//! Opening database files: pragmas, and schemas that grow by position.
//!
//! A file of a newer schema is refused and left byte for byte alone. Database files are only
//! ever opened through SQLite: closing one by other means would drop this process's locks on it.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::log_check;
use crate::store::error::{Damage, StoreError};

/// How long a connection waits for another one's lock.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes of a page. A commit of some hundred rows fills a few.
pub(super) const PAGE_BYTES: u64 = 8192;

/// Pages that gather in the log before they are copied into the file: 32 MiB.
const CHECKPOINT_PAGES: u32 = 4000;

/// One kind of database file: its mark and how its schema came to be.
#[derive(Debug)]
pub(super) struct Schema {
    /// Tells firstcall's files from those of other programs.
    application_id: i32,
    /// Schema version n is what the first n of these make. Only ever appended to.
    migrations: &'static [&'static str],
}

/// `firstcall.sqlite`.
pub(super) const MAIN: Schema = Schema {
    application_id: 0x6663_6d31,
    migrations: &[
        include_str!("migrations/main/0001_figures.sql"),
        include_str!("migrations/main/0002_erased_days.sql"),
        include_str!("migrations/main/0003_sessions_of_tools.sql"),
        include_str!("migrations/main/0004_sources.sql"),
        include_str!("migrations/main/0005_recovery.sql"),
    ],
};

/// `sightings/YYYY-MM-DD.sqlite`.
pub(super) const DAY: Schema = Schema {
    application_id: 0x6663_6431,
    migrations: &[
        include_str!("migrations/day/0001_sightings.sql"),
        include_str!("migrations/day/0002_recovery.sql"),
    ],
};

/// Names the file that an error of SQLite or of the operating system is about.
pub(super) trait At<T> {
    /// The error as one about `file`.
    fn at(self, file: &Path) -> Result<T, StoreError>;
}

impl<T> At<T> for rusqlite::Result<T> {
    fn at(self, file: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::sqlite(file, error))
    }
}

impl<T> At<T> for std::io::Result<T> {
    fn at(self, file: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::io(file, error))
    }
}

/// Opens `file` and brings its schema up to date; an absent file is made.
pub(super) fn open_or_make(file: &Path, schema: &Schema) -> Result<Connection, StoreError> {
    open(file, schema, OpenFlags::SQLITE_OPEN_CREATE)
}

/// Opens `file` and brings its schema up to date; none where there is no such file.
pub(super) fn open_existing(
    file: &Path,
    schema: &Schema,
) -> Result<Option<Connection>, StoreError> {
    if !fs::exists(file).at(file)? {
        return Ok(None);
    }
    open(file, schema, OpenFlags::empty()).map(Some)
}

fn open(file: &Path, schema: &Schema, further: OpenFlags) -> Result<Connection, StoreError> {
    log_check::look(file, false)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | further;
    let opened = Connection::open_with_flags(file, flags);
    let mut connection = opened.map_err(|error| why_not_opened(file, error))?;
    connection.busy_timeout(BUSY_TIMEOUT).at(file)?;
    // Until the file is known to be ours, not even the log's pages are copied into it.
    let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection.set_db_config(keep_log, true).at(file)?;
    let found = version_of(&connection, file, schema)?;
    connection.set_db_config(keep_log, false).at(file)?;
    if found == 0 {
        // Takes effect on a file without pages only, so before anything is written.
        connection.pragma_update(None, "page_size", PAGE_BYTES.cast_signed()).at(file)?;
    }
    use_log(&connection, file)?;
    connection.pragma_update(None, "synchronous", "FULL").at(file)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES).at(file)?;
    if found < schema.newest() {
        migrate(&mut connection, file, schema)?;
    }
    Ok(connection)
}

/// SQLite has one word for all the reasons why a file cannot be made; the system knows which.
fn why_not_opened(file: &Path, error: rusqlite::Error) -> StoreError {
    // Only where there is none: a second handle on a file that is in use would drop its locks.
    let is_absent = fs::exists(file).is_ok_and(|exists| !exists);
    if is_absent
        && error.sqlite_error_code() == Some(ErrorCode::CannotOpen)
        && let Err(cause) = OpenOptions::new().write(true).create_new(true).open(file)
    {
        return StoreError::io(file, cause);
    }
    StoreError::sqlite(file, error)
}

impl Schema {
    /// The newest version that this program knows.
    pub(super) fn newest(&self) -> u32 {
        u32::try_from(self.migrations.len()).unwrap_or(u32::MAX)
    }
}

/// The file's schema version, where it is one that this program may use.
fn version_of(connection: &Connection, file: &Path, schema: &Schema) -> Result<u32, StoreError> {
    let (version, application, tables) = connection
        .query_row(
            "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
             FROM pragma_user_version, pragma_application_id",
            [],
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i32>(1)?, row.get::<_, i64>(2)?)),
        )
        .at(file)?;
    if application != schema.application_id && (application, version, tables) != (0, 0, 0) {
        return Err(StoreError::NotOurs { file: file.into() });
    }
    let found = u32::try_from(version)
        .map_err(|_error| StoreError::Corrupt { file: file.into(), damage: Damage::Database })?;
    let known = schema.newest();
    if found > known {
        return Err(StoreError::TooNew { file: file.into(), found, known });
    }
    Ok(found)
}

/// Switches to the write-ahead log. Two processes that make one file at the same time may refuse
/// each other here without waiting, so it is tried for as long as a lock is waited for.
fn use_log(connection: &Connection, file: &Path) -> Result<(), StoreError> {
    const PAUSE: Duration = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    loop {
        let switched =
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |_row| Ok(())).at(file);
        match switched {
            Err(StoreError::Locked { .. }) if waited < BUSY_TIMEOUT => {
                std::thread::sleep(PAUSE);
                waited = waited.saturating_add(PAUSE);
            }
            done => return done,
        }
    }
}

/// Runs the migrations that the file lacks, each in its own transaction.
fn migrate(connection: &mut Connection, file: &Path, schema: &Schema) -> Result<(), StoreError> {
    loop {
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).at(file)?;
        // Read again under the lock: another process may have been here first.
        let found = version_of(&transaction, file, schema)?;
        let position = usize::try_from(found).unwrap_or(usize::MAX);
        let Some(migration) = schema.migrations.get(position) else {
            return Ok(());
        };
        transaction.execute_batch(migration).at(file)?;
        transaction.pragma_update(None, "application_id", schema.application_id).at(file)?;
        transaction.pragma_update(None, "user_version", found + 1).at(file)?;
        transaction.commit().at(file)?;
        tracing::debug!(schema.version = found + 1, "brought a store file's schema up to date");
    }
}

/// Which file on the disk a path leads to, so that a writer notices when the file that it has
/// open was moved or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// The file that `path` leads to now; none where there is none.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self { device: found.dev(), inode: found.ino() })
    }
}

/// A count as SQLite keeps it: integers end at 2^63 - 1, and so do counts.
pub(super) fn to_sql(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A count as SQLite kept it; `column` is named where the value is none.
pub(super) fn from_sql(count: i64, file: &Path, column: &'static str) -> Result<u64, StoreError> {
    u64::try_from(count)
        .map_err(|_error| StoreError::Corrupt { file: file.into(), damage: Damage::Column(column) })
}
