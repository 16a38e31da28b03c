//! What a captured result tells: whether it held anything, its size, and whether the tool said
//! in it that it failed (METHOD section 4). The result itself ends here.

use std::borrow::Cow;

use serde_json::{Map, Value as Json};

use super::canonical_json;
use super::context::EmptyDeclaration;
use super::{marks, messages, tool_message};
use crate::call::{Emptiness, Outcome};
use crate::otlp::Value;
use crate::recognise::{Dialect, Key, ResultFrom, Seen};

/// The longest result that is taken apart. A longer one holds something, unless it is blank.
const MAX_PARSED: usize = 64 * 1024;
/// How deep an OTLP value is followed.
const MAX_DEPTH: usize = 64;

/// What is known of a result. It has no Debug: an error's text is content.
#[derive(Default)]
pub(super) struct ResultLook {
    /// Whether it holds nothing, where that is told or visible.
    is_empty: Option<bool>,
    /// Its size, where it is told or visible.
    pub(super) bytes: Option<u64>,
    /// Whether the tool says in it that it failed.
    pub(super) is_error: bool,
    /// The text of that failure: to classify, in memory only.
    pub(super) error_text: Option<String>,
}

impl ResultLook {
    /// The answer's emptiness. Only an answer that is ok can be empty.
    pub(super) fn emptiness(&self, outcome: Outcome) -> Emptiness {
        match (self.is_empty, outcome) {
            (Some(true), Outcome::Ok) => Emptiness::Yes,
            (Some(false), _) => Emptiness::No,
            (Some(true) | None, _) => Emptiness::Unknown,
        }
    }
}

/// Looks at the result where the dialect keeps it; what is told beats what is visible.
pub(super) fn look(
    seen: &Seen<'_>,
    rules: &Dialect,
    declared: Option<&EmptyDeclaration>,
) -> ResultLook {
    let captured = rules.result.iter().find_map(|place| read(seen, *place));
    let mut look = captured.unwrap_or_default();
    if look.is_empty == Some(false)
        && let Some(declared) = declared
    {
        let places = rules.result.iter().filter_map(|place| place.key());
        let text = places.filter_map(|key| seen.value(key)).find_map(text_of);
        look.is_empty = Some(text.is_some_and(|text| means_nothing(&text, declared)));
    }
    if let Some(told) = seen.flag(Key::IsEmpty).filter(|_| seen.has_given_hash()) {
        look.is_empty = Some(told);
    }
    let told = [Key::ResponseBytes, Key::ResultBytes, Key::ToolResultSizeBytes];
    if let Some(bytes) = told.into_iter().find_map(|key| seen.integer(key)) {
        look.bytes = u64::try_from(bytes).ok().or(look.bytes);
    }
    look
}

/// A value as text: as it was sent, or as JSON.
fn text_of<'v>(value: &'v Value<'_>) -> Option<Cow<'v, str>> {
    match value {
        Value::Empty => None,
        Value::String(text) => Some(Cow::Borrowed(text)),
        _ => json(value, MAX_DEPTH).map(|json| Cow::Owned(json.to_string())),
    }
}

/// Whether an answer is one that the tool's declaration calls empty.
fn means_nothing(text: &str, declared: &EmptyDeclaration) -> bool {
    let is_said = |text: &str| declared.texts.iter().any(|empty| empty.trim() == text.trim());
    if is_said(text) {
        return true;
    }
    if text.len() > MAX_PARSED {
        return false;
    }
    let Ok(json) = serde_json::from_str::<Json>(text) else { return false };
    let content = match &json {
        Json::Array(parts) if is_content(parts) => Some((parts.as_slice(), None)),
        Json::Object(object) => mcp_result(object),
        _ => None,
    };
    match content {
        Some(([part], structured)) => {
            structured.is_some_and(|json| has_empty_fields(json, &declared.fields))
                || part_text(part).is_some_and(|text| {
                    is_said(text)
                        || serde_json::from_str(text)
                            .is_ok_and(|json| has_empty_fields(&json, &declared.fields))
                })
        }
        Some((_, structured)) => {
            structured.is_some_and(|json| has_empty_fields(json, &declared.fields))
        }
        None => has_empty_fields(&json, &declared.fields),
    }
}

