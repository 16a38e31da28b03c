//! `/metrics`, `/healthz` and `/readyz` of a running program.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use firstcall::clock::{Clock, SystemClock};
use opentelemetry_proto::tonic::collector::metrics::v1::metrics_service_server::{
    MetricsService, MetricsServiceServer,
};
use opentelemetry_proto::tonic::collector::metrics::v1::{
    ExportMetricsServiceRequest, ExportMetricsServiceResponse,
};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use opentelemetry_proto::tonic::metrics::v1::{Metric, NumberDataPoint};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::exporters::receiver::{ReceiverTls, Taken, start_over_https};
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

fn start(folder: &Path) -> RunningServer {
    start_with(folder, "")
}

/// Starts the program with its metrics shown, and with further keys of theirs.
fn start_with(folder: &Path, more: &str) -> RunningServer {
    let config = folder.join("firstcall.yaml");
    let text = format!("telemetry: {{metrics: {{endpoint: '127.0.0.1:0'{more}}}}}\n");
    std::fs::write(&config, text).unwrap();
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

/// Takes metrics and keeps the last request.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<ExportMetricsServiceRequest>>);

#[tonic::async_trait]
impl MetricsService for Sink {
    async fn export(
        &self,
        request: tonic::Request<ExportMetricsServiceRequest>,
    ) -> Result<tonic::Response<ExportMetricsServiceResponse>, tonic::Status> {
        *self.0.lock().unwrap() = request.into_inner();
        Ok(tonic::Response::new(ExportMetricsServiceResponse::default()))
    }
}

impl Sink {
    async fn serve(&self) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let incoming = tonic::transport::server::TcpIncoming::from(listener);
        let service = MetricsServiceServer::new(self.clone());
        let server = tonic::transport::Server::builder().add_service(service);
        tokio::spawn(server.serve_with_incoming(incoming));
        address
    }

    /// The metrics of the last request.
    fn metrics(&self) -> Vec<Metric> {
        let request = self.0.lock().unwrap().clone();
        let scopes = request.resource_metrics.into_iter().flat_map(|of| of.scope_metrics);
        scopes.flat_map(|of| of.metrics).collect()
    }

    /// The values of the last request as Prometheus writes them; histograms left out.
    fn values(&self) -> BTreeMap<String, u64> {
        let mut values = BTreeMap::new();
        for metric in self.metrics() {
            let points = match metric.data {
                Some(Data::Sum(sum)) => {
                    assert!(sum.is_monotonic, "{} is a counter", metric.name);
                    sum.data_points
                }
                Some(Data::Gauge(gauge)) => gauge.data_points,
                _ => continue,
            };
            values.extend(points.iter().map(|point| (written(&metric.name, point), number(point))));
        }
        values
    }
}

fn number(point: &NumberDataPoint) -> u64 {
    match point.value {
        Some(Value::AsInt(value)) => u64::try_from(value).unwrap(),
        _ => panic!("every figure is a whole number"),
    }
}

fn written(name: &str, point: &NumberDataPoint) -> String {
    use opentelemetry_proto::tonic::common::v1::any_value::Value as Text;
    let label = |pair: &opentelemetry_proto::tonic::common::v1::KeyValue| {
        let Some(Text::StringValue(text)) = pair.value.as_ref().unwrap().value.as_ref() else {
            panic!("labels are texts")
        };
        format!("{}=\"{text}\"", pair.key)
    };
    let labels: BTreeSet<_> = point.attributes.iter().map(label).collect();
    format!("{name}{{{}}}", labels.into_iter().collect::<Vec<_>>().join(","))
}

