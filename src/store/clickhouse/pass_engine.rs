//! What a pass works with inside of the database: statements over tables of its own, whose names
//! begin with `pass_`, and over `sightings` and `attempts`.
//!
//! The texts are the pass's. They hold numbers and names of tables, and no text of telemetry.

use std::sync::Arc;
use std::time::Duration;

use clickhouse::query::Query;
use clickhouse::{Client, RowOwned, RowRead, RowWrite};
use serde_json::Value;

use super::attempt_row::AttemptRow;
use super::engine::Engine;
use super::sighting_row::SightingRow;
use super::sightings::Names;
use crate::call::{Attempt, Name};
use crate::store::error::StoreError;
use crate::store::stored::StoredSighting;

/// How long one statement may take: it works on a part of a day, however large the day is.
const STATEMENT: Duration = Duration::from_hours(2);

/// What one statement may hold in memory, and from which size on it sorts and groups on disk;
/// bytes. Joins spill as well.
const SETTINGS: [(&str, &str); 6] = [
    ("max_memory_usage", "6442450944"),
    ("max_bytes_before_external_sort", "1073741824"),
    ("max_bytes_before_external_group_by", "1073741824"),
    // Each slice of a day is a partition.
    ("max_partitions_per_insert_block", "0"),
    // The bounds of all histogram buckets stand in one statement.
    ("max_query_size", "1048576"),
    ("max_execution_time", "0"),
];

/// The database as a pass sees it.
#[derive(Debug)]
pub struct PassEngine {
    engine: Arc<Engine>,
    client: Client,
}

impl PassEngine {
    /// None where the tables are spread over a cluster: what a pass makes on one node the others
    /// would not find.
    pub(super) fn over(engine: &Arc<Engine>) -> Option<Self> {
        let is_one_server = engine.config().cluster.is_none();
        // The rows' types are the tables' own, made by the same program; asking for them before
        // each insert would tell nothing.
        let client = || engine.client().clone().with_validation(false);
        is_one_server.then(|| Self { engine: Arc::clone(engine), client: client() })
    }

    /// Runs a statement that answers nothing.
    pub fn execute(&self, statement: &str) -> Result<(), StoreError> {
        let query = self.bounded(self.client.query_raw(statement));
        self.engine.wait(STATEMENT, query.execute())
    }

    /// The rows that a query answers, each a list of values. For what is small.
    pub fn rows(&self, query: &str) -> Result<Vec<Vec<Value>>, StoreError> {
        let query = self.bounded(self.client.query_raw(query));
        let query = query.with_setting("output_format_json_quote_64bit_integers", "0");
        let bytes = self
            .engine
            .wait(STATEMENT, async { query.fetch_bytes("JSONCompactEachRow")?.collect().await })?;
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let row = |line| {
            serde_json::from_slice(line).map_err(|_error| self.engine.damaged("an answer's row"))
        };
        lines.map(row).collect()
    }

    /// Hands every row that a query answers to `visit`, one at a time. A row that `visit` can make
    /// no sense of ends it.
    pub fn each<R: RowRead>(
        &self,
        query: &str,
        mut visit: impl FnMut(R::Value<'_>) -> Option<()>,
    ) -> Result<(), StoreError> {
        let query = self.bounded(self.client.query(query));
        let mut cursor = self.engine.wait(STATEMENT, async { query.fetch::<R>() })?;
        loop {
            match self.engine.wait(STATEMENT, cursor.next())? {
                Some(row) => visit(row).ok_or_else(|| self.engine.damaged("a row"))?,
                None => return Ok(()),
            }
        }
    }

    /// Adds rows to one of the pass's tables.
    pub fn add<R: RowOwned + RowWrite>(&self, table: &str, rows: &[R]) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.engine.wait(STATEMENT, async {
            let mut insert = self.client.insert::<R>(table).await?;
            for row in rows {
                insert.write(row).await?;
            }
            insert.end().await
        })
    }

    /// Hands the sightings for which `condition` holds to `visit`, in no order.
    pub fn sightings<N: Clone>(
        &self,
        condition: &str,
        name: &mut dyn FnMut(&Name) -> N,
        visit: &mut dyn FnMut(StoredSighting<'_, N>),
    ) -> Result<(), StoreError> {
        let mut names = Names::new(name);
        let query = format!("SELECT ?fields FROM sightings WHERE {condition}");
        let visit = |row: SightingRow<'_>| row.visit(&mut |text| names.of(text), visit);
        self.each::<SightingRow<'_>>(&query, visit)
    }

    /// Hands the downstream attempts for which `condition` holds to `visit`, in no order.
    pub fn attempts<N: Clone>(
        &self,
        condition: &str,
        name: &mut dyn FnMut(&Name) -> N,
        visit: &mut dyn FnMut(Attempt<N>),
    ) -> Result<(), StoreError> {
        let mut names = Names::new(name);
        let query = format!("SELECT ?fields FROM attempts WHERE {condition}");
        let visit = |row: AttemptRow<'_>| row.attempt(&mut |text| names.of(text)).map(&mut *visit);
        self.each::<AttemptRow<'_>>(&query, visit)
    }

    fn bounded(&self, query: Query) -> Query {
        let query = self.engine.sequentially(query);
        SETTINGS.iter().fold(query, |query, (name, value)| query.with_setting(*name, *value))
    }
}