/// Whether at least one of the fields is there, and all that are hold nothing or zero.
fn has_empty_fields(json: &Json, fields: &[String]) -> bool {
    let Some(object) = json.as_object() else { return false };
    let is_nothing = |value: &Json| match value {
        Json::Number(count) => count.as_f64() == Some(0.0),
        value => is_empty_structured(value),
    };
    let mut there = fields.iter().filter_map(|field| object.get(field)).peekable();
    there.peek().is_some() && there.all(is_nothing)
}

fn read(seen: &Seen<'_>, place: ResultFrom) -> Option<ResultLook> {
    match place {
        ResultFrom::Key(key) => of_value(seen.value(key)?, &[]),
        ResultFrom::Member(key, members) => of_value(seen.value(key)?, members),
        ResultFrom::Event(event, key) => {
            let event = seen.span.events.iter().rev().find(|each| each.name == event)?;
            of_value(event.attributes.get(key)?, &[])
        }
        ResultFrom::Messages(event, key) => {
            let event = seen.span.events.iter().rev().find(|each| each.name == event)?;
            let names = &["response", "result"];
            let text = messages::part(event.attributes.text(key)?, "tool_call_response", names)?;
            Some(of_text(&text, &[]))
        }
        ResultFrom::Count(key) => {
            let count = seen.integer(key)?;
            // Parts that were not captured may still be blank.
            Some(ResultLook { is_empty: (count == 0).then_some(true), ..ResultLook::default() })
        }
        ResultFrom::After(key, line, cut) => {
            let text = seen.text(key)?;
            let look = of_text(after_line(text, line), &[]);
            let is_cut = seen.flag(cut) == Some(true);
            Some(ResultLook { bytes: look.bytes.filter(|_| !is_cut), ..look })
        }
        ResultFrom::Size(key) => size(seen.integer(key)?, is_empty_of_text_size),
        ResultFrom::ContentSize(key, mark) => {
            let test =
                if seen.has(mark) { is_empty_of_content_size } else { is_empty_of_text_size };
            size(seen.integer(key)?, test)
        }
    }
}

/// What follows the first line that is `line`; everything where there is no such line.
fn after_line<'t>(text: &'t str, line: &str) -> &'t str {
    let mut end = 0;
    for each in text.split_inclusive('\n') {
        end += each.len();
        if each.trim_end() == line {
            return text.get(end..).unwrap_or_default();
        }
    }
    text
}

fn size(bytes: i64, is_empty: fn(u64) -> Option<bool>) -> Option<ResultLook> {
    let bytes = u64::try_from(bytes).ok()?;
    Some(ResultLook { is_empty: is_empty(bytes), bytes: Some(bytes), ..ResultLook::default() })
}

/// Whether a text of this size is empty. A few bytes may be blanks, or one of the four texts that
/// hold nothing, the longest of which is `null`.
const fn is_empty_of_text_size(bytes: u64) -> Option<bool> {
    match bytes {
        0 => Some(true),
        1..=4 => None,
        _ => Some(false),
    }
}

/// Whether an MCP result whose content has this size as JSON is empty: 2 is `[]`, 27 is one text
/// that is blank, and up to 31 it may be one of the four texts that hold nothing.
const fn is_empty_of_content_size(bytes: u64) -> Option<bool> {
    match bytes {
        2 | 27 => Some(true),
        0..=31 => None,
        _ => Some(false),
    }
}

fn of_value(value: &Value<'_>, members: &[&str]) -> Option<ResultLook> {
    match value {
        // Not sent, rather than sent empty.
        Value::Empty => None,
        Value::String(text) => Some(of_text(text, members)),
        Value::Bytes(bytes) => Some(ResultLook {
            is_empty: Some(bytes.is_empty()),
            bytes: Some(bytes.len() as u64),
            ..ResultLook::default()
        }),
        _ => {
            let json = json(value, MAX_DEPTH)?;
            let bytes = canonical_json::value_as_received(value).ok();
            let bytes = bytes.map(|text| text.as_str().len() as u64);
            Some(ResultLook { bytes, ..of_json(&json, members) })
        }
    }
}

