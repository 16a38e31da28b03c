//! Store: sightings safe before the answer, daily figures published per day.
//!
//! [`Store`] and [`Writer`] are what the rest of firstcall sees; behind them stands a data folder
//! (`sqlite`) or a database of a ClickHouse server (`clickhouse`). `docs/data-model.md` describes every table.

mod arrivals;
mod batch;
mod clickhouse;
mod columns;
mod coverage;
mod erased;
mod error;
mod figure_numbers;
mod handle;
mod imports;
mod lease;
mod offered;
mod received;
mod recent;
mod recovery_numbers;
mod sink;
mod source_hours;
mod sqlite;
mod stored;
mod visit;
mod watermark;
mod writer;

pub use batch::{Batch, Committed, RequestDigest};
pub(crate) use clickhouse::client as clickhouse_client;
pub use clickhouse::{ClickHouseSchema, PassEngine};
pub use coverage::{CoveredDay, Headline, Restatement};
pub use erased::ErasedDays;
pub use error::{Damage, StoreError};
pub use handle::Store;
pub use imports::ImportNotes;
pub use lease::PassLease;
pub use offered::OfferedTool;
pub use received::ReceivedRead;
pub use stored::{StoredArguments, StoredSighting};
pub use visit::VisitDays;
pub use watermark::Watermark;
pub use writer::{Writer, WriterOptions};

#[cfg(test)]
mod tests;
