//! What the Action and the GitLab example run, against a fake of the hosts' HTTP API on
//! loopback: one comment, found by its marker, made or changed or left alone.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::support::{stderr, stdout};

const TOKEN: &str = "secret-token-4711";
const LOUD: &str = "It fell.\n\n<!-- firstcall:summary -->\n";
const QUIET: &str = "Nothing changed.\n\n<!-- firstcall:summary quiet -->\n";

/// A request as the host saw it.
#[derive(Debug, Clone)]
struct Seen {
    line: String,
    headers: String,
    body: Value,
}

/// A host that holds comments and answers as the real ones do.
struct FakeHost {
    address: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl FakeHost {
    /// A host with these comments, a hundred to a page; writes are answered with `status`.
    fn start(comments: &[Value], status: &'static str, answer: Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (record, comments) = (Arc::clone(&seen), comments.to_vec());
        // Ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = read_request(&mut BufReader::new(&stream));
                let (status, body) = if request.line.starts_with("GET") {
                    let page = request.line.split("page=").last().unwrap();
                    let page: usize = page.split(' ').next().unwrap().parse().unwrap();
                    let shown = comments.iter().skip((page - 1) * 100).take(100);
                    ("200 OK", Value::from(shown.cloned().collect::<Vec<_>>()))
                } else {
                    (status, answer.clone())
                };
                record.lock().unwrap().push(request);
                let body = body.to_string();
                write!(
                    stream,
                    "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nLocation: /elsewhere\r\n\
                     Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                )
                .unwrap();
            }
        });
        Self { address, seen }
    }

    fn ok(comments: &[Value]) -> Self {
        Self::start(comments, "201 Created", json!({"id": 900}))
    }

    /// The writes, as method and path with the body that was sent.
    fn writes(&self) -> Vec<(String, Value)> {
        let seen = self.seen.lock().unwrap();
        let writes = seen.iter().filter(|request| !request.line.starts_with("GET"));
        writes
            .map(|request| (request.line.replace(" HTTP/1.1", ""), request.body.clone()))
            .collect()
    }
}

