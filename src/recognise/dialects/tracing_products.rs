//! Tracing products' own SDKs: Langfuse, LangSmith, MLflow.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side, ToolFrom};
use crate::call::Confidence;

/// Langfuse (A19): the span is named like the tool.
pub(super) static LANGFUSE: Dialect = Dialect {
    name: "langfuse",
    test: |seen| seen.is_tool_kind(Key::LangfuseType),
    side: Side::Agent,
    tool: &[ToolFrom::Key(Key::GenAiToolName), ToolFrom::Name],
    arguments: &[ArgumentsFrom::Key(Key::LangfuseInput)],
    result: &[ResultFrom::Key(Key::LangfuseOutput)],
    ..Dialect::BASE
};

/// LangSmith (A20). Failures that the framework catches read as ok.
pub(super) static LANGSMITH: Dialect = Dialect {
    name: "langsmith",
    test: |seen| seen.is_tool_kind(Key::LangsmithSpanKind),
    side: Side::Agent,
    tool: &[
        ToolFrom::Key(Key::GenAiToolName),
        ToolFrom::Key(Key::LangsmithTraceName),
        ToolFrom::Name,
    ],
    arguments: &[
        ArgumentsFrom::Key(Key::GenAiToolCallArguments),
        ArgumentsFrom::Wrapped(Key::GenAiPrompt),
    ],
    result: &[ResultFrom::Key(Key::GenAiToolCallResult), ResultFrom::Key(Key::GenAiCompletion)],
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};

/// MLflow (A18): the span is named like the tool. Failures that a framework catches read as ok.
pub(super) static MLFLOW: Dialect = Dialect {
    name: "mlflow",
    test: |seen| seen.is_tool_kind(Key::MlflowSpanType),
    side: Side::Agent,
    tool: &[ToolFrom::Key(Key::GenAiToolName), ToolFrom::Name],
    arguments: &[ArgumentsFrom::Key(Key::MlflowInputs)],
    result: &[ResultFrom::Key(Key::MlflowOutputs)],
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};
