//! `firstcall doctor`, by the real binary: what was sent is told in numbers worked out by hand,
//! beside a running server, on a screen that no name can steer.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use firstcall::call::Confidence;
use firstcall::clock::{Clock, SystemClock};
use firstcall::doctor::tells_what_mends_hidden_failures;
use firstcall::recognise::dialect_names;
use serde_json::{Value, json};

use crate::dialects::body::protobuf;
use crate::dialects::{Fate, corpus_fates};
use crate::receive::client::{post, send as send_raw};
use crate::support::{self, RunningServer, stdout};

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

/// A span of an hour ago; `number` tells it from others.
fn span(number: u64, trace: u64, name: &str, kind: u64, attributes: &[(&str, &str)]) -> Value {
    let start = SystemClock.now().get() - 3600 * 1_000_000_000 + number * 1_000_000_000;
    let attributes: Vec<Value> = attributes.iter().map(|(key, value)| text(key, value)).collect();
    json!({
        "traceId": format!("{trace:032x}"),
        "spanId": format!("{:016x}", number + 1),
        "name": name,
        "kind": kind,
        "startTimeUnixNano": start.to_string(),
        "endTimeUnixNano": (start + 1_000_000).to_string(),
        "attributes": attributes,
    })
}

fn request(service: &str, scope: &str, spans: &[Value]) -> String {
    json!({ "resourceSpans": [{
        "resource": { "attributes": [text("service.name", service)] },
        "scopeSpans": [{ "scope": { "name": scope }, "spans": spans }],
    }] })
    .to_string()
}

fn doctor(data_dir: &Path, args: &[&str]) -> String {
    stdout(&support::succeed(data_dir, &[&["doctor"][..], args].concat()))
}

fn document(data_dir: &Path) -> Value {
    serde_json::from_str(&doctor(data_dir, &["--json"])).unwrap()
}

