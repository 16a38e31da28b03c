//! MCP servers and their helpers that name things their own way.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side, ToolFrom};

/// HyperDX's MCP server (M17).
pub(super) static HYPERDX: Dialect = Dialect {
    name: "hyperdx_mcp",
    test: |seen| seen.is_scope("hyperdx-api") && seen.is_named("mcp.tool."),
    side: Side::Server,
    tool: &[ToolFrom::Key(Key::McpToolName), ToolFrom::NameAfter("mcp.tool.")],
    ..Dialect::BASE
};

/// MCPCat's exporter (M18).
pub(super) static MCPCAT: Dialect = Dialect {
    name: "mcpcat",
    test: |seen| seen.is_scope("mcpcat") && seen.span.name == "mcp:tools/call",
    side: Side::Server,
    tool: &[ToolFrom::Key(Key::McpcatResourceName)],
    ..Dialect::BASE
};

/// OpenLIT, both sides (M12): a call may have several spans of one name, which are folded at
/// night. Its TypeScript puts the tool's name where others put the method.
pub(super) static OPENLIT: Dialect = Dialect {
    name: "openlit_mcp",
    test: |seen| seen.text(Key::McpOperationName) == Some("tools_call"),
    side: Side::ByKind,
    tool: &[ToolFrom::Key(Key::McpToolName), ToolFrom::RequestIn(Key::McpRequestPayload)],
    arguments: &[
        ArgumentsFrom::Key(Key::McpToolArguments),
        ArgumentsFrom::Wrapped(Key::McpRequestPayload),
    ],
    result: &[ResultFrom::Key(Key::McpToolResult), ResultFrom::Key(Key::McpResponsePayload)],
    ..Dialect::BASE
};
