//! The tables: as statements for one server or for a cluster, made where that is asked for, and
//! checked.

use std::fmt;

use super::engine::Engine;
use super::notes;
use crate::config::ClickHouse;
use crate::config::store::SqlName;
use crate::store::error::StoreError;

/// The version of the schema in `schema/`.
pub(super) const VERSION: u32 = 1;

/// How a table stands in a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spread {
    /// A part of it on each shard; this expression tells which.
    Shards(&'static str),
    /// The whole of it on every server.
    Everywhere,
}

/// A table and the statement that makes it on one server.
struct Table {
    name: &'static str,
    statement: &'static str,
    spread: Spread,
}

const fn table(name: &'static str, statement: &'static str, spread: Spread) -> Table {
    Table { name, statement, spread }
}

const TABLES: &[Table] = &[
    table(
        "sightings",
        include_str!("schema/sightings.sql"),
        // What is known on arrival of the session: a claimed one, else the trace.
        Spread::Shards("cityHash64(if(session_kind = 'none', trace_id, session))"),
    ),
    table("attempts", include_str!("schema/attempts.sql"), Spread::Shards("cityHash64(trace_id)")),
    table("days", include_str!("schema/days.sql"), Spread::Everywhere),
    table("day_figures", include_str!("schema/day_figures.sql"), Spread::Everywhere),
    table("day_pairs", include_str!("schema/day_pairs.sql"), Spread::Everywhere),
    table("day_sessions", include_str!("schema/day_sessions.sql"), Spread::Everywhere),
    table("day_unknown_tools", include_str!("schema/day_unknown_tools.sql"), Spread::Everywhere),
    table("restatements", include_str!("schema/restatements.sql"), Spread::Everywhere),
    table("erased_days", include_str!("schema/erased_days.sql"), Spread::Everywhere),
    table("arrivals", include_str!("schema/arrivals.sql"), Spread::Everywhere),
    table("offered_tools", include_str!("schema/offered_tools.sql"), Spread::Everywhere),
    table("leases", include_str!("schema/leases.sql"), Spread::Everywhere),
    table("notes", include_str!("schema/notes.sql"), Spread::Everywhere),
];

/// The statements that make a store's tables, for one server or for a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClickHouseSchema {
    /// The database.
    pub database: SqlName,
    /// The cluster whose servers hold them; none for one server.
    pub cluster: Option<SqlName>,
    /// After how many days the server drops sightings by itself; 0 for never.
    pub ttl_days: u32,
}

impl ClickHouseSchema {
    fn of(config: &ClickHouse) -> Self {
        let (database, cluster) = (config.database.clone(), config.cluster.clone());
        Self { database, cluster, ttl_days: config.ttl_days }
    }

    /// The statements, in the order in which they are to be run. Each may be run again.
    pub fn statements(&self) -> Vec<String> {
        let mut statements =
            vec![format!("CREATE DATABASE IF NOT EXISTS {}{}", self.database, self.on_cluster())];
        for table in TABLES {
            statements.push(self.local(table));
            statements.extend(self.over_shards(table));
        }
        // The last one: a schema that was made half is none.
        statements.push(format!(
            "INSERT INTO {}.notes (key, value) VALUES ('{}', '{VERSION}')",
            self.database,
            notes::SCHEMA_VERSION,
        ));
        statements
    }

    fn on_cluster(&self) -> String {
        self.cluster.as_ref().map_or_else(String::new, |cluster| format!(" ON CLUSTER {cluster}"))
    }

    /// The table that holds rows.
    fn local(&self, table: &Table) -> String {
        let Table { name, statement, spread } = table;
        let of_shard = matches!(spread, Spread::Shards(_));
        let suffix = if of_shard && self.cluster.is_some() { "_local" } else { "" };
        let begins = format!("CREATE TABLE IF NOT EXISTS {name}\n");
        let placed = format!(
            "CREATE TABLE IF NOT EXISTS {}.{name}{suffix}{}\n",
            self.database,
            self.on_cluster()
        );
        let mut made = statement.trim_end().replace(&begins, &placed);
        if of_shard && self.ttl_days > 0 {
            let ttl = format!(
                "\nTTL toDateTime(intDiv(received, 1000000000)) + toIntervalDay({})\n\
                 SETTINGS ttl_only_drop_parts = 1, ",
                self.ttl_days
            );
            made = made.replace("\nSETTINGS ", &ttl);
        }
        if self.cluster.is_some() { replicated(&made, of_shard) } else { made }
    }

    /// The table through which a cluster's shards are read and written as one.
    fn over_shards(&self, table: &Table) -> Option<String> {
        let Spread::Shards(shard) = table.spread else { return None };
        let cluster = self.cluster.as_ref()?;
        let (name, database) = (table.name, &self.database);
        Some(format!(
            "CREATE TABLE IF NOT EXISTS {database}.{name} ON CLUSTER {cluster}\n\
             AS {database}.{name}_local\n\
             ENGINE = Distributed({cluster}, {database}, {name}_local, {shard})"
        ))
    }
}