/// Waits until the counts of what was sent are written, which takes a few seconds.
fn document_with_counts(data_dir: &Path, spans: u64) -> Value {
    let since = Instant::now();
    loop {
        let document = document(data_dir);
        let seen: u64 = document["services"]
            .as_array()
            .unwrap()
            .iter()
            .map(|each| each["seen"].as_u64().unwrap())
            .sum();
        if seen >= spans {
            return document;
        }
        assert!(since.elapsed() < Duration::from_mins(1), "{document:#}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// What an MCP server that uses FastMCP sends: four calls without arguments or result, one of
/// them twice, a `tools/list`, and an ordinary span.
fn fastmcp() -> String {
    let call = |number: u64| {
        let attributes = [
            ("mcp.method.name", "tools/call"),
            ("gen_ai.tool.name", "find"),
            ("mcp.session.id", "session of the transport"),
        ];
        span(number, 100 + number, "tools/call find", 2, &attributes)
    };
    let list = span(10, 110, "tools/list", 2, &[("mcp.method.name", "tools/list")]);
    let ordinary = span(11, 111, "GET /", 2, &[("http.route", "/")]);
    let spans = [call(0), call(1), call(2), call(3), call(3), list, ordinary];
    request("shop-mcp", "fastmcp", &spans)
}

/// What a LangChain agent sends through OpenInference: two whole calls of one trace, and a span
/// of the model.
fn openinference() -> String {
    let call = |number: u64| {
        let attributes = [
            ("openinference.span.kind", "TOOL"),
            ("tool.name", "find"),
            ("input.value", "{\"q\":1}"),
            ("input.mime_type", "application/json"),
            ("output.value", "[1]"),
        ];
        span(number, 200, "find", 1, &attributes)
    };
    let model = span(22, 200, "ChatModel", 1, &[("openinference.span.kind", "LLM")]);
    let spans = [call(20), call(21), model];
    request("agent", "openinference.instrumentation.langchain", &spans)
}

async fn send(server: &RunningServer, body: &str) {
    assert_eq!(post(server.http, &protobuf(body), &[]).await.status, 200);
}

fn find<'d>(list: &'d Value, key: &str, value: &str) -> &'d Value {
    let list = list.as_array().unwrap();
    list.iter().find(|each| each[key] == value).unwrap_or_else(|| panic!("no {value} in {list:#?}"))
}

#[tokio::test]
async fn what_was_sent_is_told_by_service_and_dialect_beside_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let server = RunningServer::start(&data_dir);
    send(&server, &fastmcp()).await;
    send(&server, &openinference()).await;
    let ordinary = span(30, 300, "SELECT", 3, &[("db.system", "sqlite")]);
    send(&server, &request("orders-api", "sqlalchemy", &[ordinary])).await;

    let metrics = b"POST /v1/metrics HTTP/1.1\r\nhost: x\r\n\
        content-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(send_raw(server.http, metrics).await.status, 200);

    let document = document_with_counts(&data_dir, 12);
    assert_eq!(document["has_arrived"], true);
    assert_eq!(document["receiving_process"], server.id());
    let services = &document["services"];
    let shop = find(services, "service", "shop-mcp");
    // The double is one call that came twice.
    assert_eq!((&shop["seen"], &shop["calls"]), (&json!(7), &json!(4)));
    let source = find(&shop["sources"], "scope", "fastmcp");
    assert_eq!(source["kind"], "span");
    assert_eq!(source["recognised"], 5);
    assert_eq!(source["not_calls"], json!({ "other_method": 1 }));
    assert_eq!(source["ordinary"], 1);
    let dialect = find(&source["dialects"], "dialect", "fastmcp");
    for (field, value) in [
        ("calls", 4),
        ("duplicates", 1),
        ("args_hash", 0),
        ("ok", 4),
        ("emptiness_known", 0),
        ("low_confidence", 0),
        ("sampled", 0),
    ] {
        assert_eq!(dialect[field], value, "{field}");
    }
    assert_eq!(dialect["sessions"], json!({ "a": 0, "b": 4, "c": 0, "e": 0 }));
    let points: Vec<&str> = dialect["shortfalls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|short| short["point"].as_str().unwrap())
        .collect();
    assert_eq!(points, ["args_hash", "emptiness", "twice"]);
    for short in dialect["shortfalls"].as_array().unwrap() {
        assert_eq!(short["remedy"]["lines"].as_array().unwrap().len(), 2);
    }

    let agent = find(services, "service", "agent");
    let dialect = find(&agent["sources"][0]["dialects"], "dialect", "openinference");
    // Two calls of one trace; LangChain swallows failures, so both good outcomes are in doubt.
    assert_eq!((&dialect["calls"], &dialect["args_hash"]), (&json!(2), &json!(2)));
    assert_eq!(dialect["sessions"], json!({ "a": 0, "b": 0, "c": 2, "e": 0 }));
    assert_eq!(dialect["low_confidence"], 2);
    assert_eq!(agent["sources"][0]["ordinary"], 1);

    let orders = find(services, "service", "orders-api");
    assert_eq!((&orders["seen"], &orders["calls"]), (&json!(1), &json!(0)));
    assert!(orders["remedy"]["lines"][0].is_string());

    let metrics = find(&find(services, "service", "")["sources"], "kind", "metric");
    assert_eq!((&metrics["seen"], &metrics["ordinary"]), (&json!(1), &json!(1)));

    let screen = doctor(&data_dir, &[]);
    for part in ["shop-mcp", "fastmcp", "1 other_method", "1 twice", "orders-api", "To mend"] {
        assert!(screen.contains(part), "no {part} in:\n{screen}");
    }
    assert_fits(&screen);
    server.stop();
}

#[track_caller]
fn assert_fits(screen: &str) {
    for line in screen.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
}

#[test]
fn log_records_are_counted_beside_spans() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/otlp");
    let body = std::fs::read_to_string(corpus.join("codex_logs.json")).unwrap();
    let body: Value = serde_json::from_str(&body).unwrap();
    let file = folder.path().join("logs.jsonl");
    std::fs::write(&file, format!("{body}\n")).unwrap();
    support::succeed(&data_dir, &["import", file.to_str().unwrap()]);
    let mut records = 0;
    for resource in body["resourceLogs"].as_array().unwrap() {
        for scope in resource["scopeLogs"].as_array().unwrap() {
            records += scope["logRecords"].as_array().unwrap().len();
        }
    }
    let document = document(&data_dir);
    let sources = document["services"].as_array().unwrap().iter();
    let sources: Vec<&Value> =
        sources.flat_map(|service| service["sources"].as_array().unwrap()).collect();
    assert!(sources.iter().all(|source| source["kind"] == "log"), "{document:#}");
    let sum =
        |field: &str| -> u64 { sources.iter().map(|source| source[field].as_u64().unwrap()).sum() };
    assert_eq!(sum("seen"), records as u64);
    let expected = std::fs::read_to_string(corpus.join("codex_logs.expect.yaml")).unwrap();
    let expected = expected.matches("dialect: codex_log").count() as u64;
    assert!(expected > 0);
    assert_eq!(sum("recognised"), expected);
    let dialects = sources.iter().flat_map(|source| source["dialects"].as_array().unwrap());
    let calls = dialects
        .map(|each| each["calls"].as_u64().unwrap() + each["duplicates"].as_u64().unwrap())
        .sum::<u64>();
    assert_eq!(calls, expected);
}

