//! Every verb of the real binary, once on a data folder and once on a database: they say the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::dialects::body::protobuf;
use crate::import::{conversations, lines, settled, yesterday};
use crate::receive::client::post;
use crate::support::files::files_below;
use crate::support::stores::Place;
use crate::support::{self, RunningServer, stderr, stdout};

/// Exit codes and what was said.
type Checks = Vec<(Option<i32>, String)>;
/// Files by their paths, as text, or their sizes.
type Files = BTreeMap<String, String>;

/// What the verbs say, without what is the store's own: paths and places.
#[derive(Debug, PartialEq)]
struct Said {
    imported: String,
    again: String,
    report: Value,
    summary: String,
    exported: String,
    explained: String,
    doctor: Value,
    doctor_in_words: String,
    offered: String,
    pass: String,
    site: Files,
    checks: Checks,
    restated: Value,
}

/// The data folder of a configuration, which a database has no use for.
fn data_dir(place: &Place, config: &Path) -> PathBuf {
    place.home().join(config.file_stem().unwrap())
}

fn verb(place: &Place, config: &Path, args: &[&str]) -> std::process::Output {
    let args = [args, &["--config", config.to_str().unwrap()]].concat();
    support::firstcall(&data_dir(place, config), &args)
}

#[track_caller]
fn done(place: &Place, config: &Path, args: &[&str]) -> std::process::Output {
    let output = verb(place, config, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    output
}

async fn say_all(place: &Place) -> Said {
    let config = place.config_file();
    let day = yesterday().to_string();
    let requests = conversations(30);
    // Ten over the socket, all thirty from a file: those ten are there twice and count once.
    let data = data_dir(place, &config);
    let server = RunningServer::start_with(&data, &["--config", config.to_str().unwrap()], &[]);
    for request in &requests[..10] {
        let answer = post(server.http, &protobuf(request), &[]).await;
        assert_eq!(answer.status, 200);
    }
    assert!(!stdout(&done(place, &config, &["doctor"])).contains("no process receives"));
    assert_eq!(server.stop().status.code(), Some(0));
    let file = place.home().join("requests.jsonl");
    fs::write(&file, lines(&requests)).unwrap();
    let import = ["import", file.to_str().unwrap()];
    let imported = stderr(&done(place, &config, &import));
    let again = stderr(&done(place, &config, &import));
    let tools = place.home().join("tools.json");
    fs::write(&tools, r#"{"tools":[{"name":"find"},{"name":"never_called"}]}"#).unwrap();
    let offered = done(place, &config, &["tools", "import", tools.to_str().unwrap()]);
    done(place, &config, &["nightly", "--day", &day]);
    let out = place.home().join("site");
    let range = ["--from", &day, "--to", &day];
    let report = [&["report", "--out", out.to_str().unwrap()], &range[..]].concat();
    done(place, &config, &report);
    let report = serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    let summary = stdout(&done(place, &config, &[&["summary", "--always"], &range[..]].concat()));
    let exported = stdout(&done(place, &config, &["export", "calls", "--day", &day]));
    let mut exported: Vec<&str> = exported.lines().collect();
    exported.sort_unstable();
    let exported = exported.join("\n");
    let explain = ["nightly", "--day", &day, "--explain", "find"];
    let explained = stdout(&done(place, &config, &explain));
    let doctor_in_words = stdout(&done(place, &config, &["doctor", "--hours", "48"]));
    let doctor = stdout(&done(place, &config, &["doctor", "--json", "--hours", "48"]));
    let mut doctor: Value = serde_json::from_str(&doctor).unwrap();
    for key in ["data_dir", "since", "until", "now"] {
        doctor.as_object_mut().unwrap().remove(key);
    }
    let (pass, site, checks, restated) = without_a_server(place, &file, &range);
    Said {
        imported: without_paths(&imported, place),
        again: without_paths(&again, place),
        report: settled(report),
        summary,
        exported,
        explained,
        doctor,
        doctor_in_words: without_times(&without_paths(&doctor_in_words, place)),
        offered: without_paths(&stderr(&offered), place),
        pass,
        site,
        checks,
        restated,
    }
}

/// What is said of a store into which nothing but an import was written: when `serve` ran its first
/// pass, nobody knows. The pass, the report's files, gates, and what a restated day shows.
fn without_a_server(
    place: &Place,
    requests: &Path,
    range: &[&str],
) -> (String, Files, Checks, Value) {
    let config = place.config_file();
    done(place, &config, &["import", requests.to_str().unwrap()]);
    let pass = stderr(&done(place, &config, &["nightly"]));
    let out = place.home().join("pages");
    done(place, &config, &[&["report", "--out", out.to_str().unwrap()], range].concat());
    let checks = check(place, &config, range, &out.join("report.json"));
    (pass, files_of(&out), checks, restate(place, &config, range))
}

/// Gates that are met, that are not, and that cannot be judged: exit codes and what was said.
fn check(place: &Place, config: &Path, range: &[&str], earlier: &Path) -> Checks {
    let baseline = ["--no-drop", "--baseline", earlier.to_str().unwrap()];
    let checks = [
        &["--min", "40%"][..],
        &["--min", "99.9%", "--rule", "window-30s"],
        &["--tool", "find=99.9%"],
        &["--tool", "no_such_tool=10%"],
        &baseline,
    ];
    let said = |flags: &&[&str]| {
        let output = verb(place, config, &[&["check"], *flags, range].concat());
        let said = format!("{}{}", stdout(&output), stderr(&output));
        (output.status.code(), without_paths(&said, place))
    };
    checks.iter().map(said).collect()
}

/// Ten more conversations of the same day: it is covered again, and the report says what was shown
/// before.
fn restate(place: &Place, config: &Path, range: &[&str]) -> Value {
    let more = place.home().join("more.jsonl");
    fs::write(&more, lines(&conversations(40)[30..])).unwrap();
    done(place, config, &["import", more.to_str().unwrap()]);
    done(place, config, &["nightly"]);
    let out = place.home().join("again");
    done(place, config, &[&["report", "--out", out.to_str().unwrap()], range].concat());
    let report: Value =
        serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    report["overall"].clone()
}

/// The files below a folder.
fn files_of(folder: &Path) -> Files {
    let text = |path: PathBuf| {
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        let bytes = fs::read(&path).unwrap();
        let size = bytes.len();
        (name, String::from_utf8(bytes).unwrap_or_else(|_| format!("{size}")))
    };
    files_below(folder).into_iter().map(text).collect()
}

/// Without lines that tell the store's place or the time of day.
fn without_times(text: &str) -> String {
    let is_told = |line: &&str| !line.contains("receives into it") && !line.contains("UTC");
    text.lines().filter(is_told).collect::<Vec<_>>().join("\n")
}

fn without_paths(text: &str, place: &Place) -> String {
    text.replace(place.home().to_str().unwrap(), "HOME")
}

#[tokio::test]
async fn every_verb_says_the_same_on_either_store() {
    let folder = say_all(&Place::folder()).await;
    let database = say_all(&Place::clickhouse()).await;
    assert_eq!(folder.report["overall"]["calls"], 60, "two calls a conversation");
    assert!(folder.site.len() > 5 && folder.site.contains_key("index.html"));
    let codes: Vec<_> = folder.checks.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [Some(0), Some(7), Some(7), Some(6), Some(0)], "{:?}", folder.checks);
    assert_eq!(folder.restated["calls"], 80);
    assert_ne!(folder.restated["restated"], Value::Null);
    for (name, file) in &folder.site {
        assert_eq!(database.site.get(name), Some(file), "{name}");
    }
    assert_eq!(database, folder);
}
