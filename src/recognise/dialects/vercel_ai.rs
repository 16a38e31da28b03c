//! The Vercel AI SDK.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side, ToolFrom};

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
