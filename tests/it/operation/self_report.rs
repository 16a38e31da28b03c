//! `/metrics`, `/healthz` and `/readyz` of a running program.

use std::net::SocketAddr;
use std::time::Duration;

use firstcall::clock::{Clock, SystemClock};
use prost::Message;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::receive::client::{Answer, export, head, post, read_answer, send};
use crate::receive::spans::{call, framed, one_call, ordinary, request};
use crate::support::RunningServer;

async fn get(address: SocketAddr, path: &str) -> Answer {
    send(address, format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await
}

/// The value of the line that begins with `name` and a space.
fn value(page: &str, name: &str) -> String {
    let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in:\n{page}")).to_owned()
}

fn start(folder: &std::path::Path) -> RunningServer {
    let config = folder.join("firstcall.yaml");
    std::fs::write(&config, "telemetry: {metrics: {endpoint: '127.0.0.1:0'}}\n").unwrap();
    let data_dir = folder.join("data");
    RunningServer::start_with(&data_dir, &["--config", config.to_str().unwrap()], &[])
}

#[tokio::test]
async fn what_was_sent_is_counted_and_shown_for_prometheus() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let metrics = server.metrics.unwrap();
    let now = SystemClock.now().get();
    let mut spans = vec![call(1), call(2), ordinary(3)];
    for span in &mut spans {
        span.start_time_unix_nano = now;
        span.end_time_unix_nano = span.start_time_unix_nano;
    }
    spans[1].span_id = vec![0; 8];
    let bytes = request(spans).encode_to_vec();
    assert_eq!(post(server.http, &bytes, &[]).await.status, 200);
    assert_eq!(export(server.grpc, &[], framed(0, &bytes)).await.grpc_status(), 0);
    assert_eq!(post(server.http, b"junk", &[]).await.status, 400);

    let answer = get(metrics, "/metrics").await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    let page = String::from_utf8(answer.body).unwrap();
    assert_eq!(value(&page, "firstcall_spans_total"), "6");
    assert_eq!(value(&page, "firstcall_refused_spans_total{reason=\"bad_id\"}"), "2");
    assert_eq!(value(&page, "firstcall_requests_total{transport=\"http\",code=\"200\"}"), "1");
    assert_eq!(value(&page, "firstcall_requests_total{transport=\"http\",code=\"400\"}"), "1");
    assert_eq!(value(&page, "firstcall_requests_total{transport=\"grpc\",code=\"0\"}"), "1");
    let received: usize = value(&page, "firstcall_received_bytes_total").parse().unwrap();
    assert_eq!(received, bytes.len() + bytes.len() + 5 + 4);
    assert_eq!(value(&page, "firstcall_in_flight_bytes"), "0");
    assert_eq!(value(&page, "firstcall_commit_seconds_count"), "2");
    assert_eq!(value(&page, "firstcall_storage_failing"), "0");
    let kept = page.lines().filter(|line| line.starts_with("firstcall_kept_spans_total{"));
    let kept: u64 = kept.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!(kept, 2);
    // Nothing that was sent stands there.
    assert!(!page.contains("shop"), "{page}");
    server.stop();
}

#[tokio::test]
async fn a_draining_program_is_healthy_and_not_ready() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let metrics = server.metrics.unwrap();
    for path in ["/healthz", "/readyz"] {
        assert_eq!(get(metrics, path).await.status, 200, "{path}");
    }
    // A request that is on its way holds the end up.
    let body = one_call();
    let mut stream = TcpStream::connect(server.http).await.unwrap();
    let half = [head(body.len()).as_bytes(), b"\r\n", &body[..10]].concat();
    stream.write_all(&half).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.signal("TERM");
    while get(metrics, "/readyz").await.status == 200 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(get(metrics, "/readyz").await.body, b"draining\n");
    assert_eq!(get(metrics, "/healthz").await.status, 200);
    stream.write_all(&body[10..]).await.unwrap();
    assert_eq!(read_answer(&mut stream).await.unwrap().status, 200);
    assert_eq!(server.wait().status.code(), Some(0));
}

#[tokio::test]
async fn a_second_signal_ends_a_draining_program_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let metrics = server.metrics.unwrap();
    let mut stream = TcpStream::connect(server.http).await.unwrap();
    stream.write_all(format!("{}\r\n", head(900)).as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.signal("TERM");
    while get(metrics, "/readyz").await.status == 200 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let stopped = server.stop_by("INT");
    assert_eq!(stopped.status.code(), Some(1));
    assert!(stopped.took < Duration::from_secs(5), "{:?}", stopped.took);
}
