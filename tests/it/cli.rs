//! The command line of the real binary: help, exit codes, one clear message for each thing that
//! can be wrong, and nothing half-started.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use firstcall::clock::{Clock, SystemClock};
use firstcall::config::Config;
use firstcall::store::Store;

use crate::support::{self, RunningServer, stderr, stdout};

/// Asserts that a run failed with `code` and one message that names each of `parts`.
#[track_caller]
fn assert_failed(output: &Output, code: i32, parts: &[&str]) {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    assert!(stdout(output).is_empty(), "{}", stdout(output));
    for part in parts {
        assert!(said.contains(part), "no `{part}` in: {said}");
    }
}

#[track_caller]
fn assert_hinted(output: &Output) {
    let said = stderr(output);
    assert!(said.contains("\n\nhint: "), "{said}");
}

/// Runs a command with `input` on standard input.
fn fed(args: &[&str], input: &str) -> Output {
    let mut command = support::command(Path::new("."));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn help_says_what_the_golden_files_say() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/help");
    fs::create_dir_all(&golden).unwrap();
    let mut stale = Vec::new();
    for command in [
        "",
        "serve",
        "doctor",
        "import",
        "nightly",
        "report",
        "summary",
        "check",
        "hash",
        "schema",
        "schema clickhouse",
        "demo",
        "config",
        "config check",
        "config print",
        "export",
        "export calls",
    ] {
        let args: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let output = support::succeed(Path::new("."), &args);
        let name = if command.is_empty() { "firstcall" } else { command };
        let path = golden.join(format!("{}.txt", name.replace(' ', "-")));
        // The environment's own values are shown in brackets; they are not the program's.
        let help = stdout(&output).replace("=.]", "=]");
        let known = fs::read_to_string(&path).unwrap_or_default();
        if known != help {
            stale.push(path.display().to_string());
            if std::env::var_os("CI").is_none() {
                fs::write(&path, &help).unwrap();
            }
        }
    }
    assert!(stale.is_empty(), "help has changed, read the new text in {stale:?}");
}

#[test]
fn version_and_help_are_data_and_wrong_usage_is_not() {
    let output = support::succeed(Path::new("."), &["--version"]);
    assert_eq!(stdout(&output), format!("firstcall {}\n", env!("CARGO_PKG_VERSION")));
    for args in [&[][..], &["sing"], &["report", "--moon"], &["nightly", "--day", "today"]] {
        let output = support::firstcall(Path::new("."), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stdout(&output).is_empty() && !stderr(&output).is_empty(), "{args:?}");
    }
    let both =
        ["report", "--out", "x", "--last", "7d", "--from", "2026-01-01", "--to", "2026-01-02"];
    assert_eq!(support::firstcall(Path::new("."), &both).status.code(), Some(2));
}

#[test]
fn the_sample_configurations_are_valid_and_the_full_one_says_the_defaults() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/samples");
    let mut count = 0;
    for entry in fs::read_dir(&samples).unwrap() {
        let path = entry.unwrap().path();
        Config::load(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let args = ["config", "check", "--config", path.to_str().unwrap()];
        support::succeed(Path::new("."), &args);
        count += 1;
    }
    assert_eq!(count, 3);
    assert_eq!(Config::load(&samples.join("full.yaml")).unwrap(), Config::default());
}

#[test]
fn every_key_of_the_configuration_is_documented() {
    let page = include_str!("../../docs/configuration.md");
    let mut path: Vec<String> = Vec::new();
    for line in Config::default().to_yaml().lines() {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        path.truncate(depth);
        path.push(key.to_owned());
        if !value.trim().is_empty() && key != "tools" {
            let key = path.join(".");
            assert!(page.contains(&format!("`{key}`")), "{key} is not documented");
        }
    }
}

#[test]
fn an_unknown_key_is_refused_with_its_path_and_line_and_nothing_starts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("firstcall.yaml");
    fs::write(&file, "nightly:\n  hour: 2\n  minute: 30\n").unwrap();
    let data_dir = folder.path().join("data");
    let output = support::firstcall(&data_dir, &["serve", "--config", file.to_str().unwrap()]);
    assert_failed(&output, 3, &["firstcall.yaml", "nightly: unknown key `minute`", "line 3"]);
    assert_hinted(&output);
    assert!(!data_dir.exists());
    let output = support::firstcall(&data_dir, &["config", "check", "--config", "no/such.yaml"]);
    assert_failed(&output, 3, &["no/such.yaml", "caused by"]);
}

