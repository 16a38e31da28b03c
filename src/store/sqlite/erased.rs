//! Erasing the sightings of a day: noted first, then their file is removed.

use std::fs;
use std::io;
use std::path::PathBuf;

use rusqlite::Connection;

use super::database::{self, At, to_sql};
use super::folder::{Folder, sync_dir};
use super::rows::day as day_in;
use crate::call::{Day, UnixNanos};
use crate::store::columns::ERASED_DAYS;
use crate::store::erased::ErasedDays;
use crate::store::error::StoreError;

/// The days in `folder` whose sightings were erased; none where nothing is there.
pub(super) fn of(folder: &Folder) -> Result<ErasedDays, StoreError> {
    let file = folder.main_file();
    match database::open_existing(&file, &database::MAIN)? {
        Some(connection) => read(&connection).at(&file),
        None => Ok(ErasedDays::default()),
    }
}

/// The days whose sightings were erased.
pub(super) fn read(connection: &Connection) -> rusqlite::Result<ErasedDays> {
    let mut select = connection.prepare(&ERASED_DAYS.select("ORDER BY day"))?;
    select.query_map([], |row| day_in(row, 0))?.collect()
}

/// Notes that the day's sightings are erased. Written before its file goes, so that a kill in
/// between leaves a day that is closed and never one that is half there.
pub(super) fn note(connection: &Connection, day: Day, now: UnixNanos) -> rusqlite::Result<()> {
    let insert = format!("{} ON CONFLICT DO NOTHING", ERASED_DAYS.insert());
    connection.execute(&insert, (day.to_string(), to_sql(now.get())))?;
    Ok(())
}

/// Removes the day's file with its log. A writer that has it open notices before its next commit.
/// The file itself goes last: as long as it is there, a later erasure finds what is left.
pub(super) fn remove_files(folder: &Folder, day: Day) -> Result<(), StoreError> {
    let file = folder.day_file(day);
    for suffix in ["-wal.damaged", "-wal", "-shm", ""] {
        let mut path = file.clone().into_os_string();
        path.push(suffix);
        let path = PathBuf::from(path);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed.at(&path)?,
        }
    }
    let dir = folder.sightings_dir();
    if dir.is_dir() { sync_dir(&dir) } else { Ok(()) }
}
