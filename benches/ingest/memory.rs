//! The most memory that `firstcall serve` holds with its default limits while 64 senders send as
//! fast as it answers: 48 over HTTP/1.1 and 16 over gRPC, every second request in gzip.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::task::JoinSet;

use super::serve::{framed, gzip, send};
use super::traffic;

const OVER_HTTP: usize = 48;
const OVER_GRPC: usize = 16;
/// How long they send.
const TIME: Duration = Duration::from_secs(15);

/// Measures and prints.
pub(crate) fn run(requests: &[Bytes]) {
    let folder = tempfile::tempdir().unwrap();
    let (mut server, grpc, http) = start(folder.path());
    let packed: Vec<Bytes> = requests.iter().map(|bytes| gzip(bytes).into()).collect();
    let (until, answered) = (Instant::now() + TIME, AtomicU64::new(0));
    thread::scope(|scope| {
        for sender in 0..OVER_HTTP {
            let (packed, answered) = (&packed, &answered);
            scope.spawn(move || {
                let mut stream = BufReader::new(TcpStream::connect(http).unwrap());
                for at in (sender..).take_while(|_| Instant::now() < until) {
                    let is_packed = at % 2 == 1;
                    let bodies = if is_packed { packed } else { requests };
                    post(&mut stream, &bodies[at % bodies.len()], is_packed);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        scope.spawn(|| over_grpc(grpc, requests, &packed, (until, &answered)));
    });
    let [peak, now] = ["VmHWM:", "VmRSS:"].map(|line| mib(&server.id().to_string(), line));
    let spans = answered.into_inner() * traffic::SPANS;
    println!(
        "{} senders: {:.0} spans/s, peak {peak} MiB, {now} MiB when they had ended",
        OVER_HTTP + OVER_GRPC,
        spans as f64 / TIME.as_secs_f64(),
    );
    server.kill().unwrap();
    server.wait().unwrap();
}

fn start(folder: &std::path::Path) -> (Child, SocketAddr, SocketAddr) {
    let any = "127.0.0.1:0";
    let mut server = Command::new(env!("CARGO_BIN_EXE_firstcall"))
        .args(["serve", "--grpc-endpoint", any, "--http-endpoint", any, "--data-dir"])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = |name: &str| {
        let word = line.split_whitespace().find_map(|word| word.strip_prefix(name));
        word.and_then(|address| address.parse().ok()).unwrap()
    };
    (server, address("grpc="), address("http="))
}

/// Sends one request and reads its answer.
fn post(stream: &mut BufReader<TcpStream>, body: &[u8], is_packed: bool) {
    let encoding = if is_packed { "content-encoding: gzip\r\n" } else { "" };
    let head = format!(
        "POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-protobuf\r\n\
         {encoding}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.get_mut().write_all(head.as_bytes()).unwrap();
    stream.get_mut().write_all(body).unwrap();
    let (mut length, mut line) = (0, String::new());
    stream.read_line(&mut line).unwrap();
    assert!(line.starts_with("HTTP/1.1 200"), "{line}");
    while line != "\r\n" {
        line.clear();
        stream.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    stream.read_exact(&mut vec![0; length]).unwrap();
}

fn over_grpc(
    address: SocketAddr,
    requests: &[Bytes],
    packed: &[Bytes],
    (until, answered): (Instant, &AtomicU64),
) {
    let plain: Arc<[Bytes]> = requests.iter().map(|bytes| framed(0, bytes)).collect();
    let packed: Arc<[Bytes]> = packed.iter().map(|bytes| framed(1, bytes)).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut senders = JoinSet::new();
        for sender in 0..OVER_GRPC {
            let (plain, packed) = (Arc::clone(&plain), Arc::clone(&packed));
            senders.spawn(async move {
                let stream = tokio::net::TcpStream::connect(address).await.unwrap();
                let (mut sending, connection) =
                    http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
                let connection = tokio::spawn(connection);
                let mut count = 0;
                for at in (sender..).take_while(|_| Instant::now() < until) {
                    let is_packed = at % 2 == 1;
                    let bodies = if is_packed { &packed } else { &plain };
                    send(&mut sending, bodies[at % bodies.len()].clone(), is_packed).await;
                    count += 1;
                }
                connection.abort();
                count
            });
        }
        while let Some(count) = senders.join_next().await {
            answered.fetch_add(count.unwrap(), Ordering::Relaxed);
        }
    });
}

/// A line of what Linux tells of a process's memory, in MiB.
pub(crate) fn mib(process: &str, line: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let told = status.lines().find_map(|told| told.strip_prefix(line)).unwrap_or_default();
    told.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}
