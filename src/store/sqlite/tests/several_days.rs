//! Requests whose sightings belong to several days, and days that cannot be written.

use super::*;
use crate::store::error::Damage;

/// Makes a day's file one that nothing can be written into: a folder stands in its place.
fn block(store: &Store, day: Day) {
    std::fs::create_dir_all(files(store).day_file(day)).unwrap();
}

fn unblock(store: &Store, day: Day) {
    std::fs::remove_dir(files(store).day_file(day)).unwrap();
}

#[test]
fn a_batch_of_two_days_is_kept_whole_or_not_at_all() {
    let (_folder, store) = fresh();
    let (first, second) = (day(), day().plus(1));
    block(&store, second);
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    let both = || batch(vec![sighting(1, first, 1), sighting(2, second, 1)]);
    // In one group with a batch that touches the sound day alone.
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (failed, alone) = runtime.block_on(async {
        let (failed, alone) =
            (writer.commit(both()), writer.commit(batch(vec![sighting(3, first, 1)])));
        let failed = tokio::spawn(failed);
        (failed, tokio::spawn(alone).await.unwrap())
    });
    let failed = runtime.block_on(failed).unwrap();
    assert!(failed.unwrap_err().is_retryable());
    alone.unwrap();
    assert_eq!(numbers(&store, first), [3]);
    unblock(&store, second);
    wait(writer.commit(both())).unwrap();
    assert_eq!((numbers(&store, first), numbers(&store, second)), (vec![1, 3], vec![2]));
}

#[test]
fn a_batch_may_touch_more_days_than_are_written_at_once() {
    let (_folder, store) = fresh();
    let days: Vec<Day> = (0..40).map(|before| day().minus(before)).collect();
    let rows = days.iter().zip(1..).map(|(day, number)| sighting(number, *day, 1));
    commit_all(&store, [batch(rows.collect())]);
    for (day, number) in days.into_iter().zip(1..) {
        assert_eq!(numbers(&store, day), [number]);
    }
}

#[test]
fn a_log_that_is_broken_within_is_told_until_it_is_taken_away_and_the_rest_is_read() {
    let (folder, store) = fresh();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    for number in 1..=5 {
        wait(writer.commit(batch(vec![sighting(number, day(), number)]))).unwrap();
    }
    let image = folder.path().join("image");
    copy(store.dir(), &image);
    let revived = Store::open(&image).unwrap();
    let file = files(&revived).day_file(day());
    let log = file.with_extension("sqlite-wal");
    let mut bytes = std::fs::read(&log).unwrap();
    // Within the last but one commit: the one before it and the last are whole.
    let at = bytes.len() * 3 / 4;
    bytes[at] ^= 1;
    std::fs::write(&log, &bytes).unwrap();
    std::fs::remove_file(file.with_extension("sqlite-shm")).unwrap();
    for _ in 0..2 {
        let (found, ended) = read(&revived, day());
        assert!((1..5).contains(&found.len()), "{} rows", found.len());
        let error = ended.unwrap_err();
        assert!(matches!(&error, StoreError::Corrupt { damage: Damage::Log, .. }), "{error}");
        assert!(error.to_string().contains("sqlite-wal.damaged"), "{error}");
    }
    let kept = file.with_extension("sqlite-wal.damaged");
    assert_eq!(std::fs::read(&kept).unwrap(), bytes);
    std::fs::remove_file(kept).unwrap();
    assert!(read(&revived, day()).1.is_ok());
}
