//! The store through its own doors: each test once for a data folder and once for a database.

#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../../../tests/support/clickhouse.rs"]
mod clickhouse;
pub(super) mod figures;
#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../../../tests/support/stores.rs"]
mod stores;
mod writing;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};

use self::stores::{Place, on_each_store};
use super::{Batch, Store, StoreError, Writer, WriterOptions};
use crate::call::arbitrary::plain_sighting;
use crate::call::{Attempt, Day, Sighting, SpanId, UnixNanos};

/// Tries a property of fresh stores.
#[track_caller]
fn check<S: Strategy>(place: &Place, cases: u32, values: S, test: impl Fn(&Store, S::Value)) {
    let cases = place.cases(cases);
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: 64, ..Config::default() };
    let result = TestRunner::new(config).run(&values, |value| {
        test(&place.store(), value);
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
}

pub(in crate::store) fn day() -> Day {
    "2026-11-29".parse().unwrap()
}

/// A sighting of its own that starts `seconds` into `day`.
pub(in crate::store) fn sighting(number: u64, day: Day, seconds: u64) -> Sighting {
    let start = day.start().get() + seconds * 1_000_000_000;
    Sighting {
        span_id: SpanId::from_bytes(&number.to_be_bytes()).unwrap(),
        start: UnixNanos::new(start),
        end: UnixNanos::new(start + 1),
        received: UnixNanos::new(start + 2),
        ..plain_sighting()
    }
}

pub(in crate::store) fn batch(sightings: Vec<Sighting>) -> Batch {
    Batch::of(day().start(), sightings)
}

/// Waits for a future of the writer's.
pub(in crate::store) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

/// Commits batches one after another with a writer of its own.
#[track_caller]
pub(in crate::store) fn commit_all(store: &Store, batches: impl IntoIterator<Item = Batch>) {
    let writer = Writer::start(store, WriterOptions::default()).unwrap();
    for batch in batches {
        wait(writer.commit(batch)).unwrap();
    }
    writer.close().unwrap();
}

/// Everything that a day's file holds, and how reading it ended.
pub(in crate::store) fn read(store: &Store, day: Day) -> (Vec<Sighting>, Result<(), StoreError>) {
    let mut found = Vec::new();
    let ended =
        store.read_sightings(day, UnixNanos::new(0), UnixNanos::new(u64::MAX), &mut |row| {
            found.push(row);
        });
    (found, ended)
}

/// The span ids that a day's file holds, as the numbers that [`sighting`] made them of.
#[track_caller]
pub(in crate::store) fn numbers(store: &Store, day: Day) -> Vec<u64> {
    let (found, ended) = read(store, day);
    ended.unwrap();
    let mut numbers: Vec<u64> =
        found.iter().map(|row| u64::from_be_bytes(*row.span_id.as_bytes())).collect();
    numbers.sort_unstable();
    numbers
}