#[test]
fn flags_lie_over_the_environment_and_that_over_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("firstcall.yaml");
    fs::write(&file, "store: {sqlite: {data_dir: from-file}}\n").unwrap();
    let print = |envs: bool, flags: &[&str]| {
        let mut command = support::command(folder.path());
        command.args(["config", "print", "--config", file.to_str().unwrap()]).args(flags);
        if envs {
            command.env("FIRSTCALL_DATA_DIR", "from-environment");
        } else {
            command.env_remove("FIRSTCALL_DATA_DIR");
        }
        stdout(&command.output().unwrap())
    };
    assert!(print(false, &[]).contains("data_dir: from-file"));
    assert!(print(true, &[]).contains("data_dir: from-environment"));
    assert!(print(true, &["--data-dir", "from-flag"]).contains("data_dir: from-flag"));
}

#[test]
fn a_port_in_use_stops_the_start_before_anything_else_has_begun() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = holder.local_addr().unwrap().to_string();
    for flags in [
        ["serve", "--grpc-endpoint", &taken, "--http-endpoint", "127.0.0.1:0"],
        ["serve", "--grpc-endpoint", "127.0.0.1:0", "--http-endpoint", &taken],
    ] {
        let output = support::firstcall(&data_dir, &flags);
        assert_failed(&output, 3, &[&taken, "caused by"]);
        assert_hinted(&output);
        assert!(!data_dir.exists(), "a data folder was made");
    }
}

#[test]
fn a_data_folder_that_cannot_be_made_is_a_store_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    // A folder below a file can be made by nobody, whatever the permissions.
    for data_dir in [file.join("data"), file.clone()] {
        let output = serve_briefly(&data_dir);
        assert_failed(&output, 4, &["file"]);
        assert_hinted(&output);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a folder");
}

/// `serve` on free ports where it must fail by itself.
fn serve_briefly(data_dir: &Path) -> Output {
    let flags = ["serve", "--grpc-endpoint", "127.0.0.1:0", "--http-endpoint", "127.0.0.1:0"];
    support::firstcall(data_dir, &flags)
}

#[test]
fn a_corrupt_database_is_named_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    Store::create(&data_dir).unwrap();
    let file = data_dir.join("firstcall.sqlite");
    for suffix in ["-wal", "-shm"] {
        fs::remove_file(data_dir.join(format!("firstcall.sqlite{suffix}"))).ok();
    }
    let garbage = "this is no database ".repeat(500);
    fs::write(&file, &garbage).unwrap();
    for args in [&["nightly"][..], &["report", "--out", "site"], &["summary"]] {
        let output = support::firstcall(&data_dir, args);
        assert_failed(&output, 4, &["firstcall.sqlite"]);
        assert_hinted(&output);
    }
    assert_failed(&serve_briefly(&data_dir), 4, &["firstcall.sqlite"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), garbage);
    assert!(!folder.path().join("site").exists());
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    Store::create(&data_dir).unwrap();
    let file = data_dir.join("firstcall.sqlite");
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 1_000_000).unwrap();
    connection.close().unwrap();
    let before = fs::read(&file).unwrap();
    assert_failed(&serve_briefly(&data_dir), 4, &["firstcall.sqlite", "1000000"]);
    let output = support::firstcall(&data_dir, &["nightly"]);
    assert_failed(&output, 4, &["firstcall.sqlite", "1000000"]);
    assert_hinted(&output);
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_database_that_another_program_locks_is_a_store_error() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    Store::create(&data_dir).unwrap();
    let connection = rusqlite::Connection::open(data_dir.join("firstcall.sqlite")).unwrap();
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE").unwrap();
    connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let output = support::firstcall(&data_dir, &["report", "--out", "site"]);
    assert_failed(&output, 4, &["firstcall.sqlite", "locked"]);
    assert_hinted(&output);
}

#[test]
fn a_second_pass_is_told_that_one_is_running() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let store = Store::create(&data_dir).unwrap();
    let lease = store.begin_pass(SystemClock.now(), "a test").unwrap();
    let output = support::firstcall(&data_dir, &["nightly"]);
    assert_failed(&output, 5, &["another pass is running", "a test"]);
    drop(lease);
    support::succeed(&data_dir, &["nightly"]);
}

#[test]
fn a_second_server_on_one_data_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let server = RunningServer::start(&data_dir);
    let output = serve_briefly(&data_dir);
    assert_failed(&output, 4, &["another firstcall"]);
    assert_hinted(&output);
    assert_eq!(server.stop().status.code(), Some(0));
}

