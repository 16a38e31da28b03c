//! The test front of the ClickHouse engine, talked to with the official client.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::time::{Duration, Instant};

use clickhouse::{Client, Compression, Row};
use serde::{Deserialize, Serialize};

use crate::support::clickhouse::{ClickHouse, Fault, FaultKind};

const ROWS: u64 = 20_000;

#[derive(Debug, Clone, PartialEq, Eq, Row, Serialize, Deserialize)]
struct Thing {
    id: u64,
    trace: [u8; 16],
    name: String,
    marks: Vec<i32>,
    maybe: Option<u16>,
    version: u64,
}

fn thing(id: u64) -> Thing {
    Thing {
        id,
        trace: u128::from(id).to_be_bytes(),
        name: format!("thing {id} 'quoted' \\ ünïcödé \0"),
        marks: vec![-1, i32::try_from(id).unwrap()],
        maybe: id.is_multiple_of(2).then_some(7),
        version: 1,
    }
}

const TABLE: &str = "CREATE TABLE thing (id UInt64, trace FixedString(16), name String, \
                     marks Array(Int32), maybe Nullable(UInt16), version UInt64) \
                     ENGINE = ReplacingMergeTree(version) ORDER BY id \
                     SETTINGS non_replicated_deduplication_window = 100";

async fn insert(client: &Client, things: &[Thing]) -> clickhouse::error::Result<()> {
    let mut insert = client.insert::<Thing>("thing").await?;
    for thing in things {
        insert.write(thing).await?;
    }
    insert.end().await
}

async fn count(client: &Client) -> u64 {
    client.query("SELECT count() FROM thing").fetch_one().await.unwrap()
}

#[tokio::test]
async fn rows_go_in_and_come_out_in_every_form_that_the_client_knows() {
    let engine = ClickHouse::start();
    engine.execute(TABLE);
    let things: Vec<Thing> = (0..ROWS).map(thing).collect();
    let client = engine.client();
    let forms = [
        client.clone().with_compression(Compression::None).with_validation(false),
        client.clone().with_compression(Compression::Lz4).with_validation(false),
        client.clone().with_compression(Compression::Lz4).with_validation(true),
        client.clone().with_setting("async_insert", "1").with_setting("wait_for_async_insert", "1"),
    ];
    for (times, form) in (1..).zip(&forms) {
        insert(form, &things).await.unwrap();
        assert_eq!(count(&client).await, ROWS, "form {times}");
        let query = form.query("SELECT ?fields FROM thing FINAL ORDER BY id");
        let found: Vec<Thing> = query.fetch_all().await.unwrap();
        assert!(found == things, "form {times}: {:?} of {}", found.first(), found.len());
        engine.execute("TRUNCATE TABLE thing");
    }
    let none = client.query("SELECT ?fields FROM thing WHERE id > 1000000").fetch_all::<Thing>();
    assert_eq!(none.await.unwrap(), []);
}

#[tokio::test]
async fn the_latest_version_of_a_row_holds() {
    let engine = ClickHouse::start();
    engine.execute(TABLE);
    let client = engine.client();
    insert(&client, &[thing(1), thing(2)]).await.unwrap();
    let newer = Thing { version: 2, name: "newer".to_owned(), ..thing(1) };
    insert(&client, std::slice::from_ref(&newer)).await.unwrap();
    insert(&client, &[thing(1)]).await.unwrap();
    let query = client.query("SELECT ?fields FROM thing FINAL ORDER BY id");
    assert_eq!(query.fetch_all::<Thing>().await.unwrap(), [newer, thing(2)]);
}

#[tokio::test]
async fn an_insert_sent_again_under_its_token_is_dropped() {
    let engine = ClickHouse::start();
    engine.execute(TABLE);
    let client = engine.client();
    let first = client.clone().with_setting("insert_deduplication_token", "first");
    insert(&first, &[thing(1), thing(2)]).await.unwrap();
    insert(&first, &[thing(1), thing(2)]).await.unwrap();
    assert_eq!(count(&client).await, 2);
    let second = client.clone().with_setting("insert_deduplication_token", "second");
    insert(&second, &[thing(1), thing(2)]).await.unwrap();
    assert_eq!(count(&client).await, 4);
}

#[tokio::test]
async fn values_are_bound_by_the_client_and_by_the_engine() {
    let engine = ClickHouse::start();
    let client = engine.client();
    let text = "it's \\ a\ttab \u{1f6e0}";
    let bound = client.query("SELECT ?, length(?)").bind(text).bind(text);
    assert_eq!(bound.fetch_one::<(String, u64)>().await.unwrap(), (text.to_owned(), 17));
    let query = client.query("SELECT {text: String}, arraySum({list: Array(UInt8)})");
    let found = query.param("text", text).param("list", vec![1_u8, 2]).fetch_one::<(String, u64)>();
    assert_eq!(found.await.unwrap(), (text.to_owned(), 3));
    let query = client.query("SELECT reinterpretAsInt64({at: DateTime64(9, 'UTC')})");
    let query = query.param("at", "1970-01-01 00:00:01.000000001");
    assert_eq!(query.fetch_one::<i64>().await.unwrap(), 1_000_000_001);
    assert_eq!(engine.ask("SELECT currentDatabase()").trim_end(), engine.database());
    assert_eq!(engine.ask("SELECT 'a', 1 UNION ALL SELECT 'b', 2 ORDER BY 1"), "a\t1\nb\t2\n");
}

