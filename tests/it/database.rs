//! ClickHouse as the store: what only it can show. Faults of the engine in the middle of an insert,
//! of a pass and of a publication; figures beside a data folder's and the oracle's; every verb of
//! the real binary on both; and marks that must not be in any table.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod faults;
mod figures;
mod marks;
mod publication;
mod speed;
mod stops;
mod verbs;
