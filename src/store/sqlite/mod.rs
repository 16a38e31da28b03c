//! The store in one data folder: SQLite databases.
//!
//! `firstcall.sqlite` holds coverage, daily figures and arrival counts;
//! `sightings/YYYY-MM-DD.sqlite` holds the sightings that start on that UTC day, packed, one
//! BLOB per group commit. One process writes sightings; any number of processes read beside it.
//! `docs/data-model.md` describes every table and the row format.

mod arrivals;
mod attempt_row;
mod coverage;
mod database;
mod day_file;
mod erased;
mod folder;
mod group;
mod imports;
mod lease;
mod lock_file;
mod log_check;
mod marks;
mod name_code;
mod names;
mod offered;
mod publish;
mod read_attempts;
mod read_days;
mod received;
mod recovery_row;
mod recovery_rows;
mod row;
mod rows;
mod sink;
mod source_hours;
mod store;
mod unpack;
mod wire;

pub(super) use imports::FolderImport;
pub(super) use lease::FolderLease;
pub(super) use store::FolderStore;

#[cfg(test)]
mod tests;
