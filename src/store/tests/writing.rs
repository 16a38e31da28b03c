//! Group commits, answers, and what comes back.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::call::Name;
use crate::call::arbitrary::{attempt as any_attempt, name, sighting as any_sighting};
use crate::figures::ArrivalCounts;
use crate::figures::arbitrary::arrival_counts;

on_each_store! {
    fn what_was_answered_can_be_read_by_another_handle(place) {
        let store = place.store();
        let writer = Writer::start(&store, WriterOptions::default()).unwrap();
        let rows = vec![sighting(1, day(), 5), sighting(2, day(), 3)];
        wait(writer.commit(batch(rows.clone()))).unwrap();
        // The writer still runs: this is a reader beside it.
        let reader = place.reader(&store);
        let (mut found, ended) = read(&reader, day());
        ended.unwrap();
        found.sort_by_key(|row| row.span_id);
        assert_eq!(found, rows);
    }

    fn sightings_lie_in_the_day_in_which_they_start(place) {
        let store = place.store();
        let (first, second) = (day(), day().plus(1));
        commit_all(
            &store,
            [batch(vec![sighting(1, first, 86_399), sighting(2, second, 0), sighting(3, first, 0)])],
        );
        assert_eq!(numbers(&store, first), [1, 3]);
        assert_eq!(numbers(&store, second), [2]);
        assert_eq!(store.sighting_days().unwrap(), [first, second]);
        assert_eq!(numbers(&store, day().plus(2)), [0; 0]);
    }

    fn reading_keeps_to_its_range(place) {
        let store = place.store();
        let rows = (0..10).map(|number| sighting(number + 1, day(), number)).collect();
        commit_all(&store, [batch(rows), batch(vec![sighting(100, day(), 4)])]);
        let mut found = Vec::new();
        let at = |seconds| sighting(1, day(), seconds).start;
        store.read_sightings(day(), at(4), at(6), &mut |row| found.push(row.start)).unwrap();
        found.sort_unstable();
        assert_eq!(found, [at(4), at(4), at(5)]);
    }

    fn a_hundred_commits_at_once_are_each_answered_and_stored_once(place) {
        let store = place.store();
        let writer = Writer::start(&store, WriterOptions::default()).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        runtime.block_on(async {
            let tasks: Vec<_> = (1..=100)
                .map(|number| {
                    // Every tenth request touches two days.
                    let mut rows = vec![sighting(number, day(), number)];
                    if number % 10 == 0 {
                        rows.push(sighting(number + 1000, day().plus(1), number));
                    }
                    tokio::spawn(writer.commit(batch(rows)))
                })
                .collect();
            for task in tasks {
                task.await.unwrap().unwrap();
            }
        });
        assert_eq!(numbers(&store, day()), (1..=100).collect::<Vec<u64>>());
        let second: Vec<u64> = (1..=10).map(|number| number * 10 + 1000).collect();
        assert_eq!(numbers(&store, day().plus(1)), second);
    }

    fn a_small_queue_makes_commits_wait_and_loses_none(place) {
        let store = place.store();
        let options =
            WriterOptions { queue_sightings: 2, group_sightings: 1, ..WriterOptions::default() };
        let writer = Writer::start(&store, options).unwrap();
        wait(async {
            // Batches of three sightings are larger than the whole queue.
            let commits = (0..20).map(|number| {
                let rows = (1..=3).map(|each| sighting(number * 3 + each, day(), number)).collect();
                writer.commit(batch(rows))
            });
            for commit in commits.collect::<Vec<_>>() {
                commit.await.unwrap();
            }
        });
        assert_eq!(numbers(&store, day()).len(), 60);
    }

    fn a_dropped_commit_is_stored_whole_or_not_at_all(place) {
        let store = place.store();
        let writer = Writer::start(&store, WriterOptions::default()).unwrap();
        wait(async {
            for number in 1..=20_u64 {
                let rows = vec![sighting(number, day(), 1), sighting(number + 100, day(), 2)];
                let commit = writer.commit(batch(rows));
                // Polled once, so that it is queued, and then given up.
                let given_up = tokio::time::timeout(Duration::ZERO, commit);
                let _ended = given_up.await.is_ok();
            }
        });
        writer.close().unwrap();
        let found = numbers(&store, day());
        for number in 1..=20 {
            assert_eq!(found.contains(&number), found.contains(&(number + 100)), "{number}");
        }
    }

    fn closing_commits_what_waits_and_refuses_what_comes_later(place) {
        let store = place.store();
        let writer = Writer::start(&store, WriterOptions::default()).unwrap();
        wait(async {
            let commit = tokio::spawn(writer.commit(batch(vec![sighting(1, day(), 1)])));
            tokio::task::yield_now().await;
            writer.close().unwrap();
            commit.await.unwrap().unwrap();
            let late = writer.commit(batch(vec![sighting(2, day(), 1)])).await.unwrap_err();
            assert!(matches!(late, StoreError::WriterStopped) && late.is_retryable(), "{late}");
            let empty = writer.commit(batch(Vec::new())).await.unwrap_err();
            assert!(matches!(empty, StoreError::WriterStopped), "{empty}");
        });
        assert!(writer.has_stopped());
        writer.close().unwrap();
        assert_eq!(numbers(&store, day()), [1]);
        // The folder is free again.
        commit_all(&store, [batch(vec![sighting(3, day(), 1)])]);
        assert_eq!(numbers(&store, day()), [1, 3]);
    }

    fn many_days_in_turn_keep_all_their_rows(place) {
        let store = place.store();
        let options = WriterOptions { open_days: 2, ..WriterOptions::default() };
        let writer = Writer::start(&store, options).unwrap();
        for round in 0..2_u64 {
            for ahead in 0..6_u32 {
                let number = round * 100 + u64::from(ahead) + 1;
                wait(writer.commit(batch(vec![sighting(number, day().plus(ahead), 1)]))).unwrap();
            }
        }
        for ahead in 0..6_u32 {
            let number = u64::from(ahead) + 1;
            assert_eq!(numbers(&store, day().plus(ahead)), [number, number + 100]);
        }
    }

    fn counts_of_requests_without_sightings_are_kept_by_day_and_emitter(place) {
        let store = place.store();
        let counts = |emitter: &str, spans: u64| {
            let counts = ArrivalCounts { requests: 1, spans, ..ArrivalCounts::default() };
            BTreeMap::from([(Name::cut(emitter), counts)])
        };
        let at =
            |ahead: u32, counts| Batch { counts, ..Batch::of(day().plus(ahead).start(), Vec::new()) };
        commit_all(&store, [at(0, counts("shop", 3)), at(0, counts("shop", 4)), at(1, counts("", 5))]);
        commit_all(&store, [at(0, counts("shop", 1))]);
        let first = store.arrival_counts(day(), day()).unwrap();
        assert_eq!(first.len(), 1);
        let shop = &first[&Name::cut("shop")];
        assert_eq!((shop.requests, shop.spans), (3, 8));
        let both = store.arrival_counts(day(), day().plus(1)).unwrap();
        assert_eq!(both[&Name::cut("")].spans, 5);
        // Nothing was stored, so there is no file of sightings and no sync was needed.
        assert_eq!(store.sighting_days().unwrap(), []);
    }

    fn any_sightings_come_back_as_they_were(place) {
        let batches = prop::collection::vec(prop::collection::vec(any_sighting(), 1..4), 1..4);
        check(place, 24, batches, |store, batches| {
            commit_all(store, batches.iter().cloned().map(batch));
            let mut found = Vec::new();
            for day in store.sighting_days().unwrap() {
                let (rows, ended) = read(store, day);
                ended.unwrap();
                assert!(rows.iter().all(|row| row.start.day().min(Day::MAX) == day));
                found.extend(rows);
            }
            let mut sent: Vec<Sighting> = batches.into_iter().flatten().collect();
            // The very last instant lies outside every range.
            sent.retain(|row| row.start.get() < u64::MAX);
            let key = |row: &Sighting| (row.trace_id, row.span_id, row.start);
            sent.sort_by_key(key);
            found.sort_by_key(key);
            assert_eq!(found, sent);
        });
    }

    fn any_attempts_come_back_as_they_were(place) {
        check(place, 24, prop::collection::vec(any_attempt(), 1..9), |store, mut attempts| {
            commit_all(store, [Batch { attempts: attempts.clone(), ..batch(Vec::new()) }]);
            let mut found = Vec::new();
            let always = (UnixNanos::new(0), UnixNanos::new(u64::MAX));
            for day in store.sighting_days().unwrap() {
                let mut visit = |attempt| found.push(attempt);
                store.read_attempts(day, always, &mut Name::clone, &mut visit).unwrap();
            }
            attempts.retain(|attempt| attempt.start.get() < u64::MAX);
            let key = |attempt: &Attempt| (attempt.trace_id, attempt.span_id, attempt.start);
            attempts.sort_by_key(key);
            found.sort_by_key(key);
            assert_eq!(found, attempts);
        });
    }

    fn arrival_counts_add_up(place) {
        check(place, 24, prop::collection::vec((name(), arrival_counts()), 1..6), |store, books| {
            let mut expected: BTreeMap<Name, ArrivalCounts> = BTreeMap::new();
            for (emitter, counts) in books {
                expected.entry(emitter.clone()).or_default().merge(&counts);
                let counts = BTreeMap::from([(emitter, counts)]);
                commit_all(store, [Batch { counts, ..batch(Vec::new()) }]);
            }
            // An emitter with nothing but zeros leaves no row.
            expected.retain(|_emitter, counts| *counts != ArrivalCounts::default());
            assert_eq!(store.arrival_counts(day(), day()).unwrap(), expected);
        });
    }
}
