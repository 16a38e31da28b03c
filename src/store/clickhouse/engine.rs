//! One database of one server, and how its verbs are waited for. The client is asynchronous and
//! the store's callers are not: a thread of its own drives the connections.

use std::future::Future;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use clickhouse::error::Error;
use clickhouse::{Client, RowRead};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::connect;
use super::failure::failure;
use super::json::{self, Row};
use crate::config::ClickHouse;
use crate::store::error::{Damage, StoreError};

/// How long the server may be silent within an answer that is read in parts, and how long a change
/// of a table may take.
pub(super) const LONG: Duration = Duration::from_mins(2);

/// Rows of one insert that stay one block, and so one part in each day: more than a group holds.
const ONE_BLOCK: &str = "16777216";

/// A database, and the means to speak with it.
pub(super) struct Engine {
    client: Client,
    /// Taken only when this is dropped.
    runtime: Option<Runtime>,
    config: ClickHouse,
    tokens: Tokens,
}

/// Numbers that no other process hands out, for telling inserts apart.
struct Tokens {
    first: u64,
    next: AtomicU64,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("place", &self.place()).finish_non_exhaustive()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Waiting for it is forbidden within another runtime, and nothing is left to wait for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Engine {
    /// The database of the configuration. Nothing is sent yet.
    pub(super) fn new(config: &ClickHouse) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("store-clickhouse")
            .enable_all()
            .build()
            .map_err(|error| StoreError::io(config.folder.as_path(), error))?;
        let client = {
            let _context = runtime.enter();
            connect::client(config)?
        };
        let client = client
            // What a user's profile says of inserts must not weaken what is answered.
            .with_setting("async_insert", "0")
            .with_setting("wait_for_async_insert", "1");
        let tokens = Tokens { first: random()?, next: AtomicU64::new(0) };
        Ok(Self { client, runtime: Some(runtime), config: config.clone(), tokens })
    }

    /// What the configuration says.
    pub(super) const fn config(&self) -> &ClickHouse {
        &self.config
    }

    /// The client, for inserts and queries of rows.
    pub(super) const fn client(&self) -> &Client {
        &self.client
    }

