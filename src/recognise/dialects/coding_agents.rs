//! Coding agents' spans: Claude Code, Codex, Gemini CLI, GitHub Copilot.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, Side, ToolFrom};
use crate::call::Confidence;

const CLAUDE_CODE: &str = "com.anthropic.claude_code.tracing";

/// Claude Code's span of a tool (C1): never told to have failed, its execution tells that.
pub(super) static CLAUDE_CODE_TOOL: Dialect = Dialect {
    name: "claude_code",
    test: |seen| seen.span.name == "claude_code.tool",
    side: Side::Agent,
    tool: &[ToolFrom::Key(Key::GenAiToolName), ToolFrom::Key(Key::PlainToolName)],
    arguments: &[ArgumentsFrom::Key(Key::ToolInput)],
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};

/// Its execution: it names no tool, is folded into the call, and tells how it ended.
pub(super) static CLAUDE_CODE_EXECUTION: Dialect = Dialect {
    name: "claude_code_execution",
    test: |seen| seen.span.name == "claude_code.tool.execution" && seen.is_scope(CLAUDE_CODE),
    side: Side::Agent,
    tool: &[],
    arguments: &[],
    result: &[],
    ..Dialect::BASE
};

/// Codex's span of an MCP call (C2): it tells nothing of how the call ended.
pub(super) static CODEX: Dialect = Dialect {
    name: "codex",
    test: |seen| seen.span.name == "mcp.tools.call" && seen.has(Key::ToolName),
    side: Side::Client,
    tool: &[ToolFrom::Key(Key::ToolName)],
    arguments: &[],
    result: &[],
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};

/// Gemini CLI's span of a tool (C3): told to be ok even where the tool failed.
pub(super) static GEMINI_CLI: Dialect = Dialect {
    name: "gemini_cli",
    test: |seen| seen.is_scope("gemini-cli") && seen.operation() == Some("tool_call"),
    side: Side::Agent,
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};

/// Copilot CLI and VS Code's Copilot Chat (C4).
pub(super) static COPILOT: Dialect = Dialect {
    name: "copilot",
    test: |seen| {
        (seen.is_scope("github.copilot") || seen.emitter() == Some("copilot-chat"))
            && seen.operation() == Some("execute_tool")
    },
    side: Side::Agent,
    ..Dialect::BASE
};
