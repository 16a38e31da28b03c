//! A disk that is full, read-only, locked, failing or damaged under the running program.
//!
//! The small disks are file systems in memory (tmpfs); where this process may not mount, those
//! tests say so and are skipped. The failing disk is a limit on the size of files.

use std::path::{Path, PathBuf};
use std::process::Command;

use firstcall::clock::{Clock, SystemClock};
use prost::Message;

use crate::exactly_once::stored;
use crate::receive::client::{export, post};
use crate::receive::spans::{call_at, framed, request};
use crate::support::RunningServer;

/// A file system of two megabytes in memory; gone when dropped.
struct TinyDisk(PathBuf);

impl TinyDisk {
    /// None where this process may not mount.
    fn mount(at: &Path) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let args = ["-t", "tmpfs", "-o", "size=2m", "tmpfs"];
        let mounted = Command::new("mount").args(args).arg(at).output().ok()?;
        if !mounted.status.success() {
            eprintln!("skipped: this process may not mount a file system");
            return None;
        }
        Some(Self(at.to_owned()))
    }

    fn remount(&self, how: &str) {
        let how = format!("remount,{how}");
        let done = Command::new("mount").args(["-o", &how]).arg(&self.0).status().unwrap();
        assert!(done.success(), "{how}");
    }
}

impl Drop for TinyDisk {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

/// Noon of that many days ago.
fn noon(days_ago: u32) -> u64 {
    SystemClock.now().day().minus(days_ago).start().get() + 12 * 3600 * 1_000_000_000
}

/// A request of two hundred calls of yesterday, of its own numbers.
fn body(number: u64) -> Vec<u8> {
    let calls = (0..200).map(|call| call_at(number * 1000 + call, noon(1) + call));
    request(calls.collect()).encode_to_vec()
}

/// A request with one call of that many days ago.
fn one(number: u64, days_ago: u32) -> Vec<u8> {
    request(vec![call_at(number, noon(days_ago))]).encode_to_vec()
}

/// A request with a call of yesterday and, with the next number, one of the day before.
fn two_days(number: u64) -> Vec<u8> {
    request(vec![call_at(number, noon(1)), call_at(number + 1, noon(2))]).encode_to_vec()
}

fn day_file(data_dir: &Path, days_ago: u32) -> PathBuf {
    let day = SystemClock.now().day().minus(days_ago);
    data_dir.join("sightings").join(format!("{day}.sqlite"))
}

/// Both transports ask to send `bytes` again, after a delay.
async fn is_told_to_come_back(server: &RunningServer, bytes: &[u8]) {
    let answer = post(server.http, bytes, &[]).await;
    assert_eq!(answer.status, 503);
    let delay: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=5).contains(&delay), "{delay} s");
    let answer = export(server.grpc, &[], framed(0, bytes)).await;
    assert_eq!((answer.grpc_status(), answer.has_retry_info()), (14, true));
}

#[tokio::test]
async fn bug_27_a_full_disk_is_told_to_senders_and_works_again_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = TinyDisk::mount(&folder.path().join("disk")) else { return };
    let data_dir = disk.0.join("data");
    let ballast = disk.0.join("ballast");
    let server = RunningServer::start(&data_dir);
    std::fs::write(&ballast, vec![0; 600_000]).unwrap();
    let mut taken = Vec::new();
    let refused = loop {
        let number = taken.len() as u64;
        let answer = post(server.http, &body(number), &[]).await;
        if answer.status != 200 {
            break answer;
        }
        taken.push(number);
        assert!(number < 1000, "the disk never fills");
    };
    assert_eq!(refused.status, 503);
    assert!(refused.header("retry-after").is_some());
    let next = taken.len() as u64;
    let answer = export(server.grpc, &[], framed(0, &body(next))).await;
    assert_eq!((answer.grpc_status(), answer.has_retry_info()), (14, true));
    std::fs::remove_file(&ballast).unwrap();
    assert_eq!(post(server.http, &body(next), &[]).await.status, 200);
    taken.push(next);
    let stopped = server.stop();
    let log = String::from_utf8(stopped.log).unwrap();
    assert!(log.contains("store takes no data"), "{log}");
    assert!(log.contains("store takes data again"), "{log}");
    let stored = stored(&data_dir);
    for number in taken {
        for call in 0..200 {
            assert!(stored.contains(&(number * 1000 + call)), "lost {number}/{call}");
        }
    }
}

#[tokio::test]
async fn bug_27_a_read_only_disk_is_told_to_senders_and_works_again_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let Some(disk) = TinyDisk::mount(&data_dir.join("sightings")) else { return };
    let server = RunningServer::start(&data_dir);
    disk.remount("ro");
    is_told_to_come_back(&server, &two_days(0)).await;
    disk.remount("rw");
    assert!(stored(&data_dir).is_empty());
    assert_eq!(post(server.http, &two_days(0), &[]).await.status, 200);
    let log = String::from_utf8(server.stop().log).unwrap();
    assert!(log.contains("store takes no data") && log.contains("no permission"), "{log}");
    assert_eq!(stored(&data_dir), [0, 1].into());
}