fn of_text(text: &str, members: &[&str]) -> ResultLook {
    if marks::is_not_sent(text) {
        return ResultLook::default();
    }
    let bytes = Some(text.len() as u64);
    if text.len() > MAX_PARSED {
        let is_empty = Some(text.trim().is_empty());
        return ResultLook { is_empty, bytes, ..of_long_text(text) };
    }
    match serde_json::from_str::<Json>(text) {
        Ok(json) => ResultLook { bytes, ..of_json(&json, members) },
        Err(_) => {
            ResultLook { is_empty: Some(text.trim().is_empty()), bytes, ..ResultLook::default() }
        }
    }
}

/// Of a long result only the mark of failure is read; the rest is skipped over.
fn of_long_text(text: &str) -> ResultLook {
    #[derive(serde::Deserialize)]
    struct Marks {
        #[serde(rename = "isError", alias = "is_error", default)]
        is_error: bool,
    }
    let is_error = serde_json::from_str::<Marks>(text).is_ok_and(|marks| marks.is_error);
    ResultLook { is_error, ..ResultLook::default() }
}

fn of_json(json: &Json, members: &[&str]) -> ResultLook {
    let object = json.as_object();
    let is_error = object.is_some_and(says_failed);
    let error_text = object.filter(|_| is_error).and_then(first_text);
    let part = object.and_then(|object| members.iter().find_map(|member| object.get(*member)));
    let part = part.unwrap_or(json);
    if let Some(message) = tool_message::fields(part) {
        return of_tool_message(message);
    }
    ResultLook { is_empty: Some(is_empty(part)), bytes: None, is_error, error_text }
}

/// LangChain's message: its content is the answer, and it says itself whether the tool failed.
fn of_tool_message(message: &Map<String, Json>) -> ResultLook {
    let is_error = tool_message::says_failed(message);
    ResultLook {
        is_empty: message.get("content").map(is_empty),
        bytes: None,
        is_error,
        error_text: Some(message).filter(|_| is_error).and_then(first_text),
    }
}

/// `isError` of an MCP result, or its spelling by OpenLLMetry.
fn says_failed(object: &Map<String, Json>) -> bool {
    let is_result = ["content", "result", "structuredContent"];
    let is_set = |key: &str| object.get(key) == Some(&Json::Bool(true));
    (is_set("isError") || is_set("is_error"))
        && is_result.iter().any(|key| object.contains_key(*key))
}

fn first_text(object: &Map<String, Json>) -> Option<String> {
    match object.get("content").or_else(|| object.get("result"))? {
        Json::String(text) => Some(text.clone()),
        Json::Array(parts) => parts.iter().find_map(part_text).map(str::to_owned),
        _ => None,
    }
}

/// Whether an answer holds nothing: METHOD section 4, word by word.
fn is_empty(json: &Json) -> bool {
    match json {
        Json::Null => true,
        Json::String(text) => is_empty_text(text),
        Json::Array(parts) if is_content(parts) => is_empty_content(parts),
        Json::Object(object) => match mcp_result(object) {
            Some((parts, Some(structured))) => {
                is_empty_structured(structured) && parts.iter().all(|p| part_text(p).is_some())
            }
            Some((parts, None)) => is_empty_content(parts),
            None => is_empty_structured(json),
        },
        Json::Array(_) | Json::Bool(_) | Json::Number(_) => is_empty_structured(json),
    }
}

/// An MCP result: its content and its structured content, where it has one.
fn mcp_result(object: &Map<String, Json>) -> Option<(&[Json], Option<&Json>)> {
    const KEYS: &[&str] = &[
        "content",
        "structuredContent",
        "structured_content",
        "isError",
        "is_error",
        "_meta",
        "meta",
        "resultType",
    ];
    let parts = object.get("content")?.as_array()?;
    if !is_content(parts) || !object.keys().all(|key| KEYS.contains(&key.as_str())) {
        return None;
    }
    let structured = object.get("structuredContent").or_else(|| object.get("structured_content"));
    Some((parts, structured.filter(|value| !value.is_null())))
}