/// The same of Prometheus' page.
fn values_of(page: &str) -> BTreeMap<String, u64> {
    let lines = page.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.filter(|line| !line.starts_with("firstcall_commit_seconds"));
    let value = |line: &str| {
        let (name, value) = line.rsplit_once(' ').unwrap();
        let (name, labels) = name.split_once('{').unwrap_or((name, "}"));
        let labels: BTreeSet<_> = labels.trim_end_matches('}').split(',').collect();
        let labels: Vec<_> = labels.into_iter().collect();
        (format!("{name}{{{}}}", labels.join(",")), value.parse().unwrap())
    };
    lines.map(value).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_figures_are_sent_as_otlp_under_the_same_names() {
    let folder = tempfile::tempdir().unwrap();
    let sink = Sink::default();
    let endpoint = sink.serve().await;
    let more = format!(", interval_s: 1, otlp: {{endpoint: 'http://{endpoint}'}}");
    let server = start_with(folder.path(), &more);
    let now = SystemClock.now().get();
    let spans =
        [call(1), call(2), ordinary(3)].map(|span| Span { start_time_unix_nano: now, ..span });
    let bytes = request(spans.into()).encode_to_vec();
    for _ in 0..2 {
        assert_eq!(post(server.http, &bytes, &[]).await.status, 200);
    }
    let started = Instant::now();
    loop {
        let page = get(server.metrics.unwrap(), "/metrics").await.body;
        let shown = values_of(std::str::from_utf8(&page).unwrap());
        // The pass at the start ends at some moment of its own.
        if sink.values() == shown && shown.len() > 20 {
            assert_eq!(shown["firstcall_spans_total{}"], 6);
            assert_eq!(shown["firstcall_kept_spans_total{dialect=\"plain\"}"], 4);
            assert_eq!(shown["firstcall_duplicate_spans_total{}"], 2);
            assert!(shown.contains_key("firstcall_last_pass_succeeded{}"));
            break;
        }
        let sent = sink.values();
        assert!(started.elapsed() < Duration::from_secs(30), "{sent:#?}\n{shown:#?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // One call more, and the end: the last figures are sent.
    assert_eq!(export(server.grpc, &[], framed(0, &one_call_now())).await.grpc_status(), 0);
    let stopped = tokio::task::spawn_blocking(move || server.stop()).await.unwrap();
    assert_eq!(stopped.status.code(), Some(0));
    assert_eq!(sink.values()["firstcall_spans_total{}"], 7);
    let commits = sink.metrics().into_iter().find(|one| one.name == "firstcall_commit_seconds");
    let Some(Data::Histogram(commits)) = commits.unwrap().data else { panic!("a histogram") };
    assert_eq!(commits.data_points[0].count, 3);
    assert_eq!(commits.data_points[0].explicit_bounds[..2], [0.0005, 0.001]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_http_and_tls_they_are_sent_as_well_and_once_more_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let identity = || rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (receiver, own) = (identity(), identity());
    let write = |name: &str, pem: String| std::fs::write(folder.path().join(name), pem).unwrap();
    write("ca.pem", receiver.cert.pem());
    write("cert.pem", own.cert.pem());
    write("key.pem", own.signing_key.serialize_pem());
    let tls = ReceiverTls {
        cert: receiver.cert.pem(),
        key: receiver.signing_key.serialize_pem(),
        client_roots: Some(own.cert.pem()),
    };
    let taken = Taken::default();
    let port = start_over_https(taken.clone(), tls).await.port();
    let dir = folder.path().display();
    let more = format!(
        ", interval_s: 1, otlp: {{endpoint: 'https://localhost:{port}', protocol: http/protobuf, \
         tls: {{ca_file: '{dir}/ca.pem', cert_file: '{dir}/cert.pem', key_file: '{dir}/key.pem'}}}}"
    );
    let server = start_with(folder.path(), &more);
    let spans_told = || {
        let last = Sink(Arc::new(Mutex::new(taken.requests().pop().unwrap_or_default())));
        last.values().get("firstcall_spans_total{}").copied()
    };
    assert_eq!(post(server.http, &one_call_now(), &[]).await.status, 200);
    let started = Instant::now();
    while spans_told() != Some(1) {
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", spans_told());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(post(server.http, &one_call_now(), &[]).await.status, 200);
    let stopped = tokio::task::spawn_blocking(move || server.stop()).await.unwrap();
    assert_eq!(stopped.status.code(), Some(0));
    assert_eq!(spans_told(), Some(2));
    let log = String::from_utf8(stopped.log).unwrap();
    assert!(!log.contains("not taken"), "{log}");
}

fn one_call_now() -> Vec<u8> {
    let now = SystemClock.now().get();
    request(vec![Span { start_time_unix_nano: now, ..call(9) }]).encode_to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_of_metrics_that_is_not_there_is_told_once_and_holds_up_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // Bound and closed: nobody listens there.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let more = format!(", interval_s: 1, otlp: {{endpoint: 'http://{nobody}', timeout_s: 1}}");
    let server = start_with(folder.path(), &more);
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(post(server.http, &one_call_now(), &[]).await.status, 200);
    let stopped = tokio::task::spawn_blocking(move || server.stop()).await.unwrap();
    assert_eq!(stopped.status.code(), Some(0));
    assert!(stopped.took < Duration::from_secs(5), "{:?}", stopped.took);
    let log = String::from_utf8(stopped.log).unwrap();
    assert_eq!(log.matches("own metrics are not taken").count(), 1, "{log}");
}

#[tokio::test]
async fn bug_38_json_without_anything_known_is_counted_and_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let post_json = async |body: &str| {
        let head = head(body.len()).replace("x-protobuf", "json");
        send(server.http, format!("{head}\r\n{body}").as_bytes()).await.status
    };
    for body in [r#"{"hello":1}"#, r#"{"resourceLogs":[]}"#, "{}", r#"{"resourceSpans":[]}"#] {
        assert_eq!(post_json(body).await, 200, "{body}");
    }
    let page = get(server.metrics.unwrap(), "/metrics").await.body;
    let page = String::from_utf8(page).unwrap();
    // The last two are empty requests, and say so.
    assert_eq!(value(&page, "firstcall_unknown_requests_total"), "2");
    let log = String::from_utf8(server.stop().log).unwrap();
    assert_eq!(log.matches("holds nothing of OTLP's").count(), 1, "{log}");
}

#[tokio::test]
async fn row_49_indexes_in_place_of_texts_cost_no_span_and_are_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let now = SystemClock.now().get();
    for number in 1..3 {
        let mut span = Span { start_time_unix_nano: now, ..call(number) };
        let mut by_index = span.attributes[0].clone();
        by_index.key = String::new();
        by_index.key_strindex = 1;
        span.attributes.push(by_index);
        let bytes = request(vec![span]).encode_to_vec();
        let answer = post(server.http, &bytes, &[]).await;
        assert_eq!((answer.status, answer.body.len()), (200, 0));
    }
    let log = String::from_utf8(server.stop().log).unwrap();
    assert_eq!(log.matches("writes indexes for texts").count(), 1, "{log}");
}
