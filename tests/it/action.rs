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
                let is_head = request.line.contains("/pulls?");
                let (status, body) = if is_head {
                    ("200 OK", answer.clone())
                } else if request.line.contains("/activities?") {
                    ("200 OK", activities_page(&comments, &request.line))
                } else if request.line.contains("pagelen=") {
                    ("200 OK", bitbucket_page(&comments, &request.line))
                } else if request.line.starts_with("GET") {
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

/// A page as Bitbucket wraps it, three comments to a page whatever is asked for.
fn bitbucket_page(comments: &[Value], line: &str) -> Value {
    let page = line.split("page=").last().unwrap().split(' ').next().unwrap();
    let page: usize = page.parse().unwrap();
    let values: Vec<_> = comments.iter().skip((page - 1) * 3).take(3).cloned().collect();
    if comments.len() > page * 3 {
        return json!({"values": values, "page": page, "next": "http://elsewhere.example/steal"});
    }
    json!({"values": values, "page": page})
}

/// A page of what happened on a pull request as Bitbucket Data Center lists it, three to a page
/// whatever is asked for.
fn activities_page(comments: &[Value], line: &str) -> Value {
    let start = line.split("start=").last().unwrap().split('&').next().unwrap();
    let start: usize = start.parse().unwrap();
    let happened = |comment: &Value| {
        if comment.is_null() {
            return json!({"id": 1, "action": "OPENED"});
        }
        json!({"id": 2, "action": "COMMENTED", "commentAction": "ADDED", "comment": comment})
    };
    let values: Vec<_> = comments.iter().skip(start).take(3).map(happened).collect();
    let is_last = comments.len() <= start + 3;
    let next = if is_last { Value::Null } else { json!(start + 3) };
    json!({"values": values, "start": start, "isLastPage": is_last, "nextPageStart": next})
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
    command.env("BITBUCKET_API_URL", format!("{}/2.0", host.address));
    command.env("BITBUCKET_WORKSPACE", "octo").env("BITBUCKET_REPO_SLUG", "shop");
    command.env("BITBUCKET_PR_ID", "12").env("BITBUCKET_URL", format!("{}/git", host.address));
    command.env("BITBUCKET_PROJECT", "~octo").env("BITBUCKET_REPO", "shop");
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
        ("gitea", "PATCH /repos/octo/shop/issues/comments/777"),
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

const LOUD_ON_BITBUCKET: &str = "It fell.\n\n[firstcall-summary]: # (firstcall:summary)\n";
const QUIET_ON_BITBUCKET: &str = "Nothing.\n\n[firstcall-summary]: # (firstcall:summary quiet)\n";

#[test]
fn bitbucket_takes_and_gives_comments_in_its_own_form() {
    let words = |id: u64, raw: &str| json!({"id": id, "content": {"raw": raw, "html": "<p>"}});
    let path = "/2.0/repositories/octo/shop/pullrequests/12/comments";
    let written = |text: &str| json!({"content": {"raw": text}});
    let host = FakeHost::ok(&[words(1, "words")]);
    assert!(post(&host, "bitbucket", LOUD_ON_BITBUCKET).status.success());
    assert_eq!(host.writes(), [(format!("POST {path}"), written(LOUD_ON_BITBUCKET))]);
    let seen = host.seen.lock().unwrap().clone();
    let header = format!("authorization: bearer {TOKEN}");
    assert!(seen.iter().all(|request| request.headers.to_lowercase().contains(&header)));

    // On its second page; a deleted one is none.
    let mut deleted = words(5, LOUD_ON_BITBUCKET);
    deleted["deleted"] = json!(true);
    let old = "Before.\r\n\r\n[firstcall-summary]: # (firstcall:summary)";
    let comments = [words(1, "a"), deleted, words(3, "c"), words(4, old), words(6, "e")];
    for text in [LOUD_ON_BITBUCKET, QUIET_ON_BITBUCKET] {
        let host = FakeHost::ok(&comments);
        assert!(post(&host, "bitbucket", text).status.success());
        assert_eq!(host.writes(), [(format!("PUT {path}/4"), written(text))]);
        // The address of the next page that the host names is not followed.
        assert!(host.seen.lock().unwrap().iter().all(|seen| !seen.line.contains("steal")));
    }
    for (comments, text) in [
        (vec![words(1, "words")], QUIET_ON_BITBUCKET),
        (vec![words(1, LOUD_ON_BITBUCKET)], LOUD_ON_BITBUCKET),
    ] {
        let host = FakeHost::ok(&comments);
        assert!(post(&host, "bitbucket", text).status.success() && host.writes().is_empty());
    }
    let refusal = json!({"type": "error", "error": {"message": "You may not"}});
    let host = FakeHost::start(&[], "403 Forbidden", refusal);
    let output = post(&host, "bitbucket", LOUD_ON_BITBUCKET);
    assert!(stderr(&output).contains("answered 403") && stderr(&output).contains("You may not"));
}

#[test]
fn bitbucket_data_center_lists_comments_among_activities_and_wants_their_version() {
    let words =
        |id: u64, text: &str| json!({"id": id, "version": id * 10, "text": text, "author": {}});
    let path = "/git/rest/api/1.0/projects/~octo/repos/shop/pull-requests/12";
    let opened = Value::Null;
    let host = FakeHost::ok(&[words(1, "words"), opened.clone()]);
    assert!(post(&host, "bitbucket-server", LOUD_ON_BITBUCKET).status.success());
    let made = (format!("POST {path}/comments"), json!({"text": LOUD_ON_BITBUCKET}));
    assert_eq!(host.writes(), [made]);
    let seen = host.seen.lock().unwrap().clone();
    assert!(seen[0].line.starts_with(&format!("GET {path}/activities?start=0&limit=100")));
    let header = format!("authorization: bearer {TOKEN}");
    assert!(seen.iter().all(|request| request.headers.to_lowercase().contains(&header)));

    // On the second page, and changed under the version that was read.
    let old = "Before.\n\n[firstcall-summary]: # (firstcall:summary)";
    let comments = [words(6, "a"), words(5, "b"), words(4, "c"), words(3, old), opened];
    for text in [LOUD_ON_BITBUCKET, QUIET_ON_BITBUCKET] {
        let host = FakeHost::ok(&comments);
        assert!(post(&host, "bitbucket-server", text).status.success());
        let changed = (format!("PUT {path}/comments/3"), json!({"text": text, "version": 30}));
        assert_eq!(host.writes(), [changed]);
    }
    for (comments, text) in [
        (vec![words(1, "words")], QUIET_ON_BITBUCKET),
        (vec![words(1, LOUD_ON_BITBUCKET)], LOUD_ON_BITBUCKET),
    ] {
        let host = FakeHost::ok(&comments);
        assert!(post(&host, "bitbucket-server", text).status.success());
        assert!(host.writes().is_empty());
    }
    let refusal = json!({"errors": [{"context": null, "message": "The comment has changed"}]});
    let host = FakeHost::start(&[], "409 Conflict", refusal);
    let output = post(&host, "bitbucket-server", LOUD_ON_BITBUCKET);
    assert!(stderr(&output).contains("answered 409"), "{}", stderr(&output));
    assert!(stderr(&output).contains("The comment has changed"), "{}", stderr(&output));
}

#[test]
fn the_markers_are_those_that_the_summaries_end_with() {
    use firstcall::report::Host;
    for (host, name) in [
        (Host::GitHub, "github"),
        (Host::GitLab, "gitlab"),
        (Host::Gitea, "gitea"),
        (Host::Bitbucket, "bitbucket"),
        (Host::Bitbucket, "bitbucket-server"),
    ] {
        for is_quiet in [false, true] {
            let text = format!("Words.\n\n{}\n", host.marker(is_quiet));
            let fake = FakeHost::ok(&[]);
            assert!(post(&fake, name, &text).status.success(), "{text}");
            assert_eq!(fake.writes().is_empty(), is_quiet, "{name}: {text}");
        }
    }
}

/// What the second workflow runs after a fork's: the summary comes from the fork's run, whose
/// word on the pull request is not taken.
#[test]
fn after_a_forks_run_the_pull_request_is_found_by_the_head_that_ran() {
    let pulls = json!([
        {"number": 7, "head": {"sha": "0000"}},
        {"number": 31, "head": {"sha": "abcd"}},
    ]);
    let run = |answer: Value, sha: &str| {
        let host = FakeHost::start(&[], "201 Created", answer);
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), LOUD).unwrap();
        let mut command = with_host(Path::new("python3"), &host);
        command.env_remove("FIRSTCALL_PULL_REQUEST");
        command.env("FIRSTCALL_HEAD", "forker:fix/search").env("FIRSTCALL_HEAD_SHA", sha);
        command.arg(repository().join("ci/post-comment.py")).arg("github").arg(file.path());
        (command.output().unwrap(), host)
    };
    let (output, host) = run(pulls.clone(), "abcd");
    assert!(output.status.success(), "{}", stderr(&output));
    let first = host.seen.lock().unwrap()[0].line.clone();
    let asked = "GET /repos/octo/shop/pulls?state=open&head=forker%3Afix%2Fsearch&per_page=100";
    assert!(first.starts_with(asked), "{first}");
    assert_eq!(host.writes()[0].0, "POST /repos/octo/shop/issues/31/comments");
    // The branch has moved on, or the pull request is closed.
    for (answer, sha) in [(pulls, "ffff"), (json!([]), "abcd"), (json!({"x": 1}), "abcd")] {
        let (output, host) = run(answer, sha);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("no open pull request"), "{}", stderr(&output));
        assert!(host.writes().is_empty());
    }
}

