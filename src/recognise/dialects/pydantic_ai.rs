//! Pydantic AI: from its third instrumentation with the operation's name, before without.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side};
use super::super::seen::Seen;

/// A tool's run (A4, A4a).
pub(super) static PYDANTIC_AI: Dialect = Dialect {
    name: "pydantic_ai",
    test: |seen| {
        let is_own = seen.is_scope("pydantic-ai") && seen.operation() == Some("execute_tool");
        is_own || has_no_operation(seen)
    },
    side: Side::Agent,
    arguments: &[
        ArgumentsFrom::Key(Key::GenAiToolCallArguments),
        ArgumentsFrom::Key(Key::ToolArguments),
    ],
    result: &[ResultFrom::Key(Key::GenAiToolCallResult), ResultFrom::Key(Key::ToolResponse)],
    ..Dialect::BASE
};

/// Its first two instrumentations say only which tool and which call; a model's span would tell
/// of a model.
fn has_no_operation(seen: &Seen<'_>) -> bool {
    seen.operation().is_none()
        && seen.has(Key::GenAiToolName)
        && seen.has(Key::GenAiToolCallId)
        && !seen.has(Key::GenAiRequestModel)
        && !seen.has(Key::GenAiUsageInputTokens)
}
