//! GitHub Copilot: its CLI, and VS Code's Copilot Chat.

use std::borrow::Cow;

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
        ToolFrom::HashedPart(Key::GenAiToolName),
        ToolFrom::Key(Key::GenAiToolName),
        ToolFrom::NameAfter("execute_tool "),
    ],
    service: |seen| {
        let (server, _) = hashed_parts(seen.text(Key::GenAiToolName)?)?;
        Some(Cow::Owned(short_hash(server)))
    },
    confidence,
    ..Dialect::BASE
};

/// The hashes of server and tool that the CLI sends in the place of an MCP tool's name while
/// content is not sent: SHA-256 in hex, with a slash between them.
pub(crate) fn hashed_parts(name: &str) -> Option<(&str, &str)> {
    let is_hash = |part: &str| {
        part.len() == 64 && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    name.split_once('/').filter(|(server, tool)| is_hash(server) && is_hash(tool))
}

/// A hash as it is shown: long enough to be told from others and found again.
pub(crate) fn short_hash(hash: &str) -> String {
    format!("sha256:{}", hash.get(..12).unwrap_or(hash))
}

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
