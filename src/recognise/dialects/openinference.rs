//! OpenInference and its fork traceAI: steps of the kind TOOL.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side, ToolFrom};
use crate::call::Confidence;

/// A step of the kind TOOL (A1, A22).
pub(super) static OPENINFERENCE: Dialect = Dialect {
    name: "openinference",
    test: |seen| {
        seen.is_tool_kind(Key::OpeninferenceSpanKind) || seen.is_tool_kind(Key::FiSpanKind)
    },
    side: Side::Agent,
    tool: &[ToolFrom::Key(Key::ToolName), ToolFrom::Key(Key::GenAiToolName)],
    arguments: &[
        ArgumentsFrom::Key(Key::GenAiToolCallArguments),
        ArgumentsFrom::Wrapped(Key::InputValue),
        // Some packages put the arguments here, others their schema.
        ArgumentsFrom::NotASchema(Key::ToolParameters),
    ],
    result: &[ResultFrom::Key(Key::GenAiToolCallResult), ResultFrom::Key(Key::OutputValue)],
    // Failures that the framework catches read as ok.
    confidence: |seen| {
        let scope = &seen.scope.name;
        if scope.ends_with(".langchain") || scope.ends_with(".openai_agents") {
            Confidence::Low
        } else {
            Confidence::High
        }
    },
    ..Dialect::BASE
};