    /// How long one insert or one short answer may take.
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(u64::from(self.config.timeout_s.get()))
    }

    /// The database's place in words, for errors.
    pub(super) fn place(&self) -> String {
        format!("ClickHouse at {}, database {}", self.config.url.as_str(), self.config.database)
    }

    /// The table whose rows a statement changes on every shard: the local one of a cluster.
    pub(super) fn local(&self, table: &str) -> String {
        match &self.config.cluster {
            Some(cluster) => format!("{table}_local ON CLUSTER {cluster}"),
            None => table.to_owned(),
        }
    }

    /// A text that no other insert has: sent again with the same, an insert is done once.
    pub(super) fn token(&self) -> String {
        let Tokens { first, next } = &self.tokens;
        format!("{first:016x}-{}", next.fetch_add(1, Ordering::Relaxed))
    }

    /// Waits for a future of the client's, at most for `patience`.
    pub(super) fn wait<T>(
        &self,
        patience: Duration,
        future: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreError> {
        let _context = self.runtime.as_ref().map(Runtime::enter);
        let ended = futures_executor::block_on(async {
            tokio::time::timeout(patience, future).await.unwrap_or(Err(Error::TimedOut))
        });
        ended.map_err(|error| failure(error, &self.place()))
    }

    /// Runs a future beside this thread, for as long as the database is open.
    pub(super) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            drop(runtime.spawn(future));
        }
    }

    /// Runs a statement that answers nothing. Its text must hold no text of telemetry.
    pub(super) fn execute(&self, statement: &str) -> Result<(), StoreError> {
        self.wait(LONG, self.client.query_raw(statement).execute())
    }

    /// Runs a statement that may be about a database which is not there yet.
    pub(super) fn execute_anywhere(&self, statement: &str) -> Result<(), StoreError> {
        let client = self.client.clone().with_database("system");
        self.wait(LONG, client.query_raw(statement).execute())
    }

    /// Hands every row that a query answers to `visit`, one at a time; the query names its columns
    /// by `?fields`. Where `visit` cannot make sense of a row, that row is damaged: it is left out,
    /// and the error comes after the others.
    pub(super) fn each<R: RowRead>(
        &self,
        query: &str,
        mut visit: impl FnMut(R::Value<'_>) -> Option<()>,
    ) -> Result<(), StoreError> {
        let query = self.sequentially(self.client.query(query));
        let mut cursor = query.fetch::<R>().map_err(|error| failure(error, &self.place()))?;
        let mut is_sound = true;
        let _context = self.runtime.as_ref().map(Runtime::enter);
        loop {
            // A row that is there already is not waited for, and costs no timer.
            let next = futures_executor::block_on(tokio::time::timeout(LONG, cursor.next()));
            match next.unwrap_or(Err(Error::TimedOut)) {
                Ok(Some(row)) => is_sound &= visit(row).is_some(),
                Ok(None) if is_sound => return Ok(()),
                Ok(None) => return Err(self.damaged("a row")),
                Err(error) => return Err(failure(error, &self.place())),
            }
        }
    }

    /// The rows that a query answers, each a list of values. For what is small: counts, days.
    pub(super) fn rows(&self, query: &str) -> Result<Vec<Row>, StoreError> {
        let mut rows = Vec::new();
        self.each_line(query, &mut |row| {
            rows.push(row);
            Some(())
        })?;
        Ok(rows)
    }

    /// Hands every row that a query answers to `visit` as a list of values, as they come. Where
    /// `visit` cannot make sense of one, reading ends with an error.
    pub(super) fn each_line(
        &self,
        query: &str,
        visit: &mut dyn FnMut(Row) -> Option<()>,
    ) -> Result<(), StoreError> {
        let query = self.client.query_raw(query);
        let query = query.with_setting("output_format_json_quote_64bit_integers", "0");
        let cursor = self.sequentially(query).fetch_bytes("JSONCompactEachRow");
        let mut cursor = cursor.map_err(|error| failure(error, &self.place()))?;
        let mut lines = json::Lines::default();
        while let Some(chunk) = self.wait(LONG, cursor.next())? {
            lines.add(&chunk, visit).ok_or_else(|| self.damaged("a row"))?;
        }
        lines.end(visit).ok_or_else(|| self.damaged("a row"))
    }

    /// Asks for what every replica that answered an insert has, where inserts wait for a quorum.
    pub(super) fn sequentially(&self, query: clickhouse::query::Query) -> clickhouse::query::Query {
        if self.config.quorum.is_some() {
            query.with_setting("select_sequential_consistency", "1")
        } else {
            query
        }
    }

    /// Adds rows to a table in one insert; done once however often it is sent with `token`.
    pub(super) fn insert(
        &self,
        table: &str,
        columns: &[&str],
        rows: &[Vec<Value>],
        token: &str,
    ) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let statement =
            format!("INSERT INTO {table}({}) FORMAT JSONCompactEachRow", columns.join(", "));
        let text = Bytes::from(json::text(rows));
        self.twice(|| async {
            let mut insert = self.client.insert_formatted_with(&statement);
            for (name, value) in self.insert_settings(token).into_iter().chain(self.in_order(table))
            {
                insert = insert.with_setting(name, value);
            }
            insert.send(text.clone()).await?;
            insert.end().await
        })
    }

    /// How an insert is to be acknowledged: by as many replicas as are wanted, on every shard, as
    /// one block, and once.
    pub(super) fn insert_settings(&self, token: &str) -> Vec<(&'static str, String)> {
        let mut settings = vec![
            ("insert_deduplication_token", token.to_owned()),
            ("max_insert_block_size", ONE_BLOCK.to_owned()),
            ("min_insert_block_size_rows", ONE_BLOCK.to_owned()),
            ("min_insert_block_size_bytes", "0".to_owned()),
            ("max_partitions_per_insert_block", "0".to_owned()),
        ];
        if let Some(quorum) = self.config.quorum {
            settings.push(("insert_quorum", quorum.to_string()));
            let millis = self.timeout().as_millis().to_string();
            settings.push(("insert_quorum_timeout", millis));
        }
        if self.config.cluster.is_some() {
            settings.push(("distributed_foreground_insert", "1".to_owned()));
        }
        settings
    }

    /// What lets readers ask for all that a quorum has (`select_sequential_consistency`): that a
    /// table's inserts come one after another. Receivers' own tables are left out, for receivers
    /// must not wait for each other; what a replica lacks of those makes a day due once more.
    fn in_order(&self, table: &str) -> Option<(&'static str, String)> {
        let is_of_receivers = table == "arrivals";
        let is_ordered = self.config.quorum.is_some() && !is_of_receivers;
        is_ordered.then(|| ("insert_quorum_parallel", "0".to_owned()))
    }

    /// Does an insert, and once more where the connection broke on the way: a server may close a
    /// quiet one just then. Both times take no longer than one may.
    pub(super) fn twice<F: Future<Output = Result<(), Error>>>(
        &self,
        insert: impl Fn() -> F,
    ) -> Result<(), StoreError> {
        self.wait(self.timeout(), async {
            match insert().await {
                Err(Error::Network(_)) => insert().await,
                ended => ended,
            }
        })
    }

    /// Something in a table that firstcall never writes.
    pub(super) fn damaged(&self, column: &'static str) -> StoreError {
        StoreError::Corrupt { file: PathBuf::from(self.place()), damage: Damage::Column(column) }
    }
}

/// Random bytes of the system's as a number.
pub(super) fn random() -> Result<u64, StoreError> {
    random_bytes().map(u64::from_le_bytes)
}

/// Random bytes of the system's.
pub(super) fn random_bytes<const N: usize>() -> Result<[u8; N], StoreError> {
    use std::io::Read;
    let mut bytes = [0; N];
    let source = std::path::Path::new("/dev/urandom");
    std::fs::File::open(source)
        .and_then(|mut random| random.read_exact(&mut bytes))
        .map_err(|error| StoreError::io(source, error))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn engine(more: &str) -> Engine {
        let folder = std::env::temp_dir();
        let text = format!(
            "store: {{clickhouse: {{url: 'http://127.0.0.1:1', folder: '{}'{more}}}}}",
            folder.display()
        );
        Engine::new(Config::parse(&text).unwrap().store.clickhouse.as_ref().unwrap()).unwrap()
    }

    fn settings(engine: &Engine, table: &str) -> Vec<String> {
        let settings = engine.insert_settings("t").into_iter().chain(engine.in_order(table));
        settings.map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn a_quorum_is_asked_for_and_what_is_published_comes_in_order() {
        let plain = settings(&engine(""), "days");
        assert!(!plain.iter().any(|one| one.contains("quorum") || one.contains("distributed")));
        assert!(plain.contains(&"insert_deduplication_token=t".to_owned()));
        let of_two = engine(", quorum: 2, cluster: main, timeout_s: 7");
        let published = settings(&of_two, "days");
        for setting in [
            "insert_quorum=2",
            "insert_quorum_timeout=7000",
            "insert_quorum_parallel=0",
            "distributed_foreground_insert=1",
        ] {
            assert!(published.contains(&setting.to_owned()), "{setting}: {published:?}");
        }
        let counted = settings(&of_two, "arrivals");
        assert!(!counted.iter().any(|one| one.starts_with("insert_quorum_parallel")));
    }
}