#[tokio::test]
async fn hostile_names_cannot_steer_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let server = RunningServer::start(&data_dir);
    let call =
        span(0, 1, "x", 2, &[("tool_name", "t"), ("args_hash", "0123456789ab"), ("outcome", "ok")]);
    let hostile = "\u{1b}[2J\u{202e}evil\u{9b}31m\r\n";
    send(&server, &request(&hostile.repeat(40), &hostile.repeat(3), &[call])).await;
    let ordinary = span(1, 2, "GET", 2, &[("x", "y")]);
    send(&server, &request(hostile, hostile, &[ordinary])).await;
    document_with_counts(&data_dir, 2);
    let screen = doctor(&data_dir, &[]);
    assert!(screen.contains("evil"), "{screen}");
    assert_fits(&screen);
    for turning in ['\u{202e}', '\u{9b}', '\u{1b}'] {
        assert!(!screen.contains(turning));
    }
    server.stop();
}

#[test]
fn colours_are_there_where_they_are_wanted_and_cost_no_column() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let body = folder.path().join("a.jsonl");
    std::fs::write(&body, [fastmcp(), openinference()].join("\n")).unwrap();
    support::succeed(&data_dir, &["import", body.to_str().unwrap()]);
    let coloured = support::command(&data_dir)
        .arg("doctor")
        .env_remove("NO_COLOR")
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    let coloured = stdout(&coloured);
    assert!(coloured.contains("\u{1b}[1mshop-mcp"), "{coloured}");
    let mut bare = coloured.clone();
    for code in ["0", "1", "2", "31", "32", "33"] {
        bare = bare.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(bare.trim(), doctor(&data_dir, &[]).trim());
}

#[test]
fn where_nothing_has_arrived_it_says_what_to_check() {
    let folder = tempfile::tempdir().unwrap();
    let never = folder.path().join("never");
    let screen = doctor(&never, &[]);
    for part in [
        "Nothing has arrived",
        "never here: start it with `firstcall serve`",
        "127.0.0.1:4318 (OTLP/HTTP)",
        "127.0.0.1:4317 (OTLP/gRPC)",
        "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318",
        "curl",
        "docs/instrumentation.md",
    ] {
        assert!(screen.contains(part), "no {part} in:\n{screen}");
    }
    assert_fits(&screen);
    assert!(!never.exists(), "looking makes nothing");
    let document = document(&never);
    assert_eq!((&document["has_arrived"], &document["has_data"]), (&json!(false), &json!(false)));

    let data_dir = folder.path().join("data");
    let server = RunningServer::start(&data_dir);
    let http = server.http.to_string();
    let config = folder.path().join("firstcall.yaml");
    let yaml = format!("receivers: {{otlp: {{protocols: {{http: {{endpoint: \"{http}\"}}}}}}}}\n");
    std::fs::write(&config, yaml).unwrap();
    let screen = doctor(&data_dir, &["--config", config.to_str().unwrap()]);
    assert!(screen.contains(&format!("yes, process {}", server.id())), "{screen}");
    assert!(screen.contains(&format!("{http} (OTLP/HTTP): answers")), "{screen}");
    server.stop();
    let screen = doctor(&data_dir, &["--config", config.to_str().unwrap()]);
    assert!(screen.contains("no: start it with `firstcall serve`"), "{screen}");
    assert!(screen.contains("nothing answers there"), "{screen}");
}

#[test]
fn what_hides_failures_in_the_corpus_has_a_remedy_of_its_own() {
    let mut seen = 0;
    for fate in corpus_fates() {
        let Fate::Call(reduced) = fate else { continue };
        if reduced.sighting.confidence == Confidence::Low {
            seen += 1;
            let dialect = reduced.sighting.dialect.as_str();
            assert!(tells_what_mends_hidden_failures(dialect), "{dialect}");
        }
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn every_dialect_has_a_row_in_the_documentation() {
    let page = include_str!("../../docs/instrumentation.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let missing: Vec<&str> = dialect_names()
        .filter(|name| !rows.iter().any(|row| row.starts_with(&format!("| `{name}` |"))))
        .collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
}

#[test]
fn every_field_of_the_json_is_documented() {
    fn keys(value: &Value, found: &mut std::collections::BTreeSet<String>) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    found.insert(key.clone());
                    // The keys below these are words of telemetry.
                    if !["kept", "not_calls", "refused", "sessions", "sessions_in_trace"]
                        .contains(&key.as_str())
                    {
                        keys(value, found);
                    }
                }
            }
            Value::Array(list) => list.iter().for_each(|each| keys(each, found)),
            _ => {}
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let body = folder.path().join("a.jsonl");
    std::fs::write(&body, [fastmcp(), openinference()].join("\n")).unwrap();
    support::succeed(&data_dir, &["import", body.to_str().unwrap()]);
    let mut found = std::collections::BTreeSet::new();
    keys(&document(&data_dir), &mut found);
    assert!(found.contains("shortfalls") && found.contains("point"));
    let page = include_str!("../../docs/doctor.md");
    let missing: Vec<_> = found.iter().filter(|key| !page.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "{missing:?} are not documented");
}
