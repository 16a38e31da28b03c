//! Cline: log records of the tools used, without duration, call id or arguments.

use super::super::attribute_names::Key;
use super::super::dialect::{ClientFrom, Dialect, KnownClient, LogTime, Side, ToolFrom};
use super::super::not_a_call::NotACall;
use super::super::seen::Seen;

/// A tool of its own, or an MCP server's.
pub(super) static LOG: Dialect = Dialect {
    name: "cline_log",
    test: |seen| {
        seen.is_scope("cline")
            && matches!(&*seen.span.name, "task.tool_used" | "task.mcp_tool_called")
    },
    never: started,
    log_time: Some(LogTime::End),
    side: Side::Agent,
    tool: &[
        ToolFrom::Key(Key::ClineToolName),
        ToolFrom::Key(Key::ClineTool),
        ToolFrom::Key(Key::PlainToolName),
    ],
    client: ClientFrom::Known(KnownClient {
        name: "cline",
        editions: &[],
        is_service_version_its_own: true,
    }),
    arguments: &[],
    result: &[],
    ..Dialect::BASE
};

/// An MCP call is told twice: when it starts, and how it ended.
fn started(seen: &Seen<'_>) -> Option<NotACall> {
    (seen.text(Key::Status) == Some("started")).then_some(NotACall::PartOfACall)
}
