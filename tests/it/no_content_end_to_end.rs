//! Marks in every place of a request where content can be, then a search of every byte that the
//! program wrote: logs at the finest level, the data folder, reports, exports.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests"
)]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use opentelemetry::trace::{
    Event, Link, Span, SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
    Tracer, TracerProvider,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;

use crate::support::{self, RunningServer};

/// What no byte of any file may hold.
const CANARY: &str = "cAnArY";

/// A mark that tells where it was put.
fn canary(place: &str) -> String {
    format!("{CANARY}-{place}")
}

/// Attributes that are known to hold arguments, results or other content.
const CONTENT_ATTRIBUTES: &[&str] = &[
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
    "firstcall.idempotency.key",
    "firstcall.operation.handle",
    "db.query.text",
    "url.full",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.prompt",
    "gen_ai.completion",
    "input.value",
    "output.value",
    "tool.parameters",
    "traceloop.entity.input",
    "traceloop.entity.output",
    "mcp.request.argument.city",
    "mcp.request.payload",
    "mcp.response.payload",
    "mcp.tool.result.content",
    "mcp.resource.uri",
    "logfire.msg",
    "request",
    "response",
    "url.query",
    "exception.message",
    "user.id",
    "user.email",
    "an.attribute.that.nobody.knows",
    // Identities: kept as hashes, never as text.
    "gen_ai.conversation.id",
    "session.id",
    "session_id",
    "mcp.session.id",
    "gen_ai.tool.call.id",
    "jsonrpc.request.id",
];

#[expect(clippy::disallowed_methods, reason = "the real binary runs on the real clock")]
fn noon_of_yesterday() -> SystemTime {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    UNIX_EPOCH + Duration::from_secs((now / 86_400 - 1) * 86_400 + 43_200)
}

/// Sends spans that are full of marks, of every kind that is recognised and one that is not.
fn send_spans(exporter: SpanExporter) {
    let resource = Resource::builder_empty()
        .with_service_name("shop")
        .with_attribute(KeyValue::new("process.command_line", canary("resource")))
        .build();
    let provider =
        SdkTracerProvider::builder().with_resource(resource).with_batch_exporter(exporter).build();
    let tracer = provider.tracer("instrumentation");
    let deciding: [&[(&str, &str)]; 4] = [
        &[("mcp.method.name", "tools/call"), ("gen_ai.tool.name", "find")],
        &[("gen_ai.operation.name", "execute_tool"), ("gen_ai.tool.name", "find")],
        &[("tool_name", "find"), ("args_hash", "0123456789ab"), ("outcome", "crashed")],
        &[("http.request.method", "POST")],
    ];
    for (number, deciding) in deciding.iter().enumerate() {
        for form in ["text", "json"] {
            let mut attributes: Vec<KeyValue> =
                deciding.iter().map(|(key, value)| KeyValue::new(*key, *value)).collect();
            for key in CONTENT_ATTRIBUTES {
                let mark = canary(&format!("{key}-{number}"));
                let json = format!(r#"{{"city":"{mark}","n":[1,{{"{mark}":null}}]}}"#);
                attributes.push(KeyValue::new(*key, if form == "json" { json } else { mark }));
            }
            let link = SpanContext::new(
                TraceId::from(7_u128),
                SpanId::from(7_u64),
                TraceFlags::SAMPLED,
                true,
                TraceState::from_key_value([("vendor", canary("link-state"))]).unwrap(),
            );
            let exception = vec![
                KeyValue::new("exception.message", canary("exception-message")),
                KeyValue::new("exception.stacktrace", canary("exception-stacktrace")),
                KeyValue::new("exception.type", "ValueError"),
            ];
            let start = noon_of_yesterday() + Duration::from_secs(number as u64);
            let builder = tracer
                .span_builder(canary("span-name"))
                .with_kind(SpanKind::Server)
                .with_start_time(start)
                .with_attributes(attributes)
                .with_links(vec![Link::new(link, vec![KeyValue::new("l", canary("link"))], 0)])
                .with_events(vec![
                    Event::new("exception", start, exception, 0),
                    Event::new(canary("event-name"), start, Vec::new(), 0),
                    Event::new(
                        "gen_ai.tool.message",
                        start,
                        vec![KeyValue::new("content", canary("event-content"))],
                        0,
                    ),
                ]);
            let mut span = tracer.build_with_context(builder, &Context::new());
            span.set_status(Status::error(canary("status")));
            span.end_with_timestamp(start + Duration::from_millis(20));
        }
    }
    provider.force_flush().expect("the spans are delivered");
    provider.shutdown().expect("the exporter ends");
}

/// What coding agents put into log records, wherever it is content (an attribute's text, a JSON
/// text, the body).
const LOG_CONTENT: &[&str] = &[
    "tool_input",
    "tool_parameters",
    "arguments",
    "function_args",
    "output",
    "error",
    "error.message",
    "metadata",
    "prompt",
    "bash_command",
    "full_command",
    "argumentKeys",
    "user.email",
    "user.id",
    "organization.id",
    "process.command_args",
    "anthropic.custom_base_url",
    "an.attribute.that.nobody.knows",
    // Identities: kept as hashes, never as text.
    "session.id",
    "conversation.id",
    "prompt.id",
    "prompt_id",
    "tool_use_id",
    "call_id",
    "ulid",
];

/// Sends the log records of every agent, full of marks.
fn send_logs(server: &RunningServer) {
    let text =
        |key: &str, text: &str| serde_json::json!({ "key": key, "value": { "stringValue": text } });
    let noon = noon_of_yesterday().duration_since(UNIX_EPOCH).unwrap().as_nanos().to_string();
    let events: [(&str, &str, &[&str]); 8] = [
        ("com.anthropic.claude_code.events", "tool_result", &["tool_name"]),
        ("com.anthropic.claude_code.events", "tool_decision", &["tool_name"]),
        ("codex_otel.log_only", "codex.tool_result", &["tool_name"]),
        ("gemini-cli", "gemini_cli.tool_call", &["function_name"]),
        ("qwen-code", "qwen-code.tool_call", &["function_name"]),
        ("com.opencode", "tool_result", &["tool_name"]),
        ("cline", "task.tool_used", &["tool"]),
        ("anything", "user_prompt", &[]),
    ];
    for (scope, event, names) in events {
        let mut records = Vec::new();
        for (is_json, success) in [(false, "true"), (true, "false"), (true, "true")] {
            let content = LOG_CONTENT.iter().map(|key| {
                let mark = canary(&format!("log-{key}"));
                let json = format!(r#"{{"city":"{mark}","n":[1,{{"{mark}":null}}]}}"#);
                text(key, if is_json { &json } else { &mark })
            });
            let told = [text("event.name", event), text("success", success)];
            let names = names.iter().map(|key| text(key, "find"));
            let mut attributes: Vec<_> = told.into_iter().chain(names).chain(content).collect();
            attributes.push(text("duration_ms", "20"));
            records.push(serde_json::json!({
                "timeUnixNano": noon,
                "eventName": canary("event-name"),
                "severityText": canary("severity"),
                "body": { "stringValue": canary("log-body") },
                "attributes": attributes,
            }));
        }
        let resource = [text("service.name", "agent"), text("process.command", &canary("argv"))];
        let body = serde_json::json!({ "resourceLogs": [{
            "resource": { "attributes": resource },
            "scopeLogs": [{ "scope": { "name": scope }, "logRecords": records }],
        }] });
        let answer = post(server, "/v1/logs", "application/json", &body.to_string());
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{scope}");
    }
}

fn post(server: &RunningServer, path: &str, kind: &str, body: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(server.http).unwrap();
    let request = format!(
        "POST {path}?q={CANARY} HTTP/1.1\r\nhost: {CANARY}\r\nuser-agent: {CANARY}\r\n\
         authorization: Bearer {CANARY}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 "), "an answer of {} bytes", answer.len());
    assert_clean(&answer, Path::new("the answer"));
    answer
}

/// Requests that cannot be taken: their content belongs into no log line either.
fn send_nonsense(server: &RunningServer) {
    let body = format!("{{\"resourceSpans\":[\"{}\"", canary("body"));
    for (path, kind) in [
        ("/v1/traces", "application/x-protobuf"),
        ("/v1/traces", "application/json"),
        ("/v1/logs", "application/x-protobuf"),
        ("/v1/cAnArY-path", "text/cAnArY-type"),
    ] {
        post(server, path, kind, &body);
    }
}

/// Asserts that the canary is nowhere in `bytes`, in any case.
#[track_caller]
fn assert_clean(bytes: &[u8], origin: &Path) {
    let needle = CANARY.to_ascii_lowercase();
    let found = bytes.windows(needle.len()).position(|w| w.eq_ignore_ascii_case(needle.as_bytes()));
    if let Some(at) = found {
        let end = bytes.len().min(at + 60);
        let context = String::from_utf8_lossy(&bytes[at.saturating_sub(60)..end]).into_owned();
        panic!("{} holds content: {context}", origin.display());
    }
}

/// Searches every file below `folder`; returns how many bytes there were.
fn search(folder: &Path) -> usize {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert_clean(path.as_os_str().as_encoded_bytes(), &path);
        if path.is_dir() {
            bytes += search(&path);
        } else {
            let content = fs::read(&path).unwrap();
            assert_clean(&content, &path);
            bytes += content.len();
        }
    }
    bytes
}

#[test]
fn no_content_reaches_any_byte_that_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let trace = ["--log-level", "trace"];
    let server = RunningServer::start_with(&data_dir, &trace, &[("RUST_LOG", "trace")]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let within = runtime.enter();
    let grpc = SpanExporter::builder().with_tonic().with_endpoint(server.grpc_url());
    send_spans(grpc.build().unwrap());
    drop(within);
    let http = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{}/v1/traces", server.http_url()));
    send_spans(http.build().unwrap());
    send_logs(&server);
    send_nonsense(&server);

    // While it runs, with the write-ahead log and everything else that is open.
    assert!(search(&data_dir) > 0);
    let site = folder.path().join("site");
    let day = noon_of_yesterday().duration_since(UNIX_EPOCH).unwrap().as_secs() / 86_400;
    let day = firstcall::call::Day::from_number(u32::try_from(day).unwrap()).unwrap().to_string();
    for args in [
        &["nightly"][..],
        &["report", "--out", site.to_str().unwrap()],
        &["summary"],
        &["export", "calls", "--day", &day],
        &["export", "calls", "--day", &day, "--format", "csv"],
        &["nightly", "--day", &day, "--explain", "find"],
        &["doctor"],
        &["doctor", "--json"],
    ] {
        let args: Vec<&str> = args.iter().copied().chain(trace).collect();
        let output = support::succeed(&data_dir, &args);
        assert_clean(&output.stdout, Path::new(&args.join(" ")));
        assert_clean(&output.stderr, Path::new(&args.join(" ")));
        if args[0] == "export" {
            assert!(support::stdout(&output).contains("find"), "the calls are exported");
        }
    }
    let stopped = server.stop();
    assert!(!stopped.log.is_empty());
    assert_clean(&stopped.log, Path::new("the server's log"));
    assert!(search(folder.path()) > 10_000);
}
