//! Logfire's instrumentations: of MCP, client and server, and of OpenAI Agents.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side, ToolFrom};
use super::super::seen::Seen;
use crate::call::Confidence;

const SCOPE: &str = "logfire.mcp";
const CLIENT: &str = "MCP request: tools/call";
const SERVER: &str = "MCP server handle request: tools/call";

/// The tool's own word on a failure is only in the response.
fn confidence(seen: &Seen<'_>) -> Confidence {
    if seen.has(Key::Response) { Confidence::High } else { Confidence::Low }
}

/// The client's span of a request (M13).
pub(super) static MCP_CLIENT: Dialect = Dialect {
    name: "logfire_mcp_client",
    test: |seen| seen.is_scope(SCOPE) && seen.is_named(CLIENT),
    side: Side::Client,
    tool: &[ToolFrom::NameAfter("MCP request: tools/call "), ToolFrom::RequestIn(Key::Request)],
    arguments: &[ArgumentsFrom::Wrapped(Key::Request)],
    result: &[ResultFrom::Key(Key::Response)],
    confidence,
    ..Dialect::BASE
};

/// The server's span of a request (M13).
pub(super) static MCP_SERVER: Dialect = Dialect {
    name: "logfire_mcp_server",
    test: |seen| seen.is_scope(SCOPE) && seen.is_named(SERVER),
    side: Side::Server,
    tool: &[ToolFrom::RequestIn(Key::Request)],
    arguments: &[ArgumentsFrom::Wrapped(Key::Request)],
    result: &[ResultFrom::Key(Key::Response)],
    confidence,
    ..Dialect::BASE
};

/// The span of a function of OpenAI Agents (A7b). Failures that the framework catches read as ok.
pub(super) static FUNCTION: Dialect = Dialect {
    name: "logfire_openai_agents",
    test: |seen| {
        seen.scope.name.starts_with("logfire")
            && seen.is_named("Function: ")
            && seen.has(Key::PlainName)
    },
    side: Side::Agent,
    // The span's own name may be the template `Function: {name}`.
    tool: &[ToolFrom::Key(Key::PlainName)],
    arguments: &[ArgumentsFrom::Key(Key::PlainInput)],
    result: &[ResultFrom::Key(Key::Output)],
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};
