//! Group commits, answers, and what a writer does when the disk fails it.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::call::Name;
use crate::call::arbitrary::{name, sighting as any_sighting};
use crate::figures::ArrivalCounts;
use crate::figures::arbitrary::arrival_counts;

#[test]
fn what_was_answered_can_be_read_by_another_handle() {
    let (_folder, store) = fresh();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    let rows = vec![sighting(1, day(), 5), sighting(2, day(), 3)];
    wait(writer.commit(batch(rows.clone()))).unwrap();
    // The writer still runs: this is a reader beside it.
    let reader = Store::open(store.dir()).unwrap();
    let (found, ended) = read(&reader, day());
    ended.unwrap();
    assert_eq!(found, rows);
}

#[test]
fn sightings_lie_in_the_file_of_the_day_in_which_they_start() {
    let (_folder, store) = fresh();
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

#[test]
fn reading_keeps_to_its_range() {
    let (_folder, store) = fresh();
    let rows = (0..10).map(|number| sighting(number + 1, day(), number)).collect();
    commit_all(&store, [batch(rows), batch(vec![sighting(100, day(), 4)])]);
    let mut found = Vec::new();
    let at = |seconds| sighting(1, day(), seconds).start;
    store.read_sightings(day(), at(4), at(6), &mut |row| found.push(row.start)).unwrap();
    assert_eq!(found, [at(4), at(5), at(4)]);
}

#[test]
fn a_hundred_commits_at_once_are_each_answered_and_stored_once() {
    let (_folder, store) = fresh();
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

#[test]
fn what_waits_behind_a_commit_is_committed_in_one_group() {
    let (_folder, store) = fresh();
    commit_all(&store, [batch(vec![sighting(1000, day(), 1)])]);
    let file = files(&store).day_file(day());
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    wait(async {
        let commits: Vec<_> = (1..=100)
            .map(|number| tokio::spawn(writer.commit(batch(vec![sighting(number, day(), 1)]))))
            .collect();
        // The tasks run in turn with this one: in the end all hundred are queued, some of them in
        // the first group, which waits for the lock.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        other.execute_batch("ROLLBACK").unwrap();
        for commit in commits {
            commit.await.unwrap().unwrap();
        }
    });
    let batches: i64 =
        other.query_row("SELECT count(*) FROM batches", [], |row| row.get(0)).unwrap();
    assert!(batches <= 3, "{batches} batches: one from before and two groups");
    assert_eq!(numbers(&store, day()).len(), 101);
}

#[test]
fn a_small_queue_makes_commits_wait_and_loses_none() {
    let (_folder, store) = fresh();
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

#[test]
fn a_dropped_commit_is_stored_whole_or_not_at_all() {
    let (_folder, store) = fresh();
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

#[test]
fn closing_commits_what_waits_and_refuses_what_comes_later() {
    let (_folder, store) = fresh();
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

#[test]
fn a_second_writer_is_refused_and_told_who_the_first_is() {
    let (_folder, store) = fresh();
    let first = Writer::start(&store, WriterOptions::default()).unwrap();
    let second = Writer::start(&store, WriterOptions::default()).unwrap_err();
    let StoreError::WriterRunning { pid, .. } = &second else { panic!("{second}") };
    assert_eq!(*pid, Some(std::process::id()));
    drop(first);
    Writer::start(&store, WriterOptions::default()).unwrap();
}

#[test]
fn a_full_day_file_fails_its_commits_and_the_writer_goes_on() {
    let (_folder, store) = fresh();
    // Ten pages of 8 KiB: the empty file takes seven.
    let options = WriterOptions { max_day_file_bytes: Some(10 * 8192), ..WriterOptions::default() };
    let writer = Writer::start(&store, options).unwrap();
    let mut stored = Vec::new();
    let full = (1..).step_by(50).find_map(|first| {
        let rows = (first..first + 50).map(|number| sighting(number, day(), 1)).collect();
        match wait(writer.commit(batch(rows))) {
            Ok(_) => {
                stored.extend(first..first + 50);
                None
            }
            Err(error) => Some(error),
        }
    });
    let full = full.unwrap();
    assert!(matches!(full, StoreError::Full { .. }) && full.is_retryable(), "{full}");
    assert!(!stored.is_empty());
    // Nothing of the failed commit is half-kept, and another day still has room. A request that
    // touches both days fails as a whole.
    assert_eq!(numbers(&store, day()), stored);
    wait(writer.commit(batch(vec![sighting(1, day().plus(1), 1)]))).unwrap();
    let both = (1..60).map(|number| sighting(number + 9000, day(), 1));
    let both = both.chain([sighting(2, day().plus(1), 1)]).collect();
    assert!(matches!(wait(writer.commit(batch(both))), Err(StoreError::Full { .. })));
    writer.close().unwrap();
    // With room again the same file takes more.
    commit_all(&store, [batch(vec![sighting(9000, day(), 1)])]);
    assert_eq!(numbers(&store, day()).last(), Some(&9000));
}

#[test]
fn a_locked_day_file_is_told_and_works_again_once_it_is_free() {
    let (_folder, store) = fresh();
    commit_all(&store, [batch(vec![sighting(1, day(), 1)])]);
    let file = files(&store).day_file(day());
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    let locked = wait(writer.commit(batch(vec![sighting(2, day(), 1)]))).unwrap_err();
    assert!(matches!(locked, StoreError::Locked { .. }) && locked.is_retryable(), "{locked}");
    other.execute_batch("ROLLBACK").unwrap();
    wait(writer.commit(batch(vec![sighting(2, day(), 1)]))).unwrap();
    assert_eq!(numbers(&store, day()), [1, 2]);
}

#[test]
fn a_day_file_that_was_moved_away_is_made_anew() {
    let (folder, store) = fresh();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    wait(writer.commit(batch(vec![sighting(1, day(), 1)]))).unwrap();
    for suffix in ["", "-wal", "-shm"] {
        let name = format!("{}.sqlite{suffix}", day());
        std::fs::rename(files(&store).sightings_dir().join(&name), folder.path().join(&name))
            .unwrap();
    }
    wait(writer.commit(batch(vec![sighting(2, day(), 1)]))).unwrap();
    assert_eq!(numbers(&store, day()), [2]);
    // With the whole folder gone nothing is answered with success.
    std::fs::remove_dir_all(store.dir()).unwrap();
    let gone = wait(writer.commit(batch(vec![sighting(3, day(), 1)]))).unwrap_err();
    assert!(gone.is_retryable(), "{gone}");
}

#[test]
fn many_days_in_turn_keep_few_files_open_and_all_their_rows() {
    let (_folder, store) = fresh();
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

#[test]
fn counts_of_requests_without_sightings_reach_the_file_by_day_and_emitter() {
    let (_folder, store) = fresh();
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

#[test]
fn counts_are_kept_while_a_pass_publishes_and_delay_no_answer() {
    let (_folder, store) = fresh();
    let options =
        WriterOptions { arrivals_every: Duration::from_millis(1), ..WriterOptions::default() };
    let writer = Writer::start(&store, options).unwrap();
    let main = rusqlite::Connection::open(files(&store).main_file()).unwrap();
    main.execute_batch("BEGIN IMMEDIATE").unwrap();
    for number in 1..=20_u64 {
        let counts = ArrivalCounts { requests: 1, ..ArrivalCounts::default() };
        let counts = BTreeMap::from([(Name::cut("shop"), counts)]);
        let with_counts = Batch { counts, ..batch(vec![sighting(number, day(), 1)]) };
        wait(writer.commit(with_counts)).unwrap();
    }
    main.execute_batch("ROLLBACK").unwrap();
    writer.close().unwrap();
    let counts = store.arrival_counts(day(), day()).unwrap();
    assert_eq!(counts[&Name::cut("shop")].requests, 20);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_sightings_come_back_as_they_were(
        batches in prop::collection::vec(prop::collection::vec(any_sighting(), 1..4), 1..4),
    ) {
        let (_folder, store) = fresh();
        commit_all(&store, batches.iter().cloned().map(batch));
        let mut found = Vec::new();
        for day in store.sighting_days().unwrap() {
            let (rows, ended) = read(&store, day);
            ended.unwrap();
            prop_assert!(rows.iter().all(|row| row.start.day().min(Day::MAX) == day));
            found.extend(rows);
        }
        let mut sent: Vec<Sighting> = batches.into_iter().flatten().collect();
        // The very last instant lies outside every range.
        sent.retain(|row| row.start.get() < u64::MAX);
        let key = |row: &Sighting| (row.trace_id, row.span_id, row.start);
        sent.sort_by_key(key);
        found.sort_by_key(key);
        prop_assert_eq!(found, sent);
    }

    #[test]
    fn arrival_counts_add_up(
        books in prop::collection::vec((name(), arrival_counts()), 1..6),
    ) {
        let (_folder, store) = fresh();
        let mut expected: BTreeMap<Name, ArrivalCounts> = BTreeMap::new();
        for (emitter, counts) in books {
            expected.entry(emitter.clone()).or_default().merge(&counts);
            let counts = BTreeMap::from([(emitter, counts)]);
            commit_all(&store, [Batch { counts, ..batch(Vec::new()) }]);
        }
        // An emitter with nothing but zeros leaves no row.
        expected.retain(|_emitter, counts| *counts != ArrivalCounts::default());
        prop_assert_eq!(store.arrival_counts(day(), day()).unwrap(), expected);
    }
}
