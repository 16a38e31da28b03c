//! Codex: the log record of each result makes the call. Its spans tell the same several times over
//! and never of the outcome: they do not count.

use super::super::attribute_names::Key;
use super::super::dialect::{
    ArgumentsFrom, ClientFrom, Dialect, KnownClient, LogTime, ResultFrom, Side, ToolFrom,
};
use super::super::not_a_call::NotACall;
use super::super::seen::Seen;
use crate::call::{Confidence, Outcome};

/// Every edition's `service.name` begins with one of these.
const EDITIONS: &[&str] = &["codex_", "codex-"];

/// Tools that answer "ok" whatever became of the command or the patch.
const COMMANDS: &[&str] =
    &["shell", "local_shell", "shell_command", "exec_command", "write_stdin", "apply_patch"];

/// A line that a command's result begins with; its exit code follows.
const EXIT_CODE: &str = "Process exited with code ";

/// Whether a span is of an MCP call (C2), or of anything else that Codex tells of calls.
pub(super) fn is_span(seen: &Seen<'_>) -> bool {
    seen.span.name == "mcp.tools.call"
        || EDITIONS.iter().any(|start| seen.scope.name.starts_with(start))
}

/// The log record of a result, or of a decision.
pub(super) static LOG: Dialect = Dialect {
    name: "codex_log",
    test: |seen| matches!(&*seen.span.name, "codex.tool_result" | "codex.tool_decision"),
    never: decided,
    log_time: Some(LogTime::End),
    side: Side::Agent,
    tool: &[ToolFrom::Unprefixed(Key::PlainToolName, Key::PlainMcpServer)],
    client: ClientFrom::Known(KnownClient {
        name: "codex",
        editions: EDITIONS,
        is_service_version_its_own: true,
    }),
    arguments: &[ArgumentsFrom::Key(Key::PlainArguments)],
    result: &[ResultFrom::After(Key::Output, "Output:", Key::OutputTruncated)],
    told,
    confidence,
    ..Dialect::BASE
};

fn decided(seen: &Seen<'_>) -> Option<NotACall> {
    if seen.span.name != "codex.tool_decision" {
        return None;
    }
    let is_refused = matches!(seen.text(Key::Decision), Some("denied" | "abort"));
    Some(if is_refused { NotACall::Denied } else { NotACall::PartOfACall })
}

/// Its own words to the model, where it did not call the tool.
fn told(seen: &Seen<'_>) -> Option<Outcome> {
    let output = seen.text(Key::Output).filter(|_| seen.flag(Key::Success) == Some(false))?;
    match () {
        () if output.starts_with("unsupported call: ") => Some(Outcome::UnknownTool),
        () if output.starts_with("failed to parse function arguments") => Some(Outcome::BadArgs),
        () => None,
    }
}

/// A command is "ok" when it has run. Its exit code says more, where the result tells it.
fn confidence(seen: &Seen<'_>) -> Confidence {
    let is_command = seen.text(Key::PlainToolName).is_some_and(|tool| COMMANDS.contains(&tool));
    let mut head = seen.text(Key::Output).unwrap_or_default().lines().take(8);
    match head.find_map(|line| line.strip_prefix(EXIT_CODE)) {
        Some(code) if code.trim() == "0" => Confidence::High,
        Some(_) => Confidence::Low,
        None if is_command => Confidence::Low,
        None => Confidence::High,
    }
}
