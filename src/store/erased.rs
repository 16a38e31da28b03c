//! Days whose sightings were erased (METHOD sections 3 and 10): what is known of them, and what
//! still comes for them.
//!
//! A day is judged from its own sightings and the margins of its two neighbours. Once one of the
//! three is erased the day is *closed*: its figures stand, and what still arrives for it is
//! refused and counted, for figures made from a part of a day would be wrong.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;

use rusqlite::Connection;

use super::batch::Batch;
use super::columns::ERASED_DAYS;
use super::database::{self, At, to_sql};
use super::day_file::day_of;
use super::error::StoreError;
use super::folder::{Folder, sync_dir};
use super::rows::day as day_in;
use crate::call::{Day, Name, UnixNanos};
use crate::figures::Refusal;

/// The days whose sightings were erased.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErasedDays(BTreeSet<Day>);

impl ErasedDays {
    /// The days in `folder` whose sightings were erased; none where nothing is there.
    pub(super) fn of(folder: &Folder) -> Result<Self, StoreError> {
        let file = folder.main_file();
        match database::open_existing(&file, &database::MAIN)? {
            Some(connection) => Self::read(&connection).at(&file),
            None => Ok(Self::default()),
        }
    }

    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut select = connection.prepare(&ERASED_DAYS.select("ORDER BY day"))?;
        let mut rows = select.query([])?;
        let mut days = BTreeSet::new();
        while let Some(row) = rows.next()? {
            days.insert(day_in(row, 0)?);
        }
        Ok(Self(days))
    }

    /// The days, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Day> + '_ {
        self.0.iter().copied()
    }

    /// Whether the day's own sightings are erased.
    pub fn contains(&self, day: Day) -> bool {
        self.0.contains(&day)
    }

    /// Whether the day can no longer be judged whole: its own sightings or a neighbour's, whose
    /// margin it reads, are erased.
    pub fn is_closed(&self, day: Day) -> bool {
        self.contains(day.minus(1)) || self.contains(day) || self.contains(day.plus(1))
    }

    /// Takes the sightings of closed days out of a batch and counts them as refused; says how
    /// many there were.
    pub(super) fn refuse(&self, batch: &mut Batch) -> u64 {
        let Batch { sightings, attempts, counts, sources, .. } = batch;
        // No call of theirs can be judged any more.
        attempts.retain(|attempt| !self.is_closed(day_of(attempt.start)));
        let mut refused = 0;
        sightings.retain(|sighting| {
            if !self.is_closed(day_of(sighting.start)) {
                return true;
            }
            refused += 1;
            let emitter = sighting.emitter.clone().unwrap_or_else(|| Name::cut(""));
            let (scope, dialect) = (&sighting.scope, &sighting.dialect);
            sources.refuse_kept(&emitter, scope, dialect, Refusal::DayClosed);
            let counts = counts.entry(emitter).or_default();
            if let Some(kept) = counts.kept.get_mut(&sighting.dialect) {
                *kept = kept.saturating_sub(1);
            }
            counts.refused.add(Refusal::DayClosed, 1);
            false
        });
        refused
    }
}

/// Whether a batch holds something of a day that could be closed: one is erased at the earliest
/// a day after the day after it was covered, so yesterday and today never are.
pub(super) fn may_be_closed(batch: &Batch) -> bool {
    let today = batch.received.day();
    batch.starts().any(|start| day_of(start).plus(1) < today)
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
