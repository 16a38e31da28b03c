//! The Vercel AI SDK, and opencode, which is built on it.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side, ToolFrom};
use crate::call::Outcome;

/// The SDK's older telemetry (A5).
pub(super) static LEGACY: Dialect = Dialect {
    name: "vercel_ai_legacy",
    test: |seen| {
        [Key::AiOperationId, Key::OperationName]
            .iter()
            .any(|key| seen.text(*key).is_some_and(|text| text.starts_with("ai.toolCall")))
    },
    side: Side::Agent,
    tool: &[ToolFrom::Key(Key::AiToolCallName)],
    arguments: &[ArgumentsFrom::Key(Key::AiToolCallArgs)],
    result: &[ResultFrom::Key(Key::AiToolCallResult)],
    ..Dialect::BASE
};

/// The SDK's newer telemetry (A6).
pub(super) static VERCEL_AI: Dialect = Dialect {
    name: "vercel_ai",
    test: |seen| seen.is_scope("gen_ai") && seen.operation() == Some("execute_tool"),
    side: Side::Agent,
    ..Dialect::BASE
};

/// opencode's own span of a tool (C5), inside the SDK's.
pub(super) static OPENCODE: Dialect = Dialect {
    name: "opencode",
    test: |seen| seen.is_scope("opencode") && seen.span.name == "Tool.execute",
    side: Side::Agent,
    tool: &[ToolFrom::Key(Key::ToolName)],
    // A tool that is not there runs as the tool `invalid`, and that goes well.
    told: |seen| (seen.text(Key::ToolName) == Some("invalid")).then_some(Outcome::UnknownTool),
    ..Dialect::BASE
};
