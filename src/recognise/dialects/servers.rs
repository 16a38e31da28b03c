//! MCP servers and their helpers that name things their own way.

use super::super::attribute_names::Key;
use super::super::dialect::{Dialect, Side, ToolFrom};

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