/// Whether an array is MCP content: parts that tell their type.
fn is_content(parts: &[Json]) -> bool {
    const TYPES: &[&str] = &["text", "image", "audio", "resource", "resource_link"];
    let kind =
        |part: &Json| part.get("type").and_then(Json::as_str).is_some_and(|t| TYPES.contains(&t));
    parts.iter().all(kind)
}

fn part_text(part: &Json) -> Option<&str> {
    part.get("text").filter(|_| part.get("type") == Some(&Json::from("text")))?.as_str()
}

fn is_empty_content(parts: &[Json]) -> bool {
    if let [part] = parts {
        return part_text(part).is_some_and(is_empty_text);
    }
    parts.iter().all(|part| part_text(part).is_some_and(|text| text.trim().is_empty()))
}

/// Blank, or one of `[]`, `{}`, `""`, `null`.
fn is_empty_text(text: &str) -> bool {
    let text = text.trim();
    // Nothing longer than this parses to one of the four, short of blanks inside.
    text.is_empty()
        || (text.len() <= 64
            && match serde_json::from_str::<Json>(text) {
                Ok(Json::Null) => true,
                Ok(Json::String(inner)) => inner.is_empty(),
                Ok(Json::Array(list)) => list.is_empty(),
                Ok(Json::Object(object)) => object.is_empty(),
                _ => false,
            })
}

/// One of the four, or an object whose only fields are an empty list and counts of zero.
fn is_empty_structured(json: &Json) -> bool {
    match json {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        Json::Array(list) => list.is_empty(),
        Json::Object(object) if object.is_empty() => true,
        Json::Object(object) => {
            let lists = object.values().filter(|value| value.is_array()).count();
            let is_nothing = |value: &Json| match value {
                Json::Array(list) => list.is_empty(),
                Json::Number(count) => count.as_f64() == Some(0.0),
                _ => false,
            };
            lists == 1 && object.values().all(is_nothing)
        }
        Json::Bool(_) | Json::Number(_) => false,
    }
}

