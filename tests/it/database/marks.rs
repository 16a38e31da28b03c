//! Arguments, results, error texts and session ids are in no table and in no file of the engine.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::import::{conversations, lines};
use crate::support::files::files_below;
use crate::support::stores::Place;
use crate::support::{self, stderr};

const MARK: &str = "zq7canary";

fn poisoned() -> Vec<String> {
    let mark = |request: String| {
        let mut json: serde_json::Value = serde_json::from_str(&request).unwrap();
        let spans = &mut json["resourceSpans"][0]["scopeSpans"][0]["spans"];
        for span in spans.as_array_mut().unwrap() {
            span["status"] = json!({ "code": 2, "message": format!("failed {MARK}") });
            for attribute in span["attributes"].as_array_mut().unwrap() {
                let key = attribute["key"].as_str().unwrap().to_owned();
                let text = attribute["value"]["stringValue"].as_str().unwrap().to_owned();
                let marked = match key.as_str() {
                    "gen_ai.tool.call.arguments" => {
                        text.replace("{\"q\":\"", &format!("{{\"q\":\"{MARK}"))
                    }
                    "gen_ai.tool.call.result" => format!("[{{\"id\":\"{MARK}\"}}]"),
                    "gen_ai.conversation.id" => format!("{MARK} {text}"),
                    _ => text,
                };
                attribute["value"]["stringValue"] = marked.into();
            }
        }
        json.to_string()
    };
    conversations(5).into_iter().map(mark).collect()
}

fn holds(bytes: &[u8]) -> bool {
    bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes())
}

/// Looks through every file; says how many bytes there were.
fn search(folder: &Path) -> u64 {
    let read =
        files_below(folder).into_iter().filter_map(|path| Some((fs::read(&path).ok()?, path)));
    read.map(|(bytes, path)| {
        assert!(!holds(&bytes), "{}", path.display());
        bytes.len() as u64
    })
    .sum()
}

#[test]
fn no_content_is_in_a_table_a_file_or_a_log_line() {
    let place = Place::clickhouse();
    let config = place.config_file();
    let file = place.home().join("requests.jsonl");
    fs::write(&file, lines(&poisoned())).unwrap();
    let args = ["import", file.to_str().unwrap(), "--log-level", "trace", "--config"];
    let args = [&args[..], &[config.to_str().unwrap()]].concat();
    let output = support::succeed(&place.home().join("unused"), &args);
    fs::remove_file(&file).unwrap();
    assert!(!holds(&output.stderr), "{}", stderr(&output));
    let engine = place.engine().unwrap();
    let holding = |table: &str, text: &str| -> u64 {
        // As text: what is on the disk is compressed.
        let rows = format!("SELECT toString(tuple(*)) AS row FROM {table}");
        let query = format!("SELECT countIf(position(row, '{text}') > 0) FROM ({rows})");
        engine.ask(&query).trim().parse().unwrap()
    };
    // Names are there, so the search finds what is there.
    assert_eq!(holding("sightings", "find"), 10);
    for table in engine.ask("SHOW TABLES").lines() {
        assert_eq!(holding(table, MARK), 0, "{table}");
    }
    search(place.home());
}
