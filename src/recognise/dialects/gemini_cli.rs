//! Gemini CLI and its relative Qwen Code: the log record of each call makes it. Their spans are
//! told to be ok even where the tool failed: they do not count.

use super::super::attribute_names::Key;
use super::super::dialect::{
    ArgumentsFrom, ClientFrom, Dialect, KnownClient, LogTime, Side, ToolFrom,
};
use super::super::not_a_call::NotACall;
use super::super::seen::Seen;
use crate::call::{Confidence, Outcome};

const GEMINI: &str = "gemini-cli";
const QWEN: &str = "qwen-code";

/// Whether a span is of a tool (C3), or a log record that Qwen Code sends as a span where it may
/// send nothing else.
pub(super) fn is_span(seen: &Seen<'_>) -> bool {
    seen.is_scope(GEMINI) || seen.is_scope(QWEN) || seen.is_named("qwen-code.tool")
}

const SHARED: Dialect = Dialect {
    never: denied,
    log_time: Some(LogTime::End),
    side: Side::Agent,
    tool: &[ToolFrom::Unprefixed(Key::FunctionName, Key::PlainMcpServerName)],
    arguments: &[ArgumentsFrom::Key(Key::FunctionArgs)],
    result: &[],
    told: |seen| (seen.text(Key::Status) == Some("cancelled")).then_some(Outcome::Cancelled),
    ..Dialect::BASE
};

/// Gemini CLI's log record. Its `service.version` is that of Node.
pub(super) static LOG: Dialect = Dialect {
    name: "gemini_cli_log",
    test: |seen| seen.span.name == "gemini_cli.tool_call",
    client: ClientFrom::Known(KnownClient {
        name: GEMINI,
        editions: &[],
        is_service_version_its_own: false,
    }),
    confidence,
    ..SHARED
};

/// Qwen Code's log record.
pub(super) static QWEN_LOG: Dialect = Dialect {
    name: "qwen_code_log",
    test: |seen| seen.span.name == "qwen-code.tool_call",
    client: ClientFrom::Known(KnownClient {
        name: QWEN,
        editions: &[],
        is_service_version_its_own: true,
    }),
    ..SHARED
};

/// Refused by a person before it ran. Called off while it ran is another thing.
fn denied(seen: &Seen<'_>) -> Option<NotACall> {
    let is_rejected = seen.text(Key::Decision) == Some("reject");
    let is_cancelled = seen.text(Key::Status) == Some("cancelled")
        && matches!(seen.text(Key::ExecutionStatus), None | Some("not_started"));
    (is_rejected || is_cancelled).then_some(NotACall::Denied)
}

/// A command is "ok" when it has run. What else is told has its exit code.
fn confidence(seen: &Seen<'_>) -> Confidence {
    if seen.text(Key::FunctionName) != Some("run_shell_command") {
        return Confidence::High;
    }
    match seen.member(Key::Metadata, "exitCode").as_deref() {
        Some("0") => Confidence::High,
        _ => Confidence::Low,
    }
}
