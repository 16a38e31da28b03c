//! Store: sightings durable before the answer, daily figures published per day.
//!
//! One data folder: `firstcall.sqlite` holds coverage, daily figures and arrival counts;
//! `sightings/YYYY-MM-DD.sqlite` holds the sightings that start on that UTC day, packed, one
//! BLOB per group commit. One process writes sightings; any number of processes read beside it.
//! `docs/data-model.md` describes every table and the row format.

mod arrivals;
mod attempt_row;
mod batch;
mod columns;
mod coverage;
mod database;
mod day_file;
mod erased;
mod error;
mod figure_numbers;
mod folder;
mod group;
mod handle;
mod imports;
mod lease;
mod lock_file;
mod log_check;
mod name_code;
mod names;
mod offered;
mod publish;
mod read_attempts;
mod read_days;
mod received;
mod recent;
mod recovery_numbers;
mod recovery_row;
mod row;
mod rows;
mod source_hours;
mod unpack;
mod watermark;
mod wire;
mod writer;

pub use batch::{Batch, Committed, RequestDigest};
pub use coverage::{CoveredDay, Headline, Restatement};
pub use erased::ErasedDays;
pub use error::{Damage, StoreError};
pub use handle::Store;
pub use imports::ImportNotes;
pub use lease::PassLease;
pub use offered::OfferedTool;
pub use received::ReceivedRead;
pub use unpack::{StoredArguments, StoredSighting};
pub use watermark::Watermark;
pub use writer::{Writer, WriterOptions};

#[cfg(test)]
mod tests;
