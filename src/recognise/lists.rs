//! What [`deciding`](super::deciding) asks of one name or key at a time, as lists: for a store
//! that must be told beforehand which of its spans and log records may be tool calls.

use super::attribute_names::Key;
use super::deciding::TOOL_OPERATIONS;

/// Beginnings of the names of spans that are worth reading whole.
pub const NAME_STARTS: &[&str] = &[
    "CallTool",
    "Function: ",
    "MCP ",
    "Tool.",
    "ai.toolCall",
    "claude_code.tool",
    "execute_tool",
    "mcp tools/call",
    "mcp.tool",
    "mcp:tools/call",
    "running tool",
    "tool.",
    "tool_call",
    "tools/call",
];

/// Ends of such names.
pub const NAME_ENDS: &[&str] = &[".mcp", ".tool", "/tools/call", "StreamWriter"];

/// The names of events whose log records are worth reading whole.
pub const EVENTS: &[&str] = &[
    "claude_code.tool_decision",
    "claude_code.tool_result",
    "codex.tool_decision",
    "codex.tool_result",
    "copilot_chat.tool.call",
    "gemini_cli.tool_call",
    "qwen-code.tool_call",
    "task.mcp_tool_called",
    "task.tool_used",
    "tool_decision",
    "tool_result",
];

/// The keys that make a span worth reading whole whatever stands under them.
pub fn deciding_keys() -> impl Iterator<Item = &'static str> {
    let texts = Key::ALL.iter().map(|key| key.text());
    texts
        .filter(|text| Key::is_deciding(text.as_bytes()) && *text != Key::GenAiOperationName.text())
}

/// The key that does so for some texts alone, blank ones beside these.
pub fn deciding_texts() -> (&'static str, &'static [&'static str]) {
    (Key::GenAiOperationName.text(), &TOOL_OPERATIONS)
}

/// Whether an attribute of this key is read, and so may hold lists and objects that count.
pub fn is_known_key(key: &str) -> bool {
    Key::from_text(key).is_some()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::deciding::{
        is_deciding_event, is_deciding_key, is_deciding_name, is_deciding_text,
    };
    use super::*;

    /// The byte strings of the functions themselves, so that no new one is forgotten here.
    fn written_there() -> BTreeSet<&'static str> {
        let code = include_str!("deciding.rs").split("#[cfg(test)]").next().unwrap();
        let texts = code.split("b\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        texts.collect()
    }

    #[test]
    fn the_lists_hold_what_the_functions_know_and_nothing_else() {
        let listed: BTreeSet<_> =
            NAME_STARTS.iter().chain(NAME_ENDS).chain(EVENTS).copied().collect();
        assert_eq!(listed, written_there());
        assert!(NAME_STARTS.iter().all(|name| is_deciding_name(name.as_bytes())));
        assert!(NAME_ENDS.iter().all(|end| is_deciding_name(format!("x{end}").as_bytes())));
        assert!(EVENTS.iter().all(|event| is_deciding_event(event.as_bytes())));
    }

    #[test]
    fn every_deciding_key_is_listed() {
        let (key, texts) = deciding_texts();
        assert!(deciding_keys().chain([key]).all(|key| is_deciding_key(key.as_bytes())));
        let decide = Key::ALL.iter().filter(|key| is_deciding_key(key.text().as_bytes())).count();
        assert_eq!(deciding_keys().count() + 1, decide);
        assert!(texts.iter().all(|text| is_deciding_text(key.as_bytes(), text.as_bytes())));
    }
}
