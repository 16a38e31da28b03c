//! OpenTelemetry's own conventions for MCP and GenAI, and MCP's names before 2026.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side};
use super::super::never::calls_by_method;
use super::super::seen::Seen;
use crate::call::SpanKind;

fn is_mcp_call(seen: &Seen<'_>) -> bool {
    calls_by_method(seen) == Some(true)
}

/// The client's span of an MCP call (S1).
pub(super) static MCP_CLIENT: Dialect = Dialect {
    name: "semconv_mcp_client",
    test: |seen| is_mcp_call(seen) && seen.span.kind == SpanKind::Client,
    ..Dialect::BASE
};

/// The server's span of an MCP call (S2).
pub(super) static MCP_SERVER: Dialect = Dialect {
    name: "semconv_mcp_server",
    test: |seen| is_mcp_call(seen) && seen.span.kind == SpanKind::Server,
    ..Dialect::BASE
};

/// An MCP call in a span of another kind that is no agent's step: either side may have sent it.
pub(super) static MCP_UNTOLD: Dialect = Dialect {
    name: "semconv_mcp",
    test: |seen| is_mcp_call(seen) && seen.operation().is_none(),
    side: Side::ByKind,
    ..Dialect::BASE
};

/// MCP calls by the names before 2026 (S4), which many still send.
pub(super) static MCP_DRAFT: Dialect = Dialect {
    name: "semconv_mcp_draft",
    test: |seen| is_mcp_call(seen) && seen.has(Key::McpToolName) && !seen.has(Key::GenAiToolName),
    side: Side::ByKind,
    arguments: &[
        ArgumentsFrom::Key(Key::GenAiToolCallArguments),
        ArgumentsFrom::Key(Key::McpToolArguments),
        ArgumentsFrom::Flattened("mcp.request.argument."),
    ],
    result: &[ResultFrom::Key(Key::GenAiToolCallResult), ResultFrom::Key(Key::McpToolResult)],
    ..Dialect::BASE
};

/// An agent's span of a tool's execution (S3), with MCP's attributes where a client adds them.
pub(super) static GENAI: Dialect = Dialect {
    name: "semconv_genai",
    test: |seen| {
        is_mcp_call(seen)
            || matches!(seen.operation(), Some("execute_tool" | "tool_call" | "tool.execute"))
    },
    arguments: &[
        ArgumentsFrom::Key(Key::GenAiToolCallArguments),
        ArgumentsFrom::Key(Key::ToolArguments),
        ArgumentsFrom::Wrapped(Key::TraceloopInput),
        ArgumentsFrom::Wrapped(Key::InputValue),
        ArgumentsFrom::Key(Key::GenAiToolInput),
    ],
    result: &[
        ResultFrom::Key(Key::GenAiToolCallResult),
        ResultFrom::Key(Key::ToolResponse),
        ResultFrom::Key(Key::OutputValue),
        ResultFrom::Key(Key::GenAiToolOutput),
    ],
    ..Dialect::BASE
};
