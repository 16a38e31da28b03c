//! The program as an operator has it: the figures go out after a pass, and a receiver that is not
//! there changes nothing else.

use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use firstcall::store::Store;

use super::receiver::{Taken, start};
use crate::receive::client::send;
use crate::report::report_input::usual;
use crate::support::{RunningServer, firstcall, stderr};

/// A data folder with the usual days covered, and a configuration beside it.
fn prepare(folder: &Path, keys: &str) -> String {
    let store = Store::create(&folder.join("data")).unwrap();
    let at = usual().today.start();
    let lease = store.begin_pass(at, "a test").unwrap();
    for day in &usual().history {
        let watermark = store.watermark(day.day).unwrap();
        store.publish_day(&lease, day, at, &watermark).unwrap();
    }
    let config = folder.join("firstcall.yaml");
    std::fs::write(&config, keys).unwrap();
    config.to_str().unwrap().to_owned()
}

fn unused_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pass_by_hand_sends_the_figures_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let taken = Taken::default();
    let address = start(taken.clone(), None).await;
    let keys = format!("exporters: {{otlp: {{endpoint: 'http://{address}'}}}}\n");
    let config = prepare(folder.path(), &keys);
    let data = folder.path().join("data");
    let run = move || firstcall(&data, &["--config", &config, "nightly"]);
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let points = taken.points().len();
    assert!(
        points > 1_000 && said.contains(&format!("sent {points} figures as metrics")),
        "{said}"
    );
}

#[test]
fn a_pass_is_done_although_nobody_takes_the_figures() {
    let folder = tempfile::tempdir().unwrap();
    let keys =
        format!("exporters: {{otlp: {{endpoint: 'http://{}', timeout_s: 2}}}}\n", unused_address());
    let config = prepare(folder.path(), &keys);
    let output = firstcall(&folder.path().join("data"), &["--config", &config, "nightly"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("warning: the figures were not sent: the receiver at"), "{said}");
    assert!(said.contains("the next pass sends the figures again"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_rewrites_its_report_and_counts_what_could_not_be_sent() {
    let folder = tempfile::tempdir().unwrap();
    let keys = format!(
        "exporters: {{otlp: {{endpoint: 'http://{}', timeout_s: 2}}}}\n\
         telemetry: {{metrics: {{endpoint: '127.0.0.1:0'}}}}\n\
         report: {{assets: files}}\n",
        unused_address()
    );
    let config = prepare(folder.path(), &keys);
    let data = folder.path().join("data");
    let server = RunningServer::start_with(&data, &["--config", &config], &[]);
    let metrics = server.metrics.unwrap();
    let began = Instant::now();
    let page = loop {
        let answer = send(metrics, b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n").await;
        let page = String::from_utf8(answer.body).unwrap();
        if page.contains("firstcall_figure_exports_total{result=\"failed\"} 1") {
            break page;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{page}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert!(page.contains("firstcall_last_pass_succeeded 1"), "{page}");
    assert!(page.contains("firstcall_figure_exports_total{result=\"sent\"} 0"), "{page}");
    let index = std::fs::read_to_string(data.join("report/index.html")).unwrap();
    assert!(index.contains("search_orders"));
    // The configured form of the pages.
    assert!(index.contains("<link rel=\"stylesheet\"") && !index.contains("<style>"));
    let stopped = tokio::task::spawn_blocking(move || server.stop()).await.unwrap();
    let log = String::from_utf8(stopped.log).unwrap();
    assert!(log.contains("the figures were not sent"), "{log}");
}