/// An OTLP value as JSON; none where it nests deeper than `depth`.
fn json(value: &Value<'_>, depth: usize) -> Option<Json> {
    let depth = depth.checked_sub(1)?;
    Some(match value {
        Value::Empty => Json::Null,
        Value::String(text) => Json::from(&**text),
        Value::Bool(truth) => Json::from(*truth),
        Value::Int(number) => Json::from(*number),
        Value::Double(number) => Json::from(*number),
        // Its content does not matter, only that there is some.
        Value::Bytes(bytes) => Json::from(bytes.len()),
        Value::Array(list) => {
            Json::Array(list.iter().map(|each| json(each, depth)).collect::<Option<_>>()?)
        }
        Value::Kvlist(pairs) => Json::Object(
            pairs
                .iter()
                .map(|(key, each)| Some((key.to_string(), json(each, depth)?)))
                .collect::<Option<_>>()?,
        ),
        Value::TooDeep => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        assert_eq!(of_text(text, &[]).is_empty, Some(expected), "{text}");
    }

    #[test]
    fn nothing_is_empty_but_what_the_method_names() {
        for text in [
            "",
            "  \n",
            "[]",
            "{}",
            "\"\"",
            "null",
            "\"[]\"",
            r#"{"content":[]}"#,
            r#"{"content":[],"isError":false}"#,
            r#"{"content":[{"type":"text","text":" "},{"type":"text","text":""}]}"#,
            r#"{"content":[{"type":"text","text":"[ ]"}]}"#,
            r#"[{"type":"text","text":"null"}]"#,
            r#"{"items":[],"total":0}"#,
            r#"{"result":[]}"#,
            r#"{"content":[{"type":"text","text":"{\"result\":[]}"}],"structuredContent":{"result":[]}}"#,
            r#"{"content":[],"structuredContent":null}"#,
        ] {
            check(text, true);
        }
        for text in [
            "0",
            "false",
            "No orders found.",
            "[0]",
            r#"{"total":0}"#,
            r#"{"items":[],"total":3}"#,
            r#"{"items":[],"more":false}"#,
            r#"{"items":[],"other":[]}"#,
            r#"{"content":[{"type":"text","text":"0"}]}"#,
            r#"{"content":[{"type":"text","text":"[]"},{"type":"text","text":"[]"}]}"#,
            r#"{"content":[{"type":"image","data":""}]}"#,
            r#"{"content":[{"type":"image","data":""}],"structuredContent":{}}"#,
            r#"{"content":[{"type":"text","text":"[]"}],"structuredContent":{"n":0}}"#,
            "{\"cut\":[",
        ] {
            check(text, false);
        }
    }

    #[test]
    fn a_declaration_says_what_else_is_empty() {
        let declared = EmptyDeclaration {
            texts: vec!["No orders found.".to_owned()],
            fields: vec!["items".to_owned(), "total".to_owned()],
        };
        for text in [
            " No orders found.\n",
            r#"{"content":[{"type":"text","text":"No orders found."}]}"#,
            r#"{"items":[],"took_ms":3}"#,
            r#"{"total":0,"hint":"try another name"}"#,
            r#"{"content":[{"type":"text","text":"{\"items\":[],\"page\":1}"}]}"#,
            r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"items":[],"a":1}}"#,
        ] {
            assert!(means_nothing(text, &declared), "{text}");
        }
        for text in ["No orders.", r#"{"took_ms":3}"#, r#"{"items":[],"total":3}"#, "[1]", "{"] {
            assert!(!means_nothing(text, &declared), "{text}");
        }
    }

    #[test]
    fn a_size_tells_of_emptiness_what_it_can() {
        // `[]`, one empty text, a text of one byte, `null`, five bytes of prose.
        for (bytes, expected) in
            [(2, Some(true)), (27, Some(true)), (28, None), (31, None), (32, Some(false))]
        {
            assert_eq!(is_empty_of_content_size(bytes), expected, "{bytes}");
        }
        for text in ["[]", r#"[{"type":"text","text":""}]"#, r#"[{"type":"text","text":"null"}]"#] {
            assert_ne!(is_empty_of_content_size(text.len() as u64), Some(false), "{text}");
        }
        for (bytes, expected) in [(0, Some(true)), (2, None), (5, Some(false))] {
            assert_eq!(is_empty_of_text_size(bytes), expected, "{bytes}");
        }
    }

    #[test]
    fn a_result_follows_its_line() {
        assert_eq!(after_line("Wall time: 1 s\nOutput:\nok\n", "Output:"), "ok\n");
        assert_eq!(after_line("Wall time: 1 s\nOutput:", "Output:"), "");
        assert_eq!(after_line("Output: none", "Output:"), "Output: none");
    }

    #[test]
    fn what_was_not_sent_is_unknown() {
        assert_eq!(of_text("<not serializable>", &[]).is_empty, None);
        assert_eq!(of_text("[REDACTED]", &[]).bytes, None);
    }

    #[test]
    fn only_an_answer_that_is_ok_is_empty() {
        let look = of_text("[]", &[]);
        assert_eq!(look.emptiness(Outcome::Ok), Emptiness::Yes);
        assert_eq!(look.emptiness(Outcome::ToolError), Emptiness::Unknown);
        assert_eq!(ResultLook::default().emptiness(Outcome::Ok), Emptiness::Unknown);
    }

    #[test]
    fn a_long_result_is_not_taken_apart() {
        let long = format!(
            r#"{{"content":[{{"type":"text","text":"{}"}}],"isError":true}}"#,
            "x".repeat(70_000)
        );
        let look = of_text(&long, &[]);
        assert_eq!(look.is_empty, Some(false));
        assert!(look.is_error);
        assert_eq!(look.bytes, Some(long.len() as u64));
    }
}
