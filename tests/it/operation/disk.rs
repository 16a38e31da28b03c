//! A disk that is full or damaged under the running program.

use std::path::{Path, PathBuf};
use std::process::Command;

use firstcall::clock::{Clock, SystemClock};
use prost::Message;

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
        mounted.status.success().then(|| Self(at.to_owned()))
    }
}

impl Drop for TinyDisk {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

/// A request of two hundred calls of yesterday, of its own numbers.
fn body(number: u64) -> Vec<u8> {
    let noon = SystemClock.now().day().minus(1).start().get() + 12 * 3600 * 1_000_000_000;
    let calls = (0..200).map(|call| call_at(number * 1000 + call, noon + call));
    request(calls.collect()).encode_to_vec()
}

#[tokio::test]
async fn bug_27_a_full_disk_is_told_to_senders_and_works_again_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = TinyDisk::mount(&folder.path().join("disk")) else {
        eprintln!("skipped: this process may not mount a file system");
        return;
    };
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
    let stored = crate::exactly_once::stored(&data_dir);
    for number in taken {
        for call in 0..200 {
            assert!(stored.contains(&(number * 1000 + call)), "lost {number}/{call}");
        }
    }
}
