//! Files that are absent, damaged, foreign, too new, or copied in the middle of work.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;

use rusqlite::Connection;

use super::*;
use crate::store::Damage;

#[test]
fn a_folder_without_data_is_told_apart_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent");
    for dir in [folder.path(), &absent] {
        let error = Store::open(dir).unwrap_err();
        assert!(matches!(error, StoreError::NothingThere { .. }), "{error}");
        assert!(error.help().is_some());
    }
    assert!(!absent.exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_file_in_the_folders_place_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    fs::write(&path, "mine").unwrap();
    let error = Store::create(&path).unwrap_err();
    assert!(matches!(error, StoreError::NotAFolder { .. }), "{error}");
    let below = Store::create(&path.join("deeper")).unwrap_err();
    assert!(matches!(below, StoreError::NotAFolder { .. }), "{below}");
    let read = Store::open(&path).unwrap_err();
    assert!(matches!(&read, StoreError::NotAFolder { path: told } if *told == path), "{read}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn making_a_folder_twice_keeps_its_secret() {
    let (_folder, store) = fresh();
    let secret = store.secret().unwrap();
    assert_ne!(secret.as_bytes(), &[0; 32]);
    let again = Store::create(store.dir()).unwrap();
    assert_eq!(again.secret().unwrap(), secret);
    let mode = fs::metadata(files(&store).secret_file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Nothing else is left lying about.
    let mut names: Vec<_> = fs::read_dir(store.dir())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["firstcall.sqlite", "secret", "sightings"]);
}

#[test]
fn many_processes_may_make_one_folder_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("data");
    let secrets: Vec<_> = std::thread::scope(|scope| {
        let makers: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Store::create(&dir).unwrap().secret().unwrap()))
            .collect();
        makers.into_iter().map(|maker| maker.join().unwrap()).collect()
    });
    assert!(secrets.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_secret_of_another_length_is_damage() {
    let (_folder, store) = fresh();
    fs::write(files(&store).secret_file(), [1; 31]).unwrap();
    let error = store.secret().unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { damage: Damage::Secret, .. }), "{error}");
}

#[test]
fn a_file_that_was_begun_and_never_given_its_tables_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    // Killed after the switch to the log, and killed before anything was written.
    let begun = Connection::open(folder.path().join("firstcall.sqlite")).unwrap();
    begun.pragma_update_and_check(None, "journal_mode", "WAL", |_row| Ok(())).unwrap();
    begun.close().unwrap();
    let store = Store::create(folder.path()).unwrap();
    assert_eq!(store.coverage().unwrap(), []);
    fs::write(files(&store).day_file(day()), []).unwrap();
    assert_eq!(numbers(&store, day()), [0; 0]);
    commit_all(&store, [batch(vec![sighting(1, day(), 1)])]);
    assert_eq!(numbers(&store, day()), [1]);
}

#[test]
fn a_newer_file_is_refused_and_left_byte_for_byte_alone() {
    let (_folder, store) = fresh();
    commit_all(&store, [batch(vec![sighting(1, day(), 1)])]);
    for file in [files(&store).main_file(), files(&store).day_file(day())] {
        let newer = Connection::open(&file).unwrap();
        newer.pragma_update(None, "user_version", 999).unwrap();
        newer.close().unwrap();
    }
    let bytes = |file: &Path| fs::read(file).unwrap();
    let (main, of_day) = (files(&store).main_file(), files(&store).day_file(day()));
    let before = (bytes(&main), bytes(&of_day));
    let error = Store::create(store.dir()).unwrap_err();
    assert!(matches!(error, StoreError::TooNew { found: 999, known: 5, .. }), "{error}");
    assert!(error.to_string().contains("999"), "{error}");
    assert!(matches!(Store::open(store.dir()), Err(StoreError::TooNew { .. })));
    assert!(matches!(store.coverage(), Err(StoreError::TooNew { .. })));
    assert!(matches!(read(&store, day()).1, Err(StoreError::TooNew { .. })));
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    let refused = wait(writer.commit(batch(vec![sighting(2, day(), 1)]))).unwrap_err();
    assert!(matches!(refused, StoreError::TooNew { .. }) && refused.is_retryable(), "{refused}");
    writer.close().unwrap();
    assert!((bytes(&main), bytes(&of_day)) == before);
}

