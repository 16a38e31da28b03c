//! Group commits, answers, and what a writer does when the disk fails it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::call::Name;
use crate::figures::ArrivalCounts;

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
