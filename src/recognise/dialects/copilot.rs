//! GitHub Copilot: its CLI, and VS Code's Copilot Chat.

use super::super::attribute_names::Key;
use super::super::dialect::{Dialect, Side, ToolFrom};
use super::super::seen::Seen;
use crate::call::Confidence;

fn is_chat(seen: &Seen<'_>) -> bool {
    seen.emitter() == Some("copilot-chat") || seen.is_scope("copilot-chat")
}

/// The span of a tool (C4).
pub(super) static COPILOT: Dialect = Dialect {
    name: "copilot",
    test: |seen| {
        (seen.is_scope("github.copilot") || is_chat(seen))
            && seen.operation() == Some("execute_tool")
    },
    side: Side::Agent,
    tool: &[
        ToolFrom::Key(Key::CopilotMcpToolName),
        ToolFrom::Key(Key::GenAiToolName),
        ToolFrom::NameAfter("execute_tool "),
    ],
    confidence,
    ..Dialect::BASE
};

/// A command is not told to have failed when its exit code says so.
fn confidence(seen: &Seen<'_>) -> Confidence {
    match seen.integer(Key::ProcessExitCode) {
        None | Some(0) => Confidence::High,
        Some(_) => Confidence::Low,
    }
}

/// Whether a log record is Copilot Chat's of a call: it has neither the call's id nor the
/// session's.
pub(super) fn is_log(seen: &Seen<'_>) -> bool {
    seen.span.name == "copilot_chat.tool.call"
}
