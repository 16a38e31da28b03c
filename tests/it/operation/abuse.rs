//! Thousands of greedy or slow peers against the real program, and the healthy one beside them.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::receive::client::{EXPORT, Pieces, call, connect_h2, export, head, post};
use crate::receive::spans::{framed, gzip, one_call};
use crate::support::RunningServer;

const PEERS: usize = 2000;

/// Files that server and test need each to hold them all open, with the server's reserve.
const FILES: usize = 2 * PEERS + 1000;

const MIB: u64 = 1024 * 1024;

/// The budget of `limits.max_in_flight_bytes` as it is by default, and what may come on top.
const ALLOWED: u64 = (256 + 64) * MIB;

/// The most bytes that a process has ever had resident.
fn most_resident(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

/// Whether this process may have as many connections open as the test needs; asks for them.
fn may_open_many() -> bool {
    let id = std::process::id().to_string();
    let prlimit = |files: String| {
        let wanted = format!("--nofile={files}");
        let output = std::process::Command::new("prlimit").args(["--pid", &id, &wanted]).output();
        output.is_ok_and(|output| output.status.success())
    };
    // The server inherits the upper limit; half of what it has is for connections on one address.
    let raised = prlimit(format!("{FILES}:")) || prlimit(format!("{FILES}:{FILES}"));
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits.lines().find(|line| line.starts_with("Max open files"));
    let soft = files.and_then(|line| line.split_whitespace().nth(3)?.parse().ok()).unwrap_or(0);
    if soft < FILES {
        eprintln!("skipped: {soft} open files are too few (prlimit was run: {raised})");
    }
    soft >= FILES
}

/// A call over HTTP/2 in bytes: the preface, the head of an export, and a message that claims
/// 64 MiB and brings `more`.
fn claim_over_grpc(more: usize) -> Vec<u8> {
    let frame = |kind: u8, flags: u8, stream: u32, payload: &[u8]| {
        let len = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&len[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
    };
    // HPACK (RFC 7541): literals with names of their own, not indexed.
    let field = |name: &str, value: &str| {
        let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
        [vec![0], text(name), text(value)].concat()
    };
    let head = [
        field(":method", "POST"),
        field(":scheme", "http"),
        field(":path", EXPORT),
        field("content-type", "application/grpc"),
    ];
    let message = [&[0][..], &(64 * 1024 * 1024_u32).to_be_bytes(), &vec![0; more]].concat();
    [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        frame(4, 0, 0, &[]),
        frame(1, 4, 1, &head.concat()),
        frame(0, 0, 1, &message),
    ]
    .concat()
}

/// Sends a byte on each connection, again and again, until it is dropped.
fn trickle(peers: Vec<TcpStream>) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        let mut peers = peers;
        loop {
            for peer in &mut peers {
                // The receiver gives up the slowest in time.
                drop(peer.write_all(b"x").await);
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    })
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
    let resident = most_resident(server.id());
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
    let over_grpc = claim_over_grpc(10_000);
    for (what, start) in [
        ("peers that claim 64 MiB", claim.as_bytes()),
        ("peers that claim 64 MiB and send a little", &with_bytes),
        ("peers that claim 64 MiB over gRPC and send a little", &over_grpc),
        ("peers that never finish their head", &head(10).as_bytes()[..30]),
        ("peers that say nothing", b""),
    ] {
        let peers = hold(server.http, start).await;
        assert_healthy_beside(&server, what).await;
        drop(peers);
    }
    for (what, start) in [
        ("peers that send a head byte by byte", &head(10).as_bytes()[..30]),
        ("peers that send a body byte by byte", claim.as_bytes()),
    ] {
        let sending = trickle(hold(server.http, start).await);
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert_healthy_beside(&server, what).await;
        }
        sending.abort();
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
    for bomb in bombs {
        // Too large, or no room to find out at the moment.
        assert!(matches!(bomb.await.unwrap(), 8 | 14));
    }
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_beyond_the_cap_waits_and_is_served_when_another_ends() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("firstcall.yaml");
    std::fs::write(&config, "limits: {max_connections: 3}\n").unwrap();
    let data_dir = folder.path().join("data");
    let server = RunningServer::start_with(&data_dir, &["--config", config.to_str().unwrap()], &[]);
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(server.http).await.unwrap();
        stream.write_all(head(10).as_bytes()).await.unwrap();
        held.push(stream);
    }
    // Those that are served have a slot each; a moment later the next one has none.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let next = tokio::spawn({
        let address = server.http;
        async move { post(address, b"", &[]).await.status }
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(!next.is_finished(), "a fourth connection was served");
    // The other address has slots of its own.
    assert_eq!(export(server.grpc, &[], framed(0, b"")).await.grpc_status(), 0);
    held.pop();
    assert_eq!(next.await.unwrap(), 200);
    drop(held);
    server.stop();
}
