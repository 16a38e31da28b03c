//! Claude Code: the log record of each result makes the call; its beta spans name MCP tools, and
//! tell of the call where there are no log records.

use std::borrow::Cow;

use super::super::attribute_names::Key;
use super::super::dialect::{
    ArgumentsFrom, ClientFrom, Dialect, KnownClient, LogTime, ResultFrom, Side, ToolFrom,
};
use super::super::not_a_call::NotACall;
use super::super::seen::Seen;
use crate::call::Confidence;

const SPANS: &str = "com.anthropic.claude_code.tracing";
const LOGS: &str = "com.anthropic.claude_code.";

const CLIENT: ClientFrom = ClientFrom::Known(KnownClient {
    name: "claude-code",
    editions: &["claude-code", "cowork"],
    is_service_version_its_own: true,
});

const ARGUMENTS: &[ArgumentsFrom] =
    &[ArgumentsFrom::Lossy(Key::ToolInput, Key::ToolInputSizeBytes)];

/// The span of a tool (C1). It includes the wait for a person's leave, is there also where that
/// is refused, and is never told to have failed: it only names the call.
pub(super) static TOOL: Dialect = Dialect {
    name: "claude_code",
    test: |seen| seen.span.name == "claude_code.tool",
    is_label: true,
    side: Side::Agent,
    tool: &[
        ToolFrom::Key(Key::GenAiToolName),
        ToolFrom::Unprefixed(Key::PlainToolName, Key::AnthropicMcpServerName),
    ],
    client: CLIENT,
    arguments: ARGUMENTS,
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};

/// Its execution: it names no tool, and tells how the call ended.
pub(super) static EXECUTION: Dialect = Dialect {
    name: "claude_code_execution",
    test: |seen| seen.span.name == "claude_code.tool.execution" && seen.is_scope(SPANS),
    side: Side::Agent,
    tool: &[],
    client: CLIENT,
    arguments: &[],
    result: &[],
    ..Dialect::BASE
};

/// The log record of a result, or of a decision. MCP tools are all called `mcp_tool` in it;
/// their own names are in its parameters, where these are sent, else in the span.
pub(super) static LOG: Dialect = Dialect {
    name: "claude_code_log",
    test: |seen| {
        seen.scope.name.starts_with(LOGS)
            && matches!(&*seen.span.name, "tool_result" | "tool_decision")
    },
    never: decided,
    log_time: Some(LogTime::End),
    side: Side::Agent,
    tool: &[
        ToolFrom::Member(Key::ToolParametersText, "mcp_tool_name"),
        ToolFrom::Key(Key::PlainToolName),
    ],
    service: server,
    client: CLIENT,
    arguments: ARGUMENTS,
    result: &[ResultFrom::ContentSize(Key::ToolResultSizeBytes, Key::McpServerScope)],
    ..Dialect::BASE
};

fn server<'v>(seen: &Seen<'v>) -> Option<Cow<'v, str>> {
    seen.member(Key::ToolParametersText, "mcp_server_name").map(Cow::Owned)
}

/// A decision is no call: what is let through has its result, what is refused never ran.
fn decided(seen: &Seen<'_>) -> Option<NotACall> {
    if seen.span.name != "tool_decision" {
        return None;
    }
    let is_refused = seen.text(Key::Decision) == Some("reject");
    Some(if is_refused { NotACall::Denied } else { NotACall::PartOfACall })
}
