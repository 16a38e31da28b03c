//! The examples that hash arguments at the source: they agree with the vectors, with what
//! firstcall makes of the arguments itself, and let no argument out of the process. By the real
//! OpenTelemetry SDKs of Python and JavaScript, to the real binary.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests"
)]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use firstcall::call::{ArgsForm, Arguments, UnixNanos};
use firstcall::clock::{Clock, SystemClock};
use firstcall::reduce::hash::args_hash_of_text;
use firstcall::store::Store;
use serde_json::{Value, json};

use crate::support::{RunningServer, stderr, stdout};

/// What no byte on the wire may hold once arguments are hashed at the source.
const CANARY: &str = "cAnArY";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What becomes of a case's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The hash is the one that firstcall makes itself.
    Same,
    /// No honest hash can be made.
    None,
}

/// Tool calls of several vocabularies; each tool's name tells it from the others.
fn cases() -> Vec<(&'static str, Fate, Value)> {
    let genai = |arguments: &str| {
        json!({
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.call.arguments": arguments,
        })
    };
    let openinference = |input: &str| {
        json!({
            "openinference.span.kind": "TOOL",
            "input.value": input,
            "input.mime_type": "application/json",
        })
    };
    vec![
        ("plain", Fate::Same, genai(r#"{"q":"cAnArY","n":1.0,"m":[null,true,1e21]}"#)),
        ("order", Fate::Same, genai(r#"{"\ud83d\ude00":"cAnArY","\ufb33":1,"10":2,"2":3}"#)),
        ("big", Fate::Same, genai(r#"{"id":9007199254740993,"q":"cAnArY"}"#)),
        ("empty", Fate::Same, genai("")),
        ("input", Fate::Same, openinference(r#"{"q": "cAnArY", "f": 0.1}"#)),
        ("bare", Fate::Same, openinference("cAnArY in Bergen")),
        (
            "wrapped",
            Fate::Same,
            json!({
                "traceloop.span.kind": "tool",
                "traceloop.entity.input": r#"{"tool_name":"x","arguments":{"q":"cAnArY"}}"#,
            }),
        ),
        (
            "vercel",
            Fate::Same,
            json!({ "ai.operationId": "ai.toolCall", "ai.toolCall.args": r#"{"q":"cAnArY"}"# }),
        ),
        (
            "langfuse",
            Fate::Same,
            json!({
                "langfuse.observation.type": "tool",
                "langfuse.observation.input": r#"{"q":"cAnArY"}"#,
            }),
        ),
        ("cut", Fate::None, genai(r#"{"q":"cAnArY and no mo"#)),
        ("redacted", Fate::None, genai(r#"{"q":"cAnArY","key":"[REDACTED]"}"#)),
        ("surrogate", Fate::None, genai(r#"{"q":"cAnArY \ud83d"}"#)),
    ]
}

/// The attribute that names the tool, by the vocabulary that the others speak.
fn named(tool: &str, attributes: &Value) -> Value {
    let mut named = attributes.clone();
    let key = ["ai.operationId", "openinference.span.kind", "traceloop.span.kind"]
        .into_iter()
        .find(|key| attributes.get(key).is_some());
    let key = match key {
        Some("ai.operationId") => "ai.toolCall.name",
        Some("openinference.span.kind") => "tool.name",
        Some("traceloop.span.kind") => "traceloop.entity.name",
        _ => "gen_ai.tool.name",
    };
    named.as_object_mut().unwrap().insert(key.to_owned(), tool.into());
    named
}

fn write_cases(folder: &Path) -> PathBuf {
    let told: Vec<Value> = cases()
        .iter()
        .map(|(tool, _, attributes)| json!([tool, named(tool, attributes)]))
        .collect();
    let path = folder.join("cases.json");
    std::fs::write(&path, Value::from(told).to_string()).unwrap();
    path
}

/// A script of one language that sends the cases.
trait Sender {
    fn command(&self, script: &str) -> Command;
    const NAME: &'static str;
    /// The tools whose hash is set on the span where the arguments are known.
    const NOTED: &'static [&'static str];
}

struct Python(PathBuf);
struct TypeScript(PathBuf);

/// What a script that prepares something prints.
fn prepared(script: &str) -> PathBuf {
    let found = Command::new(root().join(script)).output().expect("bash runs");
    assert!(found.status.success(), "{}", stderr(&found));
    PathBuf::from(stdout(&found).trim())
}

impl Sender for Python {
    const NAME: &'static str = "python";
    const NOTED: &'static [&'static str] = &["noted", "spanned"];

    fn command(&self, script: &str) -> Command {
        let mut command = Command::new(&self.0);
        command.arg(root().join("tests/python").join(format!("{}.py", script.replace('-', "_"))));
        command
    }
}

impl Sender for TypeScript {
    const NAME: &'static str = "typescript";
    const NOTED: &'static [&'static str] = &["noted"];

    fn command(&self, script: &str) -> Command {
        let mut command = Command::new("node");
        command.arg(self.0.join(format!("{script}.js")));
        command
    }
}

#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().expect("the interpreter runs");
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
}

fn send<S: Sender>(sender: &S, url: &str, cases: &Path, form: &str) {
    let start = SystemClock.now().get() / 1_000_000_000 - 3600;
    let mut command = sender.command("send-hashed");
    command.arg(url).arg(cases).args([start.to_string().as_str(), form]);
    command.arg(root().join("examples/args-hash/python"));
    run(&mut command);
}

/// Takes requests, answers them, and keeps their bytes.
struct Sink {
    address: SocketAddr,
    received: Arc<Mutex<Vec<u8>>>,
}

impl Sink {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&received);
        std::thread::spawn(move || {
            for stream in listener.incoming().take(20).flatten() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || take(stream, &kept));
            }
        });
        Self { address, received }
    }
}

/// Answers every request of a connection.
fn take(mut stream: TcpStream, kept: &Mutex<Vec<u8>>) {
    let mut request = Vec::new();
    let mut buffer = [0; 8192];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        let part = buffer.get(..count).unwrap_or_default();
        kept.lock().unwrap().extend_from_slice(part);
        request.extend_from_slice(part);
        while let Some(end) = length(&request).filter(|end| *end <= request.len()) {
            request.drain(..end);
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").ok();
        }
    }
}

/// How long the first request in `bytes` is, once its head is there.
fn length(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|part| part == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(bytes.get(..head)?).to_ascii_lowercase();
    if text.contains("transfer-encoding: chunked") {
        let last = b"\r\n0\r\n\r\n";
        let rest = bytes.get(head - 2..)?;
        return Some(
            head - 2 + rest.windows(last.len()).position(|part| part == last)? + last.len(),
        );
    }
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:"))?;
    Some(head + length.trim().parse::<usize>().ok()?)
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// What is kept of the arguments, by tool, of what `service` sent.
fn kept(data_dir: &Path, service: &str) -> BTreeMap<String, Option<Arguments>> {
    let store = Store::open(data_dir).unwrap();
    let mut kept = BTreeMap::new();
    let mut visit = |sighting: firstcall::call::Sighting| {
        if sighting.emitter.as_ref().is_some_and(|emitter| emitter.as_str() == service) {
            kept.insert(sighting.tool.unwrap().as_str().to_owned(), sighting.arguments);
        }
    };
    store.read_received(UnixNanos::new(0), u64::MAX, &mut visit).unwrap();
    kept
}

fn hashes_at_the_source_are_those_of_firstcall<S: Sender>(sender: &S) {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let told = write_cases(folder.path());
    let server = RunningServer::start(&data_dir);
    send(sender, &server.http_url(), &told, "whole");
    send(sender, &server.http_url(), &told, "hashed");
    let whole = kept(&data_dir, &format!("{}-whole", S::NAME));
    let hashed = kept(&data_dir, &format!("{}-hashed", S::NAME));
    assert_eq!(whole.keys().collect::<Vec<_>>(), hashed.keys().collect::<Vec<_>>());
    for (tool, fate, _) in cases() {
        let (own, given) = (&whole[tool], &hashed[tool]);
        match fate {
            Fate::Same => {
                let own = own.as_ref().unwrap_or_else(|| panic!("{tool}: no hash of the whole"));
                let given = given.as_ref().unwrap_or_else(|| panic!("{tool}: no hash is given"));
                assert_eq!((given.hash, given.form), (own.hash, ArgsForm::Given), "{tool}");
            }
            Fate::None => assert_eq!(*given, None, "{tool}"),
        }
    }
    let known = args_hash_of_text(br#"{"a":"x","b":1}"#).unwrap().hash;
    for tool in S::NOTED {
        let noted = hashed[*tool].as_ref();
        assert_eq!(noted.map(|arguments| arguments.hash), Some(known), "{tool}");
    }
    server.stop();
}

fn no_argument_leaves_the_process<S: Sender>(sender: &S) {
    let folder = tempfile::tempdir().unwrap();
    let told = write_cases(folder.path());
    for (form, leaves) in [("whole", true), ("hashed", false)] {
        let sink = Sink::start();
        send(sender, &format!("http://{}", sink.address), &told, form);
        let received = sink.received.lock().unwrap();
        assert!(holds(&received, "a prompt"), "{form}: the span of a model is as it was");
        assert_eq!(holds(&received, CANARY), leaves, "{form}");
        assert!(holds(&received, "args_hash"), "{form}");
    }
}

#[test]
fn the_python_example_agrees_with_every_vector() {
    let python = Python(prepared("tests/python/interpreter"));
    let mut command = python.command("args_hash_vectors");
    command.arg(root().join("tests/vectors/jcs.json"));
    command.arg(root().join("examples/args-hash/python"));
    assert_eq!(run(&mut command).trim(), "183 vectors hold");
}

#[test]
fn the_python_example_hashes_as_firstcall_does_and_lets_no_argument_out() {
    let python = Python(prepared("tests/python/interpreter"));
    hashes_at_the_source_are_those_of_firstcall(&python);
    no_argument_leaves_the_process(&python);
}

#[test]
fn the_typescript_example_agrees_with_every_vector_that_json_parse_shows() {
    let typescript = TypeScript(prepared("tests/typescript/build"));
    let mut command = typescript.command("vectors");
    command.arg(root().join("tests/vectors/jcs.json"));
    assert_eq!(run(&mut command).trim(), "183 vectors hold");
}

#[test]
fn the_typescript_example_hashes_as_firstcall_does_and_lets_no_argument_out() {
    let typescript = TypeScript(prepared("tests/typescript/build"));
    hashes_at_the_source_are_those_of_firstcall(&typescript);
    no_argument_leaves_the_process(&typescript);
}
