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
    Key::is_deciding(key)
}

/// Whether a span is worth reading whole for this text under a deciding key. The operations of
/// models and agents stand under the same key as those of tools, and are many and long; where
/// one mentions a tool, another key decides.
pub fn is_deciding_text(key: &[u8], text: &[u8]) -> bool {
    key != Key::GenAiOperationName.text().as_bytes()
        || text.trim_ascii().is_empty()
        || TOOL_OPERATIONS.iter().any(|operation| operation.as_bytes() == text)
}

/// Whether a span of this name is worth reading whole. Asked of every span, so the first byte
/// and the last one choose what is compared.
pub fn is_deciding_name(name: &[u8]) -> bool {
    let (Some(first), Some(last)) = (name.first(), name.last()) else { return false };
    let starts: &[&[u8]] = match first {
        b'e' => &[b"execute_tool"],
        b't' => &[b"tools/call", b"tool_call", b"tool."],
        b'm' => &[b"mcp.tool", b"mcp tools/call", b"mcp:tools/call"],
        b'M' => &[b"MCP "],
        b'a' => &[b"ai.toolCall"],
        b'r' => &[b"running tool"],
        b'T' => &[b"Tool."],
        b'C' => &[b"CallTool"],
        b'F' => &[b"Function: "],
        b'c' => &[b"claude_code.tool"],
        _ => &[],
    };
    let ends: &[&[u8]] = match last {
        b'l' => &[b".tool", b"/tools/call"],
        b'p' => &[b".mcp"],
        b'r' => &[b"StreamWriter"],
        _ => &[],
    };
    ends.iter().any(|end| name.ends_with(end)) || starts.iter().any(|start| name.starts_with(start))
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
        for name in [
            "execute_tool x",
            "tools/call",
            "tool_call",
            "tool.x",
            "mcp.tool",
            "mcp tools/call x",
            "mcp:tools/call",
            "MCP x",
            "ai.toolCall",
            "running tool",
            "Tool.x",
            "CallTool",
            "Function: x",
            "claude_code.tool",
            "x.tool",
            "x.mcp",
            "xStreamWriter",
            "x/tools/call",
        ] {
            assert!(is_deciding_name(name.as_bytes()), "{name}");
        }
        for name in ["execute", "tools", "toolbox", "mcp", "MCP", "call", "map", "writer", "r"] {
            assert!(!is_deciding_name(name.as_bytes()), "{name}");
        }
    }
}