#[test]
fn where_nothing_is_there_is_nothing_to_report() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    for args in [
        &["report", "--out", "site"][..],
        &["summary"],
        &["nightly"],
        &["export", "calls", "--day", "2026-01-01"],
    ] {
        let output = support::firstcall(&data_dir, args);
        assert_failed(&output, 6, &["no firstcall data"]);
        assert_hinted(&output);
    }
    assert!(!data_dir.exists() && !folder.path().join("site").exists());
}

#[test]
fn a_store_without_a_call_has_nothing_to_report() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    Store::create(&data_dir).unwrap();
    for args in [&["report", "--out", "site"][..], &["summary"]] {
        let output = support::firstcall(&data_dir, args);
        assert_failed(&output, 6, &["no tool call has arrived"]);
        assert_hinted(&output);
    }
    let output = support::firstcall(&data_dir, &["export", "calls", "--day", "2026-01-01"]);
    assert_failed(&output, 6, &["no call started on 2026-01-01"]);
    let output = support::firstcall(&data_dir, &["nightly", "--explain", "search"]);
    assert_failed(&output, 6, &["no day is covered yet"]);
    assert_hinted(&output);
    let of_day = ["nightly", "--explain", "search", "--client", "ide", "--day", "2026-01-01"];
    let output = support::firstcall(&data_dir, &of_day);
    assert_failed(&output, 6, &["no call of `search` by `ide` on 2026-01-01"]);
    assert!(!folder.path().join("site").exists());
}

#[test]
fn a_range_that_ends_before_it_begins_and_a_day_that_is_not_over_are_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    Store::create(&data_dir).unwrap();
    let backwards = ["--from", "2026-01-02", "--to", "2026-01-01"];
    for command in [&["summary"][..], &["nightly"]] {
        let args: Vec<&str> = command.iter().copied().chain(backwards).collect();
        assert_failed(&support::firstcall(&data_dir, &args), 2, &["2026-01-02", "2026-01-01"]);
    }
    let today = SystemClock.now().day().to_string();
    let output = support::firstcall(&data_dir, &["nightly", "--day", &today]);
    assert_failed(&output, 2, &[&today, "not over"]);
    assert_hinted(&output);
}

#[test]
fn a_server_drains_and_ends_on_either_signal() {
    for signal in ["TERM", "INT"] {
        let folder = tempfile::tempdir().unwrap();
        let server = RunningServer::start(&folder.path().join("data"));
        let stopped = server.stop_by(signal);
        let log = String::from_utf8(stopped.log).unwrap();
        assert_eq!(stopped.status.code(), Some(0), "{signal}: {log}");
        assert!(stopped.took < Duration::from_secs(10), "{signal}: {:?}", stopped.took);
        for fact in ["version", "grpc", "http", "data_dir", "covered_through", "stopped"] {
            assert!(log.contains(fact), "{signal}: no {fact} in {log}");
        }
        // The schema's version is the one that SQLite has for the file.
        let file = rusqlite::Connection::open(folder.path().join("data/firstcall.sqlite")).unwrap();
        let schema: u32 = file.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        let place = folder.path().join("data").display().to_string();
        let line = format!(" into the sqlite store `{place}` of schema {schema} ");
        assert!(log.contains(&line), "{log}");
        assert!(log.contains(&format!("store.kind=\"sqlite\" store.schema={schema}")), "{log}");
    }
}

#[test]
fn log_lines_can_be_json() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let flags = ["--log-format", "json", "--log-level", "trace"];
    let stopped = RunningServer::start_with(&data_dir, &flags, &[]).stop();
    let log = String::from_utf8(stopped.log).unwrap();
    assert!(!log.is_empty());
    for line in log.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("a line is an object");
        assert!(line["message"].is_string() && line["level"].is_string(), "{line}");
    }
}

#[test]
fn hash_prints_the_args_hash_or_what_was_hashed() {
    // From the vectors that other implementations of the same contract agree on.
    for (input, hash) in [("{}", "44136fa355b3"), ("[]", "4f53cda18c2b")] {
        assert_eq!(stdout(&fed(&["hash"], input)), format!("{hash}\n"));
    }
    let output = fed(&["hash", "--canonical"], "{\"b\": 1.0, \"a\": \"\\u00e9\"}");
    assert_eq!(stdout(&output), "{\"a\":\"é\",\"b\":1}\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn hash_tells_where_the_input_is_wrong_and_not_what_it_holds() {
    let output = fed(&["hash"], "{\"city\": canary-Zürich}");
    assert_failed(&output, 2, &["caused by", "9"]);
    assert!(!stderr(&output).contains("canary") && !stderr(&output).contains("city"));
}
