//! The writer's groups on their way into a data folder, which takes one writer at a time.

use std::time::Duration;

use rusqlite::Connection;

use super::database::{self, At, FileIdentity};
use super::folder::Folder;
use super::group::OpenDays;
use super::lock_file::{self, Attempt, LockFile};
use super::{arrivals, erased, log_check};
use crate::store::arrivals::ArrivalBook;
use crate::store::batch::Batch;
use crate::store::erased::ErasedDays;
use crate::store::error::StoreError;
use crate::store::sink::{Patience, Sink};
use crate::store::writer::WriterOptions;

/// The one writer's end in a data folder; nobody else writes as long as it is held.
#[derive(Debug)]
pub(in crate::store) struct FolderSink {
    folder: Folder,
    days: OpenDays,
    /// The database that arrival counts go to.
    main: Option<(Option<FileIdentity>, Connection)>,
    _lock: LockFile,
}

impl FolderSink {
    pub(super) fn start(folder: &Folder, options: &WriterOptions) -> Result<Self, StoreError> {
        let lock = lock(folder)?;
        // From here on nobody else writes: how the last writer ended can be told.
        for day in folder.days()? {
            log_check::look(&folder.day_file(day), true)?;
        }
        let open_days = options.open_days.max(1);
        let days = OpenDays::new(folder.clone(), open_days, options.max_day_file_bytes);
        Ok(Self { folder: folder.clone(), days, main: None, _lock: lock })
    }
}

fn lock(folder: &Folder) -> Result<LockFile, StoreError> {
    match lock_file::take(&folder.writer_lock(), &std::process::id().to_string())? {
        Attempt::Taken(lock) => Ok(lock),
        Attempt::Held(pid) => Err(StoreError::WriterRunning {
            path: folder.dir().into(),
            pid: pid.trim().parse().ok(),
        }),
    }
}

impl Sink for FolderSink {
    fn commit(&mut self, batches: &[&Batch]) -> Vec<Result<(), StoreError>> {
        self.days.commit(batches)
    }

    fn erased_days(&mut self) -> Result<ErasedDays, StoreError> {
        erased::of(&self.folder)
    }

    fn save_arrivals(&mut self, book: &ArrivalBook, patience: Patience) -> Result<(), StoreError> {
        if book.is_empty() {
            return Ok(());
        }
        let file = self.folder.main_file();
        let now = FileIdentity::of(&file);
        // Taken out: after an error it is dropped, and the next time opens anew.
        let (identity, mut connection) = match self.main.take() {
            Some((identity, connection)) if identity == now => (identity, connection),
            _ => {
                let connection = database::open_or_make(&file, &database::MAIN)?;
                // Nobody waits for these counts, so they need no sync of their own.
                connection.pragma_update(None, "synchronous", "NORMAL").at(&file)?;
                (FileIdentity::of(&file), connection)
            }
        };
        let wait = match patience {
            Patience::None => Duration::ZERO,
            Patience::Usual => database::BUSY_TIMEOUT,
        };
        connection.busy_timeout(wait).at(&file)?;
        arrivals::save(book, &mut connection).at(&file)?;
        self.main = Some((identity, connection));
        Ok(())
    }

    /// Closes files that were deleted, so that their bytes go.
    fn rest(&mut self) {
        self.days.close_deleted();
    }
}