/// The statement with the engine's replicated kind. A table of a shard is one table for each shard;
/// another is one for the whole cluster, and every server a replica of it.
fn replicated(statement: &str, of_shard: bool) -> String {
    let place = if of_shard {
        "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'"
    } else {
        "'/clickhouse/tables/all/{database}/{table}', '{shard}-{replica}'"
    };
    statement
        .replace("ENGINE = MergeTree\n", &format!("ENGINE = ReplicatedMergeTree({place})\n"))
        .replace(
            "ENGINE = SummingMergeTree(",
            &format!("ENGINE = ReplicatedSummingMergeTree({place}, "),
        )
        .replace(
            "ENGINE = ReplacingMergeTree(",
            &format!("ENGINE = ReplicatedReplacingMergeTree({place}, "),
        )
        .replace("non_replicated_deduplication_window", "replicated_deduplication_window")
}

/// The statements as a script.
impl fmt::Display for ClickHouseSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for statement in self.statements() {
            write!(f, "{statement};\n\n")?;
        }
        Ok(())
    }
}

/// Makes the tables where they are not there.
pub(super) fn create(engine: &Engine) -> Result<(), StoreError> {
    let schema = ClickHouseSchema::of(engine.config());
    for statement in schema.statements() {
        engine.execute_anywhere(&statement)?;
    }
    tracing::info!(database = %schema.database, "made the tables of a store in ClickHouse");
    Ok(())
}

/// Checks that the tables are there and that this program knows them.
pub(super) fn check(engine: &Engine) -> Result<(), StoreError> {
    let place = engine.place();
    let Some(found) = notes::read(engine, notes::SCHEMA_VERSION)? else {
        return Err(StoreError::NoSchema { place });
    };
    let found = found.parse().map_err(|_error| engine.damaged("value"))?;
    if found == VERSION {
        return Ok(());
    }
    Err(StoreError::OtherSchema { place, found, known: VERSION })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::columns::{DAY_FIGURES, DAY_FIGURES_KEYS, DAY_RECOVERY, DAY_SESSIONS};

    fn schema(cluster: Option<&str>, ttl_days: u32) -> ClickHouseSchema {
        let cluster = cluster.map(|name| name.parse().unwrap());
        ClickHouseSchema { database: SqlName::firstcall(), cluster, ttl_days }
    }

    #[test]
    fn one_server_has_plain_tables_and_a_cluster_replicated_ones() {
        let plain = schema(None, 0).to_string();
        assert!(plain.contains("CREATE TABLE IF NOT EXISTS firstcall.sightings\n"));
        assert!(!plain.contains("Replicated") && !plain.contains("ON CLUSTER"));
        assert!(!plain.contains("TTL"));
        let spread = schema(Some("main"), 30).statements();
        let made = |name: &str| {
            let begins = format!("EXISTS firstcall.{name} ON CLUSTER main\n");
            spread.iter().filter(|one| one.contains(&begins)).cloned().collect::<Vec<_>>()
        };
        // Each table once, and the two of the shards once more over all of them.
        assert_eq!(spread.len(), 1 + TABLES.len() + 2 + 1);
        let [local] = &made("sightings_local")[..] else { panic!("one local table") };
        assert!(local.contains("ReplicatedMergeTree('/clickhouse/tables/{shard}/"), "{local}");
        assert!(local.contains("toIntervalDay(30)") && local.contains("ttl_only_drop_parts"));
        assert!(!local.contains("non_replicated"));
        let [over] = &made("sightings")[..] else { panic!("one table over the shards") };
        assert!(over.contains("Distributed(main, firstcall, sightings_local, cityHash64("));
        let [days] = &made("days")[..] else { panic!("one table of days") };
        assert!(days.contains("'/clickhouse/tables/all/") && !days.contains("TTL"));
        let [arrivals] = &made("arrivals")[..] else { panic!("one table of arrivals") };
        assert!(arrivals.contains("'{shard}-{replica}', times)"), "{arrivals}");
    }

    #[test]
    fn every_figure_has_its_column_by_its_own_name() {
        let statement = |name: &str| {
            TABLES.iter().find(|table| table.name == name).map(|table| table.statement).unwrap()
        };
        let has =
            |name: &str, column: &str| statement(name).contains(&format!("\n    {column} UInt64"));
        for column in DAY_FIGURES.columns.iter().skip(DAY_FIGURES_KEYS) {
            assert!(has("day_figures", column), "{column}");
        }
        for column in DAY_RECOVERY.columns.iter().skip(2) {
            assert!(has("day_figures", &format!("recovery_{column}")), "{column}");
        }
        for column in DAY_SESSIONS.columns.iter().skip(2) {
            assert!(has("day_sessions", column), "{column}");
        }
    }
}