#[tokio::test]
async fn bug_27_a_locked_day_fails_the_whole_request_and_works_again_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let server = RunningServer::start(&data_dir);
    assert_eq!(post(server.http, &two_days(0), &[]).await.status, 200);
    // Some other program has begun to write into one of the two days.
    let other = rusqlite::Connection::open(day_file(&data_dir, 2)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    is_told_to_come_back(&server, &two_days(10)).await;
    // The other day had taken its part; it must not stay.
    assert_eq!(stored(&data_dir), [0, 1].into());
    assert_eq!(post(server.http, &one(20, 1), &[]).await.status, 200, "its neighbour is well");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(post(server.http, &two_days(10), &[]).await.status, 200);
    server.stop();
    assert_eq!(stored(&data_dir), [0, 1, 10, 11, 20].into());
}

#[tokio::test]
async fn bug_27_a_failing_disk_is_told_to_senders_and_works_again_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    // Writing past the limit is an error of the operating system, not the end of the process.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_firstcall")]);
    command.args(["serve", "--grpc-endpoint", "127.0.0.1:0", "--http-endpoint", "127.0.0.1:0"]);
    command.arg("--data-dir").arg(&data_dir).env_remove("FIRSTCALL_CONFIG");
    let server = RunningServer::spawn(command);
    assert_eq!(post(server.http, &two_days(0), &[]).await.status, 200);
    let limit = |bytes: &str| {
        let args = ["--pid", &server.id().to_string(), &format!("--fsize={bytes}:unlimited")];
        Command::new("prlimit").args(args).status().is_ok_and(|status| status.success())
    };
    if !limit("4096") {
        eprintln!("skipped: this process may not limit another's files");
        return;
    }
    is_told_to_come_back(&server, &two_days(10)).await;
    assert!(limit("unlimited"));
    assert_eq!(stored(&data_dir), [0, 1].into());
    assert_eq!(post(server.http, &two_days(10), &[]).await.status, 200);
    let log = String::from_utf8(server.stop().log).unwrap();
    assert!(log.contains("store takes no data") && log.contains("store takes data again"), "{log}");
    assert_eq!(stored(&data_dir), [0, 1, 10, 11].into());
}

/// Ten commits of yesterday and of the day before each, and no end in order.
async fn killed(data_dir: &Path) {
    let server = RunningServer::start(data_dir);
    for number in 0..10 {
        assert_eq!(post(server.http, &one(number, 1), &[]).await.status, 200);
        assert_eq!(post(server.http, &one(100 + number, 2), &[]).await.status, 200);
    }
    server.signal("KILL");
    server.wait();
}

fn log_of(data_dir: &Path, days_ago: u32) -> PathBuf {
    day_file(data_dir, days_ago).with_extension("sqlite-wal")
}

fn pass(data_dir: &Path, days_ago: u32) -> (Option<i32>, String) {
    let day = SystemClock.now().day().minus(days_ago).to_string();
    let output = crate::support::firstcall(data_dir, &["nightly", "--day", &day]);
    (output.status.code(), crate::support::stderr(&output))
}

#[tokio::test]
async fn a_torn_tail_costs_nothing_before_it_and_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    killed(&data_dir).await;
    let log = std::fs::OpenOptions::new().write(true).open(log_of(&data_dir, 1)).unwrap();
    log.set_len(log.metadata().unwrap().len() - 100).unwrap();
    let server = RunningServer::start(&data_dir);
    assert_eq!(post(server.http, &one(50, 1), &[]).await.status, 200);
    let told = String::from_utf8(server.stop().log).unwrap();
    assert!(told.contains("the log ends within a commit"), "{told}");
    // The last commit of yesterday is what was torn.
    let yesterday = (0..9).chain([50]);
    assert_eq!(stored(&data_dir), yesterday.chain(100..110).collect());
    let (code, told) = pass(&data_dir, 1);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("10 calls"), "{told}");
}

#[tokio::test]
async fn a_flipped_byte_costs_its_day_alone_and_is_told() {
    for part in ["log", "file"] {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().join("data");
        killed(&data_dir).await;
        let damaged = if part == "log" {
            log_of(&data_dir, 1)
        } else {
            // An end in order copies the log into the file.
            RunningServer::start(&data_dir).stop();
            drop(pass(&data_dir, 2));
            day_file(&data_dir, 1)
        };
        let mut bytes = std::fs::read(&damaged).unwrap();
        let at = bytes.windows(9).position(|bytes| bytes == [1, 1, 1, 1, 1, 1, 1, 1, 0]).unwrap();
        bytes[at] ^= 1;
        std::fs::write(&damaged, bytes).unwrap();

        let server = RunningServer::start(&data_dir);
        assert_eq!(post(server.http, &one(150, 2), &[]).await.status, 200, "{part}");
        let told = String::from_utf8(server.stop().log).unwrap();
        // A day that is covered is read again only where more has come, or on demand.
        assert!(part == "file" || told.contains("damaged within"), "{part}: {told}");
        let (code, told) = pass(&data_dir, 2);
        assert_eq!(code, Some(0), "{part}: {told}");
        assert!(told.contains("11 calls"), "{part}: {told}");
        let (code, told) = pass(&data_dir, 1);
        assert!(code != Some(0) && told.contains("is damaged"), "{part}: {told}");
        assert!(told.contains("move the file out of the data folder"), "{part}: {told}");
    }
}
