//! Canaries: texts put where arguments, results and errors stand, then looked for in everything
//! that is kept, printed or written.
#![expect(clippy::unwrap_used, reason = "in a test a panic is the message, helpers included")]

use std::path::Path;

use crate::dialects::fates;

use firstcall::call::InstallationSecret;
use firstcall::reduce::canonical_json::canonicalise;
use firstcall::reduce::hash::args_hash_of_text;

/// A text that nothing else holds.
const CANARY: &str = "zq7canary";

/// Every span of the corpus, with a canary in every text that is content (dialects.md 11.8).
fn poisoned(body: &str) -> String {
    let mut json: serde_json::Value = serde_json::from_str(body).unwrap();
    poison(&mut json, false);
    json.to_string()
}

/// Attributes whose texts are content, wherever they stand.
fn is_content(key: &str) -> bool {
    const PARTS: &[&str] = &[
        "arguments",
        "argument.",
        "args",
        "input",
        "output",
        "result",
        "response",
        "request",
        "prompt",
        "completion",
        "payload",
        "message",
        "parameters",
        "content",
        "stacktrace",
        "logfire.msg",
        "exception.",
        "conversation.id",
        "session",
        "call.id",
        "call_id",
        "toolCall.id",
        "tool_use_id",
        "metadata",
        "ulid",
    ];
    PARTS.iter().any(|part| key.contains(part))
        && !key.ends_with("hash")
        && !key.ends_with("_count")
        // Names of tools.
        && !key.ends_with("_tool_name")
        && key != "mcp.request.params.name"
}

fn poison(json: &mut serde_json::Value, is_in_content: bool) {
    match json {
        serde_json::Value::Object(object) => {
            let key = object.get("key").and_then(serde_json::Value::as_str).map(str::to_owned);
            let is_content_here = is_in_content || key.is_some_and(|key| is_content(&key));
            for (name, value) in object.iter_mut() {
                match value {
                    serde_json::Value::String(text) if name == "stringValue" && is_content_here => {
                        *text = mark(text);
                    }
                    // A status text.
                    serde_json::Value::String(text) if name == "message" => *text = mark(text),
                    value => poison(value, is_content_here),
                }
            }
            if object.contains_key("startTimeUnixNano") {
                add_canaries(object);
            }
            if let Some(serde_json::Value::Array(records)) = object.get_mut("logRecords") {
                records.iter_mut().for_each(add_canaries_to_log);
            }
        }
        serde_json::Value::Array(list) => {
            for each in list {
                poison(each, is_in_content);
            }
        }
        _ => {}
    }
}

/// Puts a canary inside JSON, so that it still parses, or at the end.
fn mark(text: &str) -> String {
    match text.strip_suffix('}') {
        Some("{") => format!(r#"{{"x":"{CANARY}"}}"#),
        Some(rest) if text.starts_with('{') => format!(r#"{rest},"x":"{CANARY}"}}"#),
        _ => format!("{text} {CANARY}"),
    }
}

/// Content where no dialect looks for it, too.
fn add_canaries(span: &mut serde_json::Map<String, serde_json::Value>) {
    let canary = serde_json::json!({ "stringValue": format!("{{\"x\":\"{CANARY}\"}}") });
    let attributes = span.entry("attributes").or_insert_with(|| serde_json::json!([]));
    let attributes = attributes.as_array_mut().unwrap();
    for key in ["url.query", "mcp.resource.uri", "gen_ai.input.messages", "gen_ai.output.messages"]
    {
        attributes.push(serde_json::json!({ "key": key, "value": canary }));
    }
    let events = span.entry("events").or_insert_with(|| serde_json::json!([]));
    events.as_array_mut().unwrap().push(serde_json::json!({
        "name": "gen_ai.choice",
        "attributes": [{ "key": "message", "value": canary }],
    }));
}

/// The same in a log record: what coding agents send beside what is read of them. The body is
/// content wherever it does not name the event.
fn add_canaries_to_log(record: &mut serde_json::Value) {
    let canary = serde_json::json!({ "stringValue": format!("{{\"x\":\"{CANARY}\"}}") });
    let attributes = record["attributes"].as_array_mut().unwrap();
    let has_event = attributes.iter().any(|pair| pair["key"] == "event.name");
    for key in [
        "prompt",
        "error",
        "error.message",
        "user.email",
        "user.id",
        "organization.id",
        "process.command_args",
        "bash_command",
        "argumentKeys",
        "anthropic.custom_base_url",
        "gen_ai.input.messages",
    ] {
        attributes.push(serde_json::json!({ "key": key, "value": canary }));
    }
    if has_event {
        record["body"] = canary;
    }
}

#[test]
fn nothing_of_the_content_of_a_span_is_in_its_sighting() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/otlp");
    let mut spans = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "json") {
            let body = poisoned(&std::fs::read_to_string(&path).unwrap());
            assert!(body.contains(CANARY), "{}", path.display());
            for fate in fates(&body) {
                spans += 1;
                assert!(!format!("{fate:?}").contains(CANARY), "{}: {fate:?}", path.display());
            }
        }
    }
    assert!(spans > 40, "{spans}");
}

#[test]
fn nothing_of_a_text_is_in_the_errors_and_debug_texts_about_it() {
    for text in [
        format!("{{\"a\":\"{CANARY}\"}}"),
        format!("{{'{CANARY}': 1}}"),
        format!("{{\"{CANARY}\":1,\"{CANARY}\":2}}"),
        format!("[\"{CANARY}\""),
        format!("[1] {CANARY}"),
    ] {
        let said = match canonicalise(text.as_bytes()) {
            Ok(canonical) => format!("{canonical:?}"),
            Err(error) => format!("{error} {error:?} {:?}", error.help()),
        };
        let hashed = format!("{:?}", args_hash_of_text(text.as_bytes()));
        assert!(!said.contains(CANARY) && !hashed.contains(CANARY), "{said} {hashed}");
    }
    let secret = InstallationSecret::from_bytes([0x41; 32]);
    assert!(!format!("{secret:?}").contains("65") && !format!("{secret:?}").contains("41"));
}