#[test]
fn a_newer_file_whose_log_is_not_copied_yet_keeps_its_log() {
    let (_folder, store) = fresh();
    let main = files(&store).main_file();
    let newer = Connection::open(&main).unwrap();
    newer.pragma_update(None, "user_version", 999).unwrap();
    // The newer program was killed: its log stays behind.
    let other = tempfile::tempdir().unwrap();
    copy(store.dir(), other.path());
    let copied = |name: &str| fs::read(other.path().join(name)).unwrap();
    let before = (copied("firstcall.sqlite"), copied("firstcall.sqlite-wal"));
    assert!(matches!(Store::open(other.path()), Err(StoreError::TooNew { found: 999, .. })));
    assert!((copied("firstcall.sqlite"), copied("firstcall.sqlite-wal")) == before);
}

#[test]
fn another_programs_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = Connection::open(folder.path().join("firstcall.sqlite")).unwrap();
    theirs.execute_batch("CREATE TABLE notes (text TEXT)").unwrap();
    let error = Store::create(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::NotOurs { .. }), "{error}");
    let tables: i64 =
        theirs.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 1);
}

#[test]
fn garbage_in_a_files_place_is_told_and_costs_no_other_day() {
    let (_folder, store) = fresh();
    let next = day().plus(1);
    commit_all(&store, [batch(vec![sighting(1, day(), 1), sighting(2, next, 1)])]);
    let file = files(&store).day_file(day());
    for garbage in [vec![0x5a; 10], vec![0x5a; 100_000]] {
        fs::write(&file, &garbage).unwrap();
        let (_rows, ended) = read(&store, day());
        let error = ended.unwrap_err();
        assert!(matches!(&error, StoreError::Corrupt { file: found, .. } if *found == file));
        assert_eq!(numbers(&store, next), [2]);
        // Requests that do not touch the damaged day are still answered with success.
        let writer = Writer::start(&store, WriterOptions::default()).unwrap();
        let (bad, good) = wait(async {
            let bad = tokio::spawn(writer.commit(batch(vec![sighting(3, day(), 1)])));
            let elsewhere = batch(vec![sighting(4, next.plus(1), 1)]);
            let good = tokio::spawn(writer.commit(elsewhere));
            (bad.await.unwrap(), good.await.unwrap())
        });
        assert!(matches!(bad, Err(StoreError::Corrupt { .. })));
        good.unwrap();
        assert_eq!(fs::read(&file).unwrap(), garbage);
    }
    fs::write(files(&store).main_file(), vec![0x5a; 5000]).unwrap();
    let error = Store::create(store.dir()).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    assert!(error.to_string().contains("firstcall.sqlite"), "{error}");
}

/// Flips one bit at `at`, with no connection open.
fn flip(file: &Path, at: u64) {
    let mut bytes = fs::read(file).unwrap();
    let position = usize::try_from(at).unwrap();
    bytes[position] ^= 0x10;
    let mut opened = fs::OpenOptions::new().write(true).open(file).unwrap();
    opened.seek(SeekFrom::Start(at)).unwrap();
    opened.write_all(&bytes[position..=position]).unwrap();
}

#[test]
fn a_flipped_byte_in_a_batch_costs_that_batch_alone() {
    let (_folder, store) = fresh();
    let rows = |first: u64| (first..first + 10).map(|number| sighting(number, day(), 1)).collect();
    commit_all(&store, [batch(rows(1)), batch(rows(0xabcd_ef01_2345_6700)), batch(rows(101))]);
    let file = files(&store).day_file(day());
    let needle = 0xabcd_ef01_2345_6703_u64.to_be_bytes();
    let bytes = fs::read(&file).unwrap();
    let at = bytes.windows(8).position(|window| window == needle).unwrap();
    flip(&file, u64::try_from(at).unwrap());
    let (found, ended) = read(&store, day());
    assert_eq!(found.len(), 20);
    let error = ended.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { damage: Damage::Batch(2), .. }), "{error}");
    // Writing goes on.
    commit_all(&store, [batch(rows(201))]);
    assert_eq!(read(&store, day()).0.len(), 30);
}

