//! Thousands of greedy or slow peers against the real program, and the healthy one beside them.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::receive::client::{EXPORT, Pieces, call, connect_h2, export, head, post};
use crate::receive::spans::{framed, gzip, one_call};
use crate::support::RunningServer;

const PEERS: usize = 2000;
const MIB: u64 = 1024 * 1024;

/// The budget of `limits.max_in_flight_bytes` as it is by default, and what may come on top.
const ALLOWED: u64 = (256 + 64) * MIB;

/// Resident bytes of a process.
fn resident(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

/// Whether this process may have as many connections open as the test needs; asks for them.
fn may_open_many() -> bool {
    let id = std::process::id().to_string();
    let wanted = format!("--nofile={}:{}", PEERS + 500, PEERS + 500);
    let raised =
        std::process::Command::new("prlimit").args(["--pid", &id, &wanted]).output().is_ok();
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits.lines().find(|line| line.starts_with("Max open files"));
    let soft = files.and_then(|line| line.split_whitespace().nth(3)?.parse().ok()).unwrap_or(0);
    if soft < PEERS + 100 {
        eprintln!("skipped: {soft} open files are too few (prlimit was run: {raised})");
    }
    soft >= PEERS + 100
}

/// Holds connections that each send `start` and then nothing.
async fn hold(address: SocketAddr, start: &[u8]) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..PEERS {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(start).await.unwrap();
        streams.push(stream);
    }
    streams
}

async fn assert_healthy_beside(server: &RunningServer, what: &str) {
    let started = Instant::now();
    for _ in 0..10 {
        assert_eq!(post(server.http, b"", &[]).await.status, 200, "beside {what}");
        let answer = export(server.grpc, &[], framed(0, b"")).await;
        assert_eq!(answer.grpc_status(), 0, "beside {what}");
    }
    assert!(started.elapsed() < Duration::from_secs(10), "{:?} beside {what}", started.elapsed());
    let resident = resident(server.id());
    assert!(resident < ALLOWED, "{} MiB beside {what}", resident / MIB);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bugs_28_29_two_thousand_peers_that_claim_much_or_send_slowly_cost_little() {
    if !may_open_many() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = RunningServer::start(&folder.path().join("data"));
    let claim = format!("{}\r\n", head(64 * 1024 * 1024));
    let with_bytes = [claim.as_bytes(), &[0; 16 * 1024]].concat();
    for (what, start) in [
        ("peers that claim 64 MiB", claim.as_bytes()),
        ("peers that claim 64 MiB and send a little", &with_bytes),
        ("peers that never finish their head", &head(10).as_bytes()[..30]),
        ("peers that say nothing", b""),
    ] {
        let peers = hold(server.http, start).await;
        assert_healthy_beside(&server, what).await;
        drop(peers);
    }
    assert_eq!(server.stop().status.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bug_31_ten_thousand_calls_that_are_reset_at_once_cost_the_next_client_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = RunningServer::start(&folder.path().join("data"));
    let mut resets = 0;
    while resets < 10_000 {
        let mut sender = connect_h2(server.grpc).await;
        // The receiver may end the connection; the peer opens the next.
        while resets < 10_000 && sender.ready().await.is_ok() {
            let request = http::Request::post(format!("http://localhost{EXPORT}"))
                .header("content-type", "application/grpc")
                .body(Pieces::endless(vec![0; 5]))
                .unwrap();
            let mut answer = Box::pin(sender.send_request(request));
            // Polled once, so that it is on its way, and dropped, which resets it.
            drop(tokio::time::timeout(Duration::ZERO, answer.as_mut()).await);
            drop(answer);
            resets += 1;
        }
    }
    assert_healthy_beside(&server, "resets").await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bug_17_a_hundred_bombs_at_once_stay_within_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let server = RunningServer::start(&folder.path().join("data"));
    let bomb = framed(1, &gzip(&vec![0; 100_000_000]));
    let bombs: Vec<_> = (0..100)
        .map(|_| {
            let (address, bomb) = (server.grpc, bomb.clone());
            tokio::spawn(async move {
                let mut sender = connect_h2(address).await;
                let headers = [("grpc-encoding", "gzip")];
                call(&mut sender, EXPORT, &headers, Pieces::whole(bomb)).await.grpc_status()
            })
        })
        .collect();
    let mut most = 0;
    while bombs.iter().any(|bomb| !bomb.is_finished()) {
        most = most.max(resident(server.id()));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    for bomb in bombs {
        // Too large, or no room to find out at the moment.
        assert!(matches!(bomb.await.unwrap(), 8 | 14));
    }
    assert!(most < ALLOWED, "{} MiB", most / MIB);
    assert_healthy_beside(&server, "bombs").await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spans_of_ten_thousand_attributes_or_of_long_ones_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let server = RunningServer::start(&folder.path().join("data"));
    let many = crate::receive::spans::call_with_attributes(10_000);
    assert_eq!(post(server.http, &many, &[]).await.status, 200);
    assert_eq!(post(server.http, &one_call(), &[]).await.status, 200);
    assert_healthy_beside(&server, "large spans").await;
    server.stop();
}
