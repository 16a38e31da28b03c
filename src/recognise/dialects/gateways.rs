//! Gateways between clients and MCP servers.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side, ToolFrom};
use super::super::never::calls_by_method;
use crate::call::Confidence;

/// Docker's MCP gateway (G5): what a tool says of its own failure is not told.
pub(super) static DOCKER: Dialect = Dialect {
    name: "docker_mcp_gateway",
    test: |seen| {
        seen.is_scope("github.com/docker/mcp-gateway") && seen.span.name == "mcp.tool.call"
    },
    side: Side::Client,
    tool: &[ToolFrom::Key(Key::McpToolName)],
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};

/// ToolHive (G6): failures are HTTP's only, and arguments are texts in random order.
pub(super) static TOOLHIVE: Dialect = Dialect {
    name: "toolhive",
    test: |seen| {
        seen.scope.name.starts_with("github.com/stacklok/toolhive/pkg/")
            && calls_by_method(seen) == Some(true)
    },
    side: Side::ByKind,
    tool: &[
        ToolFrom::Key(Key::GenAiToolName),
        ToolFrom::Key(Key::McpToolName),
        ToolFrom::Key(Key::PlainToolName),
        ToolFrom::NameAfter("tools/call "),
    ],
    arguments: &[],
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};

/// IBM's ContextForge (G4).
pub(super) static CONTEXTFORGE: Dialect = Dialect {
    name: "contextforge",
    test: |seen| seen.is_scope("mcp-gateway") && seen.span.name == "tool.invoke",
    side: Side::Untold,
    tool: &[ToolFrom::Key(Key::ToolName)],
    arguments: &[ArgumentsFrom::Key(Key::LangfuseInput)],
    result: &[ResultFrom::Key(Key::LangfuseOutput)],
    ..Dialect::BASE
};
