//! Sentry's MCP server instrumentation for Node.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side, ToolFrom};
use super::super::never::calls_by_method;

/// The server's span (M10). Its arguments have lower-case names and JSON texts for values.
pub(super) static SENTRY: Dialect = Dialect {
    name: "sentry_mcp",
    test: |seen| {
        seen.text(Key::SentryOp) == Some("mcp.server") && calls_by_method(seen) == Some(true)
    },
    side: Side::Server,
    tool: &[ToolFrom::Key(Key::McpToolName), ToolFrom::NameAfter("tools/call ")],
    arguments: &[ArgumentsFrom::LowerKeys("mcp.request.argument.")],
    result: &[
        ResultFrom::Key(Key::McpToolResultContent),
        ResultFrom::Count(Key::McpToolResultCount),
    ],
    ..Dialect::BASE
};