fn read_request(reader: &mut impl BufRead) -> Seen {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let mut headers = String::new();
    while !headers.ends_with("\r\n\r\n") {
        if reader.read_line(&mut headers).unwrap() == 0 || headers == "\r\n" {
            break;
        }
    }
    let length = headers.lines().find_map(|header| {
        let (name, value) = header.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
    Seen { line: line.trim_end().to_owned(), headers, body }
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A command that knows the host and the token, and nothing of this machine's own settings.
fn with_host(program: &Path, host: &FakeHost) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("GITHUB_API_URL", &host.address).env("GITHUB_REPOSITORY", "octo/shop");
    command.env("FIRSTCALL_PULL_REQUEST", "12").env("FIRSTCALL_TOKEN", TOKEN);
    command.env("CI_API_V4_URL", format!("{}/api/v4", host.address));
    command.env("CI_PROJECT_ID", "octo/shop").env("CI_MERGE_REQUEST_IID", "12");
    command.env("no_proxy", "127.0.0.1").stdin(Stdio::null());
    command
}

fn post(host: &FakeHost, name: &str, text: &str) -> Output {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    let mut command = with_host(Path::new("python3"), host);
    command.arg(repository().join("ci/post-comment.py")).arg(name).arg(file.path());
    let output = command.output().unwrap();
    let said = format!("{}{}", stdout(&output), stderr(&output));
    assert!(!said.contains(TOKEN), "the token was told: {said}");
    output
}

fn comment(id: u64, body: &str) -> Value {
    json!({"id": id, "user": {"login": "someone"}, "body": body})
}

#[test]
fn a_comment_is_made_where_there_is_none() {
    for (name, path) in [
        ("github", "POST /repos/octo/shop/issues/12/comments"),
        ("gitea", "POST /repos/octo/shop/issues/12/comments"),
        ("gitlab", "POST /api/v4/projects/octo%2Fshop/merge_requests/12/notes"),
    ] {
        // Somebody's words about the marker are not the comment.
        let host = FakeHost::ok(&[comment(1, "see `<!-- firstcall:summary -->` above")]);
        let output = post(&host, name, LOUD);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(host.writes(), [(path.to_owned(), json!({"body": LOUD}))]);
        let seen = host.seen.lock().unwrap();
        let header = if name == "gitlab" {
            format!("private-token: {TOKEN}")
        } else {
            format!("authorization: bearer {TOKEN}")
        };
        assert!(seen.iter().all(|request| request.headers.to_lowercase().contains(&header)));
    }
}

#[test]
fn the_comment_that_is_there_is_changed_wherever_it_stands() {
    let mut comments: Vec<Value> = (1..=150).map(|id| comment(id, "words")).collect();
    comments.push(comment(777, "It fell before.\r\n\r\n<!-- firstcall:summary -->"));
    for (name, path) in [
        ("github", "PATCH /repos/octo/shop/issues/comments/777"),
        ("gitlab", "PUT /api/v4/projects/octo%2Fshop/merge_requests/12/notes/777"),
    ] {
        // A quiet summary takes the place of an earlier loud one.
        for text in [LOUD, QUIET] {
            let host = FakeHost::ok(&comments);
            let output = post(&host, name, text);
            assert!(output.status.success(), "{}", stderr(&output));
            assert_eq!(host.writes(), [(path.to_owned(), json!({"body": text}))]);
        }
    }
}

#[test]
fn nothing_is_written_where_nothing_is_new() {
    let quiet_and_absent = FakeHost::ok(&[comment(1, "words")]);
    let output = post(&quiet_and_absent, "github", QUIET);
    assert!(output.status.success() && quiet_and_absent.writes().is_empty());
    assert!(stdout(&output).contains("no comment was made"), "{}", stdout(&output));
    let the_same = FakeHost::ok(&[comment(1, &LOUD.replace('\n', "\r\n"))]);
    assert!(post(&the_same, "github", LOUD).status.success());
    assert!(the_same.writes().is_empty());
}

#[test]
fn what_goes_wrong_is_told_without_the_token() {
    let told = |status: &'static str, answer: Value| {
        let host = FakeHost::start(&[], status, answer);
        let output = post(&host, "github", LOUD);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        // A redirect is not followed: it would carry the token elsewhere.
        assert_eq!(host.seen.lock().unwrap().len(), 2);
        stderr(&output)
    };
    let said = told("403 Forbidden", json!({"message": format!("no\n::error::{TOKEN} no")}));
    assert_eq!(
        said,
        "error: github answered 403 to POST /repos/octo/shop/issues/12/comments: \
         no ::error::*** no; the token may not write comments here\n"
    );
    assert!(told("422 Unprocessable Entity", json!({"message": "too long"})).contains("422"));
    assert!(told("302 Found", json!({})).contains("302"));
    assert!(told("500 Oops", json!("no object")).contains("500"));
    let host = FakeHost { address: "http://127.0.0.1:9".to_owned(), ..FakeHost::ok(&[]) };
    let output = post(&host, "github", LOUD);
    assert!(stderr(&output).contains("gave no answer"), "{}", stderr(&output));
    let output = post(&FakeHost::ok(&[]), "github", "no marker\n");
    assert!(stderr(&output).contains("no summary"), "{}", stderr(&output));
}

/// Runs the Action's script with a stand-in that answers as firstcall would and writes its
/// arguments down.
fn summarise(host: &FakeHost, folder: &Path, stand_in: &str, settings: &[(&str, &str)]) -> Output {
    let program = folder.join("firstcall");
    let script = format!("#!/bin/sh\necho \"$@\" >>'{}/calls'\n{stand_in}\n", folder.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = with_host(&repository().join("ci/summarise.sh"), host);
    command.env("FIRSTCALL", &program).env("GITHUB_STEP_SUMMARY", folder.join("step.md"));
    command.envs(settings.iter().copied());
    command.output().unwrap()
}

#[test]
fn the_action_writes_the_step_summary_and_one_comment_and_then_gates() {
    let folder = tempfile::tempdir().unwrap();
    let host = FakeHost::ok(&[]);
    let stand_in = format!(
        "case $1 in summary) printf '{}' ;; check) exit 7 ;; esac",
        LOUD.replace('\n', "\\n")
    );
    let settings = [
        ("FIRSTCALL_LAST", "7d"),
        ("FIRSTCALL_TOOLS", "a b=80%\n\n$(id)=70%"),
        ("FIRSTCALL_REPORT_URL", "https://ci.example/"),
    ];
    let output = summarise(&host, folder.path(), &stand_in, &settings);
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(folder.path().join("step.md")).unwrap(), LOUD);
    assert_eq!(host.writes().len(), 1);
    // Inputs stay arguments, whatever they hold.
    assert_eq!(
        fs::read_to_string(folder.path().join("calls")).unwrap(),
        "summary --host github-step --always --last 7d --report-url https://ci.example/\n\
         summary --host github --last 7d --report-url https://ci.example/\n\
         check --tool a b=80% --tool $(id)=70% --last 7d\n"
    );
}

#[test]
fn the_action_is_silent_where_nothing_is_there_and_outside_of_pull_requests() {
    let folder = tempfile::tempdir().unwrap();
    let host = FakeHost::ok(&[]);
    let output = summarise(&host, folder.path(), "exit 6", &[("FIRSTCALL_NO_DROP", "true")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!folder.path().join("step.md").exists() && host.writes().is_empty());
    let say = format!("printf '{}'", LOUD.replace('\n', "\\n"));
    let output = summarise(&host, folder.path(), &say, &[("FIRSTCALL_PULL_REQUEST", "")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(folder.path().join("step.md").exists() && host.writes().is_empty());
    // A failure of the program is the Action's.
    let output = summarise(&host, folder.path(), "exit 4", &[]);
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn the_actions_inputs_reach_the_script_as_environment_only() {
    let action = fs::read_to_string(repository().join("action.yml")).unwrap();
    let (_, steps) = action.split_once("runs:").unwrap();
    let (before, after) = steps.split_once("      env:").unwrap();
    assert!(!before.contains("${{") && !after.contains("run:"), "an input is part of a script");
    let script = fs::read_to_string(repository().join("ci/summarise.sh")).unwrap();
    for line in after.lines().filter(|line| line.contains("${{ inputs.")) {
        let name = line.trim().split(':').next().unwrap();
        let is_read = script.contains(name)
            || matches!(name, "FIRSTCALL_DATA_DIR" | "FIRSTCALL_TOKEN" | "FIRSTCALL_PULL_REQUEST");
        assert!(is_read, "{name} is read nowhere");
    }
}
