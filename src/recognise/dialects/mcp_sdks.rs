//! The MCP SDKs that make spans themselves, C# and Python, and AWS ADOT's spans around Python's.

use super::super::attribute_names::Key;
use super::super::dialect::{Dialect, Side, ToolFrom};
use super::super::never::calls_by_method;
use super::super::seen::Seen;
use crate::call::{Confidence, SpanKind};

const PYTHON: &str = "mcp-python-sdk";

fn is_call(seen: &Seen<'_>, scope: &str) -> bool {
    seen.is_scope(scope) && calls_by_method(seen) == Some(true)
}

/// The C# SDK, both sides (M1), with its older names (M1a). Its session is random for every
/// handler, whatever it is called.
pub(super) static CSHARP: Dialect = Dialect {
    name: "csharp_mcp_sdk",
    test: |seen| is_call(seen, "Experimental.ModelContextProtocol"),
    side: Side::ByKind,
    tool: &[
        ToolFrom::Key(Key::GenAiToolName),
        ToolFrom::Key(Key::McpToolName),
        ToolFrom::Key(Key::McpRequestParamsName),
        ToolFrom::NameAfter("tools/call "),
    ],
    has_transport_session: false,
    ..Dialect::BASE
};

/// The Python SDK's server (M2).
pub(super) static PYTHON_SERVER: Dialect = Dialect {
    name: "python_mcp_sdk_server",
    test: |seen| is_call(seen, PYTHON) && seen.span.kind == SpanKind::Server,
    side: Side::Server,
    tool: &[
        ToolFrom::Key(Key::GenAiToolName),
        ToolFrom::NameAfter("tools/call "),
        ToolFrom::NameAfter("MCP handle tools/call "),
    ],
    ..Dialect::BASE
};

/// The Python SDK's client (M3): it does not tell that a tool said it failed.
pub(super) static PYTHON_CLIENT: Dialect = Dialect {
    name: "python_mcp_sdk_client",
    test: |seen| is_call(seen, PYTHON),
    side: Side::Client,
    tool: &[
        ToolFrom::Key(Key::GenAiToolName),
        ToolFrom::NameAfter("MCP send tools/call "),
        ToolFrom::NameAfter("tools/call "),
    ],
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};

/// AWS ADOT, both sides (M8): its server says ok where the tool said that it failed.
pub(super) static ADOT: Dialect = Dialect {
    name: "adot_mcp",
    test: |seen| is_call(seen, "amazon.opentelemetry.distro.instrumentation.mcp"),
    side: Side::ByKind,
    confidence: |seen| match seen.span.kind {
        SpanKind::Server => Confidence::Low,
        _ => Confidence::High,
    },
    ..Dialect::BASE
};
