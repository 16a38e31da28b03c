//! Every verb of the real binary, once on a data folder and once on a database: they say the same.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::dialects::body::protobuf;
use crate::import::{conversations, lines, settled, yesterday};
use crate::receive::client::post;
use crate::support::stores::Place;
use crate::support::{self, RunningServer, stderr, stdout};

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
    offered: String,
    check: Option<i32>,
}

fn verb(place: &Place, config: &Path, args: &[&str]) -> std::process::Output {
    let args = [args, &["--config", config.to_str().unwrap()]].concat();
    support::firstcall(&place.home().join("unused"), &args)
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
    let data = place.home().join("unused");
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
    let doctor = stdout(&done(place, &config, &["doctor", "--json", "--hours", "48"]));
    let mut doctor: Value = serde_json::from_str(&doctor).unwrap();
    for key in ["data_dir", "since", "until", "now"] {
        doctor.as_object_mut().unwrap().remove(key);
    }
    let check = verb(place, &config, &[&["check", "--min", "40%"], &range[..]].concat());
    Said {
        imported: without_paths(&imported, place),
        again: without_paths(&again, place),
        report: settled(report),
        summary,
        exported,
        explained,
        doctor,
        offered: without_paths(&stderr(&offered), place),
        check: check.status.code(),
    }
}

fn without_paths(text: &str, place: &Place) -> String {
    text.replace(place.home().to_str().unwrap(), "HOME")
}

#[tokio::test]
async fn every_verb_says_the_same_on_either_store() {
    let folder = say_all(&Place::folder()).await;
    let database = say_all(&Place::clickhouse()).await;
    assert_eq!(folder.report["overall"]["calls"], 60, "two calls a conversation");
    assert_eq!(database, folder);
}
