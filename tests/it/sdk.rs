//! The OpenTelemetry SDKs that people use, sending to the real binary; then the pass, then the
//! right numbers in all three forms of the report.
//!
//! Each exporter stands for a service of its own and sends the same fifteen conversations about
//! one tool, five of each kind:
//!
//! - one call, answered: a first-call success;
//! - a call answered with nothing, reworded after 6 s: one retry (`after_empty`), one success;
//! - a call whose arguments are refused, reworded after exactly 30 s, which is within the window:
//!   one retry (`after_bad_args`), one success.
//!
//! So 25 calls, all judged, 10 retried, 15 first-call successes: 60 %.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use opentelemetry::trace::{Span, SpanKind, Status, Tracer, TracerProvider};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use serde_json::Value;

use crate::support::{self, RunningServer};

/// Seconds from the conversation's start, arguments, result, error type.
type Call = (u64, &'static str, Option<&'static str>, Option<&'static str>);

const CONVERSATIONS: [&[Call]; 3] = [
    &[(0, r#"{"query":"shoes"}"#, Some(r#"[{"id":1}]"#), None)],
    &[
        (0, r#"{"query":"shoes","colour":"grey"}"#, Some("[]"), None),
        (6, r#"{"query":"grey shoes"}"#, Some(r#"[{"id":2}]"#), None),
    ],
    &[
        (0, r#"{"query":7}"#, None, Some("-32602")),
        (30, r#"{"query":"7"}"#, Some(r#"[{"id":3}]"#), None),
    ],
];
const ROUNDS: usize = 5;

/// Noon of yesterday, UTC, in seconds since the epoch.
#[expect(clippy::disallowed_methods, reason = "the real binary runs on the real clock")]
fn noon_of_yesterday() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    (now / 86_400 - 1) * 86_400 + 43_200
}

fn time(seconds: u64, millis: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_millis(millis)
}

/// Every conversation, several times, by one exporter.
fn send(service: &str, exporter: SpanExporter, start: u64) {
    let provider = SdkTracerProvider::builder()
        .with_resource(Resource::builder_empty().with_service_name(service.to_owned()).build())
        .with_batch_exporter(exporter)
        .build();
    let tracer = provider.tracer("rust-server");
    for number in 0..ROUNDS * CONVERSATIONS.len() {
        let begin = start + 60 * number as u64;
        for (at, arguments, result, error) in CONVERSATIONS[number % CONVERSATIONS.len()] {
            let mut attributes = vec![
                KeyValue::new("mcp.method.name", "tools/call"),
                KeyValue::new("gen_ai.operation.name", "execute_tool"),
                KeyValue::new("gen_ai.tool.name", "find_goods"),
                KeyValue::new("gen_ai.tool.call.arguments", *arguments),
                KeyValue::new("gen_ai.conversation.id", format!("{service}-{number}")),
                KeyValue::new("mcp.client.name", "rust-client"),
            ];
            attributes.extend(result.map(|text| KeyValue::new("gen_ai.tool.call.result", text)));
            attributes.extend(error.map(|kind| KeyValue::new("error.type", kind)));
            let builder = tracer
                .span_builder("tools/call find_goods")
                .with_kind(SpanKind::Server)
                .with_start_time(time(begin + at, 0))
                .with_attributes(attributes);
            let mut span = tracer.build_with_context(builder, &Context::new());
            if error.is_some() {
                span.set_status(Status::error(""));
            }
            span.end_with_timestamp(time(begin + at, 100));
        }
    }
    provider.force_flush().expect("the spans are delivered");
    provider.shutdown().expect("the exporter ends");
}

/// Runs the pass and the report beside the running server, and checks every form of it.
#[track_caller]
fn assert_sixty_percent(data_dir: &Path, services: &[&str]) {
    support::succeed(data_dir, &["nightly"]);
    let out = data_dir.with_file_name("site");
    support::succeed(data_dir, &["report", "--last", "1d", "--out", out.to_str().unwrap()]);
    let report: Value =
        serde_json::from_slice(&std::fs::read(out.join("report.json")).unwrap()).unwrap();
    let tools: BTreeMap<&str, &Value> = report["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (tool["service"].as_str().unwrap(), tool))
        .collect();
    assert_eq!(tools.keys().copied().collect::<Vec<_>>(), services);
    for (service, tool) in tools {
        assert_eq!(tool["tool"], "find_goods", "{service}");
        for (name, value) in [
            ("calls", 25),
            ("judged", 25),
            ("retried", 10),
            ("first_call_successes", 15),
            ("empty", 5),
        ] {
            assert_eq!(tool[name], value, "{service}: {name}");
        }
        assert_eq!(tool["retry_classes"]["after_empty"], 5, "{service}");
        assert_eq!(tool["retry_classes"]["after_bad_args"], 5, "{service}");
        assert_eq!(tool["first_call_success"]["rate"].as_f64(), Some(0.6), "{service}");
        for extension in ["html", "md"] {
            let page = page_of(&out, service, extension);
            for figure in ["60.0", "25"] {
                assert!(page.contains(figure), "{service}: no {figure} in its {extension} page");
            }
        }
    }
}

/// The page of a service's tool, in its form as HTML or as Markdown.
#[track_caller]
fn page_of(out: &Path, service: &str, extension: &str) -> String {
    let pages = std::fs::read_dir(out.join("tools")).unwrap().map(|entry| entry.unwrap().path());
    // The lists of all tools name every service; a tool's own page its own alone.
    let is_tools = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("find-goods-") && path.extension().is_some_and(|e| e == extension)
    };
    let mut pages = pages.filter(is_tools).map(|path| std::fs::read_to_string(path).unwrap());
    pages
        .find(|page| page.contains(service))
        .unwrap_or_else(|| panic!("no {extension} page for {service}"))
}

/// The export holds every call of the day and no fingerprint, in both formats.
#[track_caller]
fn assert_exported(data_dir: &Path, day: &str, calls: usize) {
    let json = support::succeed(data_dir, &["export", "calls", "--day", day]);
    let json = support::stdout(&json);
    assert_eq!(json.lines().count(), calls);
    for line in json.lines() {
        let call: Value = serde_json::from_str(line).unwrap();
        assert_eq!(call["tool"], "find_goods");
        assert!(call.as_object().unwrap().keys().all(|key| !key.contains("hash")), "{line}");
    }
    let csv = support::succeed(data_dir, &["export", "calls", "--day", day, "--format", "csv"]);
    let csv = support::stdout(&csv);
    assert_eq!(csv.lines().count(), calls + 1);
    assert!(csv.starts_with("service,tool,client,"), "{:?}", csv.lines().next());
}

#[test]
fn the_rust_sdk_is_understood_over_both_transports() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let server = RunningServer::start(&data_dir);
    let start = noon_of_yesterday();

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let within = runtime.enter();
    let grpc = SpanExporter::builder().with_tonic().with_endpoint(server.grpc_url());
    send("rust-grpc", grpc.build().unwrap(), start);
    drop(within);
    let http = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{}/v1/traces", server.http_url()));
    send("rust-http", http.build().unwrap(), start);

    assert_eq!(server.stop().status.code(), Some(0));

    // A server that starts after missed nights makes up for them and writes its report. The
    // first one may have covered the day while the calls still came in; its report goes.
    std::fs::remove_dir_all(data_dir.join("report")).ok();
    let server = RunningServer::start(&data_dir);
    let report = data_dir.join("report/report.json");
    let since = Instant::now();
    let caught_up = loop {
        let report = std::fs::read(&report).unwrap_or_default();
        let report: Value = serde_json::from_slice(&report).unwrap_or_default();
        // The first server may have covered the day while half of its calls were still to come.
        if report["overall"]["calls"] == 50 {
            break report;
        }
        assert!(since.elapsed() < Duration::from_mins(1), "no night was made up for");
        std::thread::sleep(Duration::from_millis(20));
    };
    let day = firstcall::call::UnixNanos::new(start * 1_000_000_000).day().to_string();
    assert_eq!(caught_up["as_of"], day);

    assert_sixty_percent(&data_dir, &["rust-grpc", "rust-http"]);
    assert_exported(&data_dir, &day, 50);
    assert_eq!(server.stop().status.code(), Some(0));
}

#[test]
fn the_python_sdk_is_understood_over_both_transports() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let server = RunningServer::start(&data_dir);

    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let found = Command::new(scripts.join("interpreter")).output().expect("bash runs");
    assert!(found.status.success(), "{}", support::stderr(&found));
    let sent = Command::new(support::stdout(&found).trim())
        .arg(scripts.join("send.py"))
        .args([server.grpc_url(), server.http_url(), noon_of_yesterday().to_string()])
        .output()
        .expect("python runs");
    assert!(sent.status.success(), "{}", support::stderr(&sent));

    assert_sixty_percent(&data_dir, &["python-grpc", "python-http"]);
    assert_eq!(server.stop().status.code(), Some(0));
}