#[tokio::test]
async fn settings_reach_the_engine() {
    let engine = ClickHouse::start();
    let client = engine.client().with_setting("max_result_rows", "10");
    let query = client.query("SELECT number FROM numbers(11)").fetch_all::<u64>();
    let error = query.await.unwrap_err().to_string();
    assert!(error.contains("Code: 396"), "{error}");
    let unknown = engine.client().with_setting("no_such_setting", "1");
    let error = unknown.query("SELECT 1").fetch_one::<u8>().await.unwrap_err().to_string();
    assert!(error.contains("Code: 115"), "{error}");
}

#[tokio::test]
async fn errors_come_with_their_code_at_once_or_within_the_answer() {
    let engine = ClickHouse::start();
    engine.execute(TABLE);
    let client = engine.client();
    let error = client.query("SELECT nothing").fetch_one::<u8>().await.unwrap_err().to_string();
    assert!(error.contains("Code: 47"), "{error}");
    let error = client.query("DROP TABLE nothing").execute().await.unwrap_err().to_string();
    assert!(error.contains("Code: 60"), "{error}");
    let mut missing = client.insert_formatted_with("INSERT INTO nothing FORMAT RowBinary");
    let sent = missing.send(vec![0_u8].into()).await;
    let error = match sent {
        Ok(()) => missing.end().await.unwrap_err(),
        Err(error) => error,
    };
    assert!(error.to_string().contains("Code: 60"), "{error}");
    let late = "SELECT number + throwIf(number = 3000000) FROM numbers(4000000) \
                SETTINGS max_threads = 1";
    let mut rows = client.query(late).fetch::<u64>().unwrap();
    let mut read = 0;
    let error = loop {
        match rows.next().await {
            Ok(Some(_)) => read += 1,
            Ok(None) => break "none".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("Code: 395") && (1..3_000_000).contains(&read), "{read}: {error}");
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_kill() {
    let mut engine = ClickHouse::start();
    if !engine.can_fail() {
        return;
    }
    engine.execute(TABLE);
    let url = engine.url().to_owned();
    insert(&engine.client(), &[thing(1)]).await.unwrap();
    engine.kill();
    insert(&engine.client(), &[thing(2)]).await.unwrap_err();
    engine.restart();
    assert_eq!(engine.url(), url);
    let query = engine.client().query("SELECT ?fields FROM thing").fetch_all::<Thing>();
    assert_eq!(query.await.unwrap(), [thing(1)]);
}

#[tokio::test]
async fn an_engine_that_stops_in_the_middle_of_an_insert_has_run_it_or_not() {
    let mut engine = ClickHouse::start();
    if !engine.can_fail() {
        return;
    }
    engine.execute(TABLE);
    for (kind, rows) in [(FaultKind::StopBefore, 0), (FaultKind::StopAfter, 1)] {
        engine.fault(Fault::new(kind).of("INSERT"));
        insert(&engine.client(), &[thing(1)]).await.unwrap_err();
        engine.wait_until_stopped();
        engine.restart();
        assert_eq!(count(&engine.client()).await, rows, "{kind:?}");
    }
}

#[tokio::test]
async fn faults_happen_to_the_statements_they_are_for_and_end() {
    let engine = ClickHouse::start();
    if !engine.can_fail() {
        return;
    }
    let client = engine.client();
    let one = || client.query("SELECT 1").fetch_one::<u8>();
    engine.fault(Fault::new(FaultKind::Refuse).of("SELECT 1").after(1).times(1));
    one().await.unwrap();
    assert_eq!(client.query("SELECT 2").fetch_one::<u8>().await.unwrap(), 2);
    one().await.unwrap_err();
    one().await.unwrap();
    engine.fault(Fault::new(FaultKind::Fail(202)));
    let error = one().await.unwrap_err().to_string();
    assert!(error.contains("Code: 202"), "{error}");
    engine.heal();
    engine.fault(Fault::new(FaultKind::Delay(Duration::from_millis(300))));
    let since = Instant::now();
    one().await.unwrap();
    assert!(since.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn an_engine_that_stops_within_an_answer_is_heard_as_an_error() {
    let mut engine = ClickHouse::start();
    if !engine.can_fail() {
        return;
    }
    engine.fault(Fault::new(FaultKind::StopWithin).of("numbers"));
    let mut rows =
        engine.client().query("SELECT number FROM numbers(4000000)").fetch::<u64>().unwrap();
    while rows.next().await.transpose().is_some_and(|row| row.is_ok()) {}
    engine.wait_until_stopped();
}