#[test]
fn a_flipped_byte_in_a_name_is_never_read_as_another_name() {
    let (_folder, store) = fresh();
    let mut odd = sighting(2, day(), 1);
    odd.tool = Some(crate::call::Name::cut("refund_order_now"));
    commit_all(&store, [batch(vec![sighting(1, day(), 1)]), batch(vec![odd])]);
    let file = files(&store).day_file(day());
    let bytes = fs::read(&file).unwrap();
    let at = bytes.windows(16).position(|window| window == b"refund_order_now").unwrap();
    flip(&file, u64::try_from(at).unwrap());
    let (found, ended) = read(&store, day());
    assert_eq!(found, [sighting(1, day(), 1)]);
    assert!(matches!(ended, Err(StoreError::Corrupt { damage: Damage::Batch(2), .. })));
    // The next use of that name gets a number of its own.
    let mut again = sighting(3, day(), 1);
    again.tool = Some(crate::call::Name::cut("refund_order_now"));
    commit_all(&store, [batch(vec![again.clone()])]);
    assert_eq!(read(&store, day()).0, [sighting(1, day(), 1), again]);
}

#[test]
fn any_flipped_byte_is_told_or_harmless() {
    let (_folder, store) = fresh();
    let rows: Vec<Sighting> = (1..=40).map(|number| sighting(number, day(), number)).collect();
    commit_all(&store, rows.chunks(10).map(|rows| batch(rows.to_vec())));
    let file = files(&store).day_file(day());
    let sound = fs::read(&file).unwrap();
    // Every 97th byte of the file: 97 shares no factor with the page size.
    for at in (0..sound.len()).step_by(97) {
        flip(&file, u64::try_from(at).unwrap());
        let (found, ended) = read(&store, day());
        assert!(found.iter().all(|row| rows.contains(row)), "byte {at}");
        // Damage is either told, or it struck bytes that mean nothing.
        assert!(ended.is_err() || found == rows, "byte {at}");
        for suffix in ["-wal", "-shm"] {
            let log = file.with_file_name(format!("{}.sqlite{suffix}", day()));
            let _is_gone = fs::remove_file(log).is_ok();
        }
        fs::write(&file, &sound).unwrap();
    }
}

#[test]
fn a_copy_taken_at_any_moment_holds_everything_that_was_answered() {
    let (folder, store) = fresh();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    for number in 1..=12_u64 {
        wait(writer.commit(batch(vec![sighting(number, day(), number)]))).unwrap();
        // As a machine without power would leave it: the log is there and nobody closed it.
        let image = folder.path().join(format!("image-{number}"));
        copy(store.dir(), &image);
        let revived = Store::open(&image).unwrap();
        assert_eq!(numbers(&revived, day()), (1..=number).collect::<Vec<u64>>());
    }
}

#[test]
fn a_torn_log_keeps_every_commit_before_the_tear() {
    let (folder, store) = fresh();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    let log = files(&store).sightings_dir().join(format!("{}.sqlite-wal", day()));
    let mut ends = Vec::new();
    for number in 1..=5_u64 {
        wait(writer.commit(batch(vec![sighting(number, day(), number)]))).unwrap();
        ends.push((number, fs::metadata(&log).unwrap().len()));
    }
    let image = folder.path().join("image");
    copy(store.dir(), &image);
    let torn_log = image.join("sightings").join(format!("{}.sqlite-wal", day()));
    let whole = fs::read(&torn_log).unwrap();
    for cut in (0..whole.len()).step_by(1999) {
        let torn = folder.path().join(format!("torn-{cut}"));
        copy(&image, &torn);
        let log = torn.join("sightings").join(format!("{}.sqlite-wal", day()));
        let shared = torn.join("sightings").join(format!("{}.sqlite-shm", day()));
        fs::write(&log, &whole[..cut]).unwrap();
        fs::remove_file(shared).unwrap();
        let cut = u64::try_from(cut).unwrap();
        let kept = ends.iter().filter(|(_, end)| *end <= cut).map(|(number, _)| *number);
        let revived = Store::open(&torn).unwrap();
        assert_eq!(numbers(&revived, day()), kept.collect::<Vec<u64>>(), "cut at {cut}");
    }
}
