//! Messages by OpenTelemetry's newer conventions of GenAI: lists of parts, of which a tool's span
//! has the call or its response. Read in memory only.

use serde_json::Value as Json;

/// The JSON text of the first of `members` in the first part of this type; none where there is
/// none, or the messages were cut on their way.
pub(super) fn part(messages: &str, of_type: &str, members: &[&str]) -> Option<String> {
    let messages: Vec<Json> = serde_json::from_str(messages).ok()?;
    let parts = messages.iter().filter_map(|message| message.get("parts")?.as_array()).flatten();
    let mut parts = parts.filter(|part| part.get("type").and_then(Json::as_str) == Some(of_type));
    let part = parts.next()?;
    let member = members.iter().find_map(|member| part.get(*member))?;
    Some(member.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_of_a_type_is_found_and_a_cut_text_has_none() {
        let messages = r#"[{"role":"tool","parts":[{"type":"text","content":"x"},
            {"type":"tool_call","name":"quote","arguments":{"sku":"A1"}}]}]"#;
        let found = part(messages, "tool_call", &["arguments"]);
        assert_eq!(found.as_deref(), Some(r#"{"sku":"A1"}"#));
        assert_eq!(part(messages, "tool_call_response", &["response"]), None);
        let cut = messages.get(..messages.len() - 3).unwrap();
        assert_eq!(part(cut, "tool_call", &["arguments"]), None);
    }
}
