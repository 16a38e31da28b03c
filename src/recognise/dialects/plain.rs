//! The plain vocabulary: a tool's name and a hash of the arguments, made at the source.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side, ToolFrom};

/// Spans with `args_hash` that speak no other dialect.
pub(super) static PLAIN: Dialect = Dialect {
    name: "plain",
    test: |seen| seen.has_given_hash() && seen.operation().is_none(),
    side: Side::Server,
    tool: &[
        ToolFrom::Key(Key::PlainToolName),
        ToolFrom::Key(Key::GenAiToolName),
        ToolFrom::Key(Key::McpToolName),
        ToolFrom::NameAfter("tools/call "),
        ToolFrom::NameAfter("execute_tool "),
    ],
    arguments: &[
        ArgumentsFrom::Key(Key::GenAiToolCallArguments),
        ArgumentsFrom::Key(Key::ToolArguments),
    ],
    result: &[ResultFrom::Key(Key::GenAiToolCallResult), ResultFrom::Key(Key::ToolResponse)],
    needs_tool_name: true,
    ..Dialect::BASE
};