#[test]
fn on_a_fork_the_comments_text_is_kept_and_nothing_is_posted() {
    let folder = tempfile::tempdir().unwrap();
    let host = FakeHost::ok(&[]);
    let kept = folder.path().join("summary.md");
    let stand_in = format!("printf '{}'", LOUD.replace('\n', "\\n"));
    let settings =
        [("FIRSTCALL_COMMENT", "false"), ("FIRSTCALL_SUMMARY_FILE", kept.to_str().unwrap())];
    let output = summarise(&host, folder.path(), &stand_in, &settings);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(&kept).unwrap(), LOUD);
    assert!(folder.path().join("step.md").exists() && host.writes().is_empty());
}

#[test]
fn an_input_that_is_neither_true_nor_false_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let host = FakeHost::ok(&[]);
    let output = summarise(&host, folder.path(), "exit 0", &[("FIRSTCALL_NO_DROP", "yes")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the input no-drop is neither"), "{}", stderr(&output));
    assert!(!folder.path().join("calls").exists());
}

#[test]
fn the_examples_for_forks_give_the_write_token_to_no_code_of_the_fork() {
    let page = fs::read_to_string(repository().join("docs/publishing.md")).unwrap();
    let (_, forks) = page.split_once("### Pull requests from forks").unwrap();
    let blocks: Vec<&str> = forks.split("```").skip(1).step_by(2).take(2).collect();
    let [first, second] = blocks[..] else { unreachable!("two workflows") };
    assert!(first.contains("on: pull_request\n") && !first.contains("pull-requests: write"));
    assert!(first.contains("summary-file:") && first.contains("persist-credentials: false"));
    assert!(second.contains("workflow_run:") && second.contains("pull-requests: write"));
    // It checks out the base's own code, and takes the pull request from the event.
    assert!(second.contains("post-comment.py github") && !second.contains("ref:"));
    for name in ["head_repository.owner.login", "head_branch", "head_sha"] {
        assert!(second.contains(&format!("github.event.workflow_run.{name}")), "{name}");
    }
    let (_, steps) = second.split_once("steps:").unwrap();
    for line in steps.lines().filter(|line| line.contains("${{")) {
        assert!(!line.contains("run:"), "an event's text is part of a script: {line}");
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
