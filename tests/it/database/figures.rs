//! The same sightings in a data folder and in a database: the same figures, and the oracle's.

use std::collections::BTreeMap;

use firstcall::call::{CallDuration, Sighting};
use firstcall::clock::ManualClock;
use firstcall::figures::DayFigures;
use firstcall::nightly::{self, DaysToRun};
use firstcall::store::{Batch, Store, Writer, WriterOptions};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::nightly::{comparable, histories, oracle};
use crate::support::stores::Place;

/// Sends every sighting in requests of `size`, runs the pass, and reads what it published.
fn figures(store: &Store, sightings: &[Sighting], size: usize) -> Vec<DayFigures> {
    let writer = Writer::start(store, WriterOptions::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let now = histories::day().end().saturating_add(CallDuration::from_secs(7200));
    for part in sightings.chunks(size) {
        runtime.block_on(writer.commit(Batch::of(now, part.to_vec()))).unwrap();
    }
    writer.close().unwrap();
    let day = histories::day();
    let range = DaysToRun::Range { from: day, to: day };
    let pass = nightly::run(store, range, &ManualClock::at(now), &mut |_event| {}).unwrap();
    assert!(pass.failed.is_empty(), "{:?}", pass.failed);
    store.read_days(day, day).unwrap()
}

#[test]
fn a_history_has_the_same_figures_in_either_store_and_by_the_book() {
    let place = Place::clickhouse();
    let folders = Place::folder();
    let config = Config { cases: place.cases(144), failure_persistence: None, ..Config::default() };
    let values = (histories::history().prop_shuffle(), 1..40_usize);
    let ended = TestRunner::new(config).run(&values, |(sightings, size)| {
        let in_database = figures(&place.store(), &sightings, size);
        // Histogram buckets, quality counts and all.
        prop_assert_eq!(&in_database, &figures(&folders.store(), &sightings, size));
        let by_day = |days: Vec<DayFigures>| -> BTreeMap<_, _> {
            days.into_iter().map(|day| (day.day, comparable(day))).collect()
        };
        let mut found = by_day(in_database);
        let day = histories::day();
        let expected = comparable(oracle::figures(day, &sightings));
        prop_assert_eq!(found.remove(&day).unwrap(), expected);
        Ok(())
    });
    assert!(ended.is_ok(), "{}", ended.unwrap_err());
}
