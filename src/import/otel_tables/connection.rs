//! The server, asked and answered one question at a time.

use std::time::Duration;

use clickhouse::query::{Query, RowCursor};
use clickhouse::{Client, Row, RowOwned, RowRead};
use serde::Deserialize;
use tokio::runtime::Runtime;

use super::error::TablesError;
use crate::config::{ClickHouseOtel, SqlName};
use crate::store::clickhouse_client;

/// A server that holds tables.
pub(super) struct Connection {
    runtime: Runtime,
    client: Client,
    url: String,
    timeout: Duration,
}

#[derive(Row, Deserialize)]
struct Column {
    name: String,
    of: String,
}

impl Connection {
    /// The server of `source`, which is not asked anything yet.
    pub(super) fn new(source: &ClickHouseOtel, runtime: Runtime) -> Result<Self, TablesError> {
        let url = source.url.as_str().to_owned();
        let client = {
            let _entered = runtime.enter();
            clickhouse_client(source)?
        };
        // As JSON's numbers, whatever the server's version does by default.
        let client = client.with_setting("output_format_json_quote_64bit_integers", "0");
        let timeout = Duration::from_secs(source.timeout_s.get().into());
        Ok(Self { runtime, client, url, timeout })
    }

    /// A question.
    pub(super) fn query(&self, sql: &str) -> Query {
        self.client.query_raw(sql)
    }

    /// A table's columns with their types; none where there is no such table.
    pub(super) fn columns(&self, table: &SqlName) -> Result<Vec<(String, String)>, TablesError> {
        let sql = "SELECT name, type AS of FROM system.columns \
                   WHERE database = currentDatabase() AND table = {table: String}";
        let found: Vec<Column> = self.all(self.query(sql).param("table", table.as_str()))?;
        Ok(found.into_iter().map(|column| (column.name, column.of)).collect())
    }

    /// The whole answer to a question whose answer is short.
    pub(super) fn all<T: RowOwned + RowRead>(&self, query: Query) -> Result<Vec<T>, TablesError> {
        let mut rows = self.begin::<T>(query)?;
        let mut all = Vec::new();
        while let Some(row) = self.next(&mut rows)? {
            all.push(row);
        }
        Ok(all)
    }

    /// The answer to a question, row by row.
    pub(super) fn begin<T: Row>(&self, query: Query) -> Result<RowCursor<T>, TablesError> {
        let _entered = self.runtime.enter();
        query.fetch().map_err(|error| TablesError::of(&self.url, &error))
    }

    /// The next row of an answer.
    pub(super) fn next<T: RowOwned + RowRead>(
        &self,
        rows: &mut RowCursor<T>,
    ) -> Result<Option<T>, TablesError> {
        let next =
            self.runtime.block_on(async { tokio::time::timeout(self.timeout, rows.next()).await });
        match next {
            Ok(row) => row.map_err(|error| TablesError::of(&self.url, &error)),
            Err(_) => Err(TablesError::silent(self.url.clone())),
        }
    }
}
