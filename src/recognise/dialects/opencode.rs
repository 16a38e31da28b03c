//! opencode: its own spans, and the log records of a plugin.

use super::super::attribute_names::Key;
use super::super::dialect::{
    ClientFrom, Dialect, KnownClient, LogTime, ResultFrom, Side, ToolFrom,
};
use super::super::seen::Seen;
use crate::call::{Confidence, Outcome};

const CLIENT: ClientFrom = ClientFrom::Known(KnownClient {
    name: "opencode",
    editions: &[],
    is_service_version_its_own: true,
});

/// opencode's own span of a tool (C5), inside the Vercel AI SDK's where that is on.
pub(super) static SPAN: Dialect = Dialect {
    name: "opencode",
    test: |seen| seen.is_scope("opencode") && seen.span.name == "Tool.execute",
    side: Side::Agent,
    tool: &[ToolFrom::Key(Key::ToolName)],
    client: CLIENT,
    // A tool that is not there runs as the tool `invalid`, and that goes well.
    told: |seen| (seen.text(Key::ToolName) == Some("invalid")).then_some(Outcome::UnknownTool),
    confidence: |seen| of_command(seen, Key::ToolName),
    ..Dialect::BASE
};

/// The plugin's log record of a result.
pub(super) static PLUGIN_LOG: Dialect = Dialect {
    name: "opencode_plugin_log",
    test: |seen| seen.is_scope("com.opencode") && seen.span.name == "tool_result",
    log_time: Some(LogTime::Start),
    side: Side::Agent,
    tool: &[ToolFrom::Key(Key::PlainToolName)],
    client: CLIENT,
    arguments: &[],
    result: &[ResultFrom::Size(Key::ToolResultSizeBytes)],
    told: |seen| (seen.text(Key::PlainToolName) == Some("invalid")).then_some(Outcome::UnknownTool),
    confidence: |seen| of_command(seen, Key::PlainToolName),
    ..Dialect::BASE
};

/// Whether a span is the plugin's own of a tool.
pub(super) fn is_plugin_span(seen: &Seen<'_>) -> bool {
    seen.is_scope("com.opencode")
}

/// A command is "ok" when it has run, whatever its exit code.
fn of_command(seen: &Seen<'_>, tool: Key) -> Confidence {
    if seen.text(tool) == Some("bash") { Confidence::Low } else { Confidence::High }
}
