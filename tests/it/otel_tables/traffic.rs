//! Mixed agent traffic in every dialect's shape: the bodies of the dialects' corpus, each sent
//! several times, with ids, times and arguments of its own each time.
#![expect(clippy::indexing_slicing, reason = "helpers of tests")]

use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

use super::Body;
use super::exporter::hex;
use crate::dialects::{body::protobuf, corpus_bodies};
use firstcall::call::UnixNanos;
use firstcall::otlp::Format;

/// How often each body is sent: often enough for retries, repeats and chains.
const TIMES: u64 = 4;
const SECOND: u64 = 1_000_000_000;
/// Between one body's times; within the window of retries.
const APART: u64 = 11 * SECOND;
/// After everything, in the day in which everything happened.
pub(super) const NOW: UnixNanos = UnixNanos::new(1_785_250_000 * SECOND);

/// What is sent anew each time.
struct Sent<'b> {
    body: &'b str,
    times: u64,
}

/// Whether log records that tell no time of any kind are sent: no table keeps one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Timeless {
    Sent,
    LeftOut,
}

/// The traffic, body by body. Bodies do not share a trace, and a body's times share sessions.
pub(super) fn traffic(timeless: Timeless) -> Vec<Body> {
    let mut bodies = Vec::new();
    for (name, body) in corpus_bodies() {
        for times in 0..TIMES {
            let mut json: Json = serde_json::from_str(&body).unwrap();
            add_downstream(&mut json);
            if timeless == Timeless::LeftOut {
                leave_out_timeless(&mut json);
            }
            Sent { body: &name, times }.rewrite(&mut json);
            bodies.push(Body {
                name: name.clone(),
                bytes: protobuf(&json.to_string()),
                format: Format::Protobuf,
                now: NOW,
            });
        }
    }
    bodies
}

/// Gives the first server span of each scope two client spans below it.
fn add_downstream(json: &mut Json) {
    each(json, "spans", &mut |spans| {
        let server = spans.iter().find(|span| span["kind"] == 2).cloned();
        for (server, digit) in server.into_iter().flat_map(|one| [(one.clone(), '1'), (one, '2')]) {
            let mut below = server.clone();
            let parent = server["spanId"].as_str().unwrap();
            below["parentSpanId"] = parent.into();
            below["spanId"] = format!("{digit}{}", parent.get(1..).unwrap()).into();
            below["name"] = "POST".into();
            below["kind"] = 3.into();
            below["attributes"] = serde_json::json!([
                {"key": "http.request.method", "value": {"stringValue": "POST"}},
                {"key": "url.full", "value": {"stringValue": "https://shop.example/orders"}},
                {"key": "server.address", "value": {"stringValue": "shop.example"}},
            ]);
            spans.push(below);
        }
    });
}

fn leave_out_timeless(json: &mut Json) {
    let tells = |record: &Json, key: &str| record[key].as_str().is_some_and(|nanos| nanos != "0");
    each(json, "logRecords", &mut |records| {
        records.retain(|record| {
            tells(record, "timeUnixNano") || tells(record, "observedTimeUnixNano")
        });
    });
}

/// Hands every list of the name to `visit`.
fn each(json: &mut Json, name: &str, visit: &mut dyn FnMut(&mut Vec<Json>)) {
    match json {
        Json::Array(items) => items.iter_mut().for_each(|item| each(item, name, visit)),
        Json::Object(members) => {
            for (key, value) in members {
                match value {
                    Json::Array(items) if key == name => visit(items),
                    value => each(value, name, visit),
                }
            }
        }
        _ => {}
    }
}

impl Sent<'_> {
    fn rewrite(&self, json: &mut Json) {
        match json {
            Json::Array(items) => items.iter_mut().for_each(|item| self.rewrite(item)),
            Json::Object(members) => {
                if let Some(key) = members.get("key").and_then(Json::as_str).map(str::to_owned) {
                    self.rewrite_attribute(&key, members);
                }
                for (key, value) in members {
                    match (key.as_str(), value.as_str()) {
                        ("traceId" | "spanId" | "parentSpanId", Some(id)) => {
                            *value = Json::String(self.id(id));
                        }
                        (time, Some(nanos)) if time.ends_with("UnixNano") => {
                            *value = Json::String(self.time(nanos));
                        }
                        _ => self.rewrite(value),
                    }
                }
            }
            _ => {}
        }
    }

    /// Another id of the same length for each body and time, and the same for the same id.
    fn id(&self, id: &str) -> String {
        if id.bytes().all(|digit| digit == b'0') {
            return id.to_owned();
        }
        let digest = Sha256::digest(format!("{} {} {id}", self.body, self.times));
        hex(&digest).get(..id.len()).unwrap().to_owned()
    }

    fn time(&self, nanos: &str) -> String {
        let nanos: u64 = nanos.parse().unwrap();
        (if nanos == 0 { 0 } else { nanos + self.times * APART }).to_string()
    }

    /// Ids of calls are new each time, and every second time JSON objects have another value.
    fn rewrite_attribute(&self, key: &str, members: &mut Map<String, Json>) {
        let Some(text) = members.get_mut("value").and_then(|value| value.get_mut("stringValue"))
        else {
            return;
        };
        let told = text.as_str().unwrap().to_owned();
        let key = key.to_lowercase();
        let is_call_id = key.ends_with("id") && (key.contains("call") || key.contains("use"));
        if is_call_id && !told.is_empty() {
            *text = format!("{told}-{}", self.times).into();
        } else if let Ok(Json::Object(mut object)) = serde_json::from_str(&told) {
            // Once more as before, then another value: a repeat and a retry.
            object.insert("nth".to_owned(), Json::from(self.times / 2));
            if !told.contains("cursor") && self.times > 0 {
                *text = Json::Object(object).to_string().into();
            }
        }
    }
}
