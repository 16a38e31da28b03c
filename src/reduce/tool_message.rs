//! LangChain's message with a tool's answer, in the three forms in which it is recorded: as it
//! is, under `data` beside its kind, and serialised as a constructor. Recognised only by keys
//! that are unmistakable together.

use serde_json::{Map, Value as Json};

/// The message's own fields: `content`, `status` and others; none where `json` is no such message.
pub(super) fn fields(json: &Json) -> Option<&Map<String, Json>> {
    let object = json.as_object()?;
    let is_text = |key: &str, text: &str| object.get(key).and_then(Json::as_str) == Some(text);
    let inner = if is_text("type", "tool") && object.contains_key("data") {
        object.get("data")?.as_object()?
    } else if is_text("type", "constructor") && is_tool_message(object.get("id")?) {
        object.get("kwargs")?.as_object()?
    } else {
        object
    };
    let is_message = inner.get("type").and_then(Json::as_str) == Some("tool")
        && inner.contains_key("content")
        && inner.contains_key("tool_call_id");
    is_message.then_some(inner)
}

/// Whether a message says that its tool failed.
pub(super) fn says_failed(fields: &Map<String, Json>) -> bool {
    fields.get("status").and_then(Json::as_str) == Some("error")
}

/// The path of the class ends in its name.
fn is_tool_message(id: &Json) -> bool {
    id.as_array().and_then(|path| path.last()).and_then(Json::as_str) == Some("ToolMessage")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Option<Json> {
        fields(&serde_json::from_str(text).unwrap())
            .and_then(|fields| fields.get("content").cloned())
    }

    #[test]
    fn a_message_is_found_in_each_of_its_forms() {
        for text in [
            r#"{"content":"a","type":"tool","tool_call_id":"c","status":"success"}"#,
            r#"{"type":"tool","data":{"content":"a","type":"tool","tool_call_id":"c"}}"#,
            r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],
                "kwargs":{"content":"a","type":"tool","tool_call_id":"c"}}"#,
        ] {
            assert_eq!(content(text), Some(Json::from("a")), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        for text in [
            r#"{"content":"a","type":"tool"}"#,
            r#"{"content":"a","tool_call_id":"c"}"#,
            r#"{"type":"tool","data":{"content":"a"}}"#,
            r#"{"type":"constructor","id":["AIMessage"],"kwargs":{"content":"a","type":"tool","tool_call_id":"c"}}"#,
            r#"{"type":"constructor"}"#,
            r#"["content","type","tool_call_id"]"#,
        ] {
            assert_eq!(content(text), None, "{text}");
        }
    }

    #[test]
    fn only_its_own_status_says_that_the_tool_failed() {
        let failed =
            |text| fields(&serde_json::from_str::<Json>(text).unwrap()).is_some_and(says_failed);
        assert!(failed(r#"{"content":"a","type":"tool","tool_call_id":"c","status":"error"}"#));
        assert!(!failed(
            r#"{"content":"error","type":"tool","tool_call_id":"c","status":"success"}"#
        ));
        assert!(!failed(r#"{"content":"a","type":"tool","tool_call_id":"c"}"#));
    }
}
