//! The store in a ClickHouse database: many receivers, and nights as long as a fleet's.
//!
//! Comes in and goes out: the same as with a data folder. Sightings are rows, one insert for a group
//! of requests; figures are published under a version that one row then names. No query depends on
//! merges having happened, and nothing is updated in place. `schema/` holds every table, and
//! `docs/data-model.md` says what each promises. Error texts of the server are never passed on:
//! they may quote values.

mod arrivals;
mod attempt_row;
mod attempts;
mod connect;
mod coverage;
mod engine;
mod erased;
mod failure;
mod figure_rows;
mod imports;
mod json;
mod lease;
mod notes;
mod offered;
mod pass_engine;
mod publish;
mod read_days;
mod received;
mod receivers;
mod schema;
mod sighting_row;
mod sightings;
mod sink;
mod store;
mod watermark;

pub(crate) use connect::client;
pub(super) use imports::DatabaseImport;
pub(super) use lease::DatabaseLease;
pub(super) use store::DatabaseStore;

pub use pass_engine::PassEngine;
pub use schema::ClickHouseSchema;
