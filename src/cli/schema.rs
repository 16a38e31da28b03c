//! `firstcall schema clickhouse`: the statements that make a store's tables, for whoever makes
//! them.

use clap::{Args, Subcommand};

use super::{Failure, print};
use crate::config::store::{DEFAULT_TTL_DAYS, SqlName};
use crate::store::ClickHouseSchema;

/// Arguments of `firstcall schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    #[command(subcommand)]
    store: Kind,
}

#[derive(Debug, Subcommand)]
enum Kind {
    /// The tables of `store.clickhouse`, for one server or for a cluster
    Clickhouse(ClickHouseArgs),
}

#[derive(Debug, Args)]
struct ClickHouseArgs {
    /// The cluster: tables are replicated, and sightings spread over its shards
    #[arg(long, value_name = "NAME")]
    cluster: Option<SqlName>,
    /// The database
    #[arg(long, value_name = "NAME", default_value = "firstcall")]
    database: SqlName,
    /// After how many days the server drops sightings that no pass has erased; 0 for never
    #[arg(long, value_name = "N", default_value_t = DEFAULT_TTL_DAYS)]
    ttl_days: u32,
}

/// Runs the command.
pub fn run(args: &SchemaArgs) -> Result<(), Failure> {
    let Kind::Clickhouse(args) = &args.store;
    let (database, cluster) = (args.database.clone(), args.cluster.clone());
    print(&ClickHouseSchema { database, cluster, ttl_days: args.ttl_days }.to_string())
}
