//! What makes a span or a log record worth reading whole: a few keys, the texts under them, and
//! a few names.
//!
//! Asked of every one's bytes before anything is decoded; nine in ten are left at that.

use super::attribute_names::Key;

/// The operations of GenAI spans that may be tool calls.
pub(crate) const TOOL_OPERATIONS: [&str; 4] =
    ["framework", "execute_tool", "tool_call", "tool.execute"];
/// Whether an attribute of this key makes its span worth reading whole.
pub fn is_deciding_key(key: &[u8]) -> bool {
    Key::find(key).is_some_and(Key::decides)
}

/// Whether a span is worth reading whole for this text under a deciding key. The operations of
/// models and agents stand under the same key as those of tools, and are many and long; where
/// one mentions a tool, another key decides.
pub fn is_deciding_text(key: &[u8], text: &[u8]) -> bool {
    key != Key::GenAiOperationName.text().as_bytes()
        || text.trim_ascii().is_empty()
        || TOOL_OPERATIONS.iter().any(|operation| operation.as_bytes() == text)
}

/// Whether a span of this name is worth reading whole.
pub fn is_deciding_name(name: &[u8]) -> bool {
    const STARTS: &[&[u8]] = &[
        b"execute_tool",
        b"tools/call",
        b"mcp.tool",
        b"mcp tools/call",
        b"mcp:tools/call",
        b"MCP ",
        b"ai.toolCall",
        b"running tool",
        b"tool_call",
        b"tool.",
        b"Tool.",
        b"CallTool",
        b"Function: ",
        b"claude_code.tool",
    ];
    const ENDS: &[&[u8]] = &[b".tool", b".mcp", b"StreamWriter"];
    ENDS.iter().any(|end| name.ends_with(end)) || STARTS.iter().any(|start| name.starts_with(start))
}

/// Whether a log record of an event of this name is worth reading whole.
pub fn is_deciding_event(name: &[u8]) -> bool {
    const NAMES: &[&[u8]] = &[
        b"tool_result",
        b"tool_decision",
        b"claude_code.tool_result",
        b"claude_code.tool_decision",
        b"codex.tool_result",
        b"codex.tool_decision",
        b"gemini_cli.tool_call",
        b"qwen-code.tool_call",
        b"copilot_chat.tool.call",
        b"task.tool_used",
        b"task.mcp_tool_called",
    ];
    NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_models_operation_is_not_worth_reading() {
        let operation = Key::GenAiOperationName.text().as_bytes();
        assert!(!is_deciding_text(operation, b"chat"));
        assert!(is_deciding_text(operation, b"execute_tool") && is_deciding_text(operation, b" "));
        assert!(is_deciding_text(b"openinference.span.kind", b"LLM"));
    }

    #[test]
    fn ordinary_spans_are_not_worth_reading() {
        assert!(is_deciding_key(b"mcp.method.name") && is_deciding_key(b"args_hash"));
        assert!(!is_deciding_key(b"http.route") && !is_deciding_key(b"rpc.method"));
        assert!(is_deciding_name(b"tools/call search") && is_deciding_name(b"search.tool"));
        assert!(!is_deciding_name(b"GET /orders") && !is_deciding_name(b""));
        assert!(is_deciding_event(b"codex.tool_result") && !is_deciding_event(b"user_prompt"));
    }
}
