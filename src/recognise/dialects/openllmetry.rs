//! OpenLLMetry (Traceloop): decorators and frameworks, LangChain, and both sides of MCP.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side, ToolFrom};
use super::super::seen::Seen;
use crate::call::Confidence;

/// The scopes of its MCP instrumentation in Python and JavaScript.
const MCP_SCOPES: &[&str] =
    &["opentelemetry.instrumentation.mcp.instrumentation", "@traceloop/instrumentation-mcp"];

const TOOL: &[ToolFrom] = &[
    ToolFrom::Key(Key::GenAiToolName),
    ToolFrom::Key(Key::TraceloopEntityName),
    ToolFrom::NameBefore(".tool"),
];

const ARGUMENTS: &[ArgumentsFrom] =
    &[ArgumentsFrom::Key(Key::GenAiToolCallArguments), ArgumentsFrom::Wrapped(Key::TraceloopInput)];

fn is_tool(seen: &Seen<'_>) -> bool {
    seen.is_tool_kind(Key::TraceloopSpanKind)
}

/// Either side of an MCP call (M9). Python's spans tell no side.
pub(super) static MCP: Dialect = Dialect {
    name: "openllmetry_mcp",
    test: |seen| is_tool(seen) && MCP_SCOPES.contains(&&*seen.scope.name),
    side: Side::ByKind,
    tool: TOOL,
    arguments: ARGUMENTS,
    result: &[ResultFrom::Member(Key::TraceloopOutput, &["result"])],
    ..Dialect::BASE
};

/// A decorated function, or a framework's tool (A2, A3, A7b).
pub(super) static OPENLLMETRY: Dialect = Dialect {
    name: "openllmetry",
    test: is_tool,
    side: Side::Agent,
    tool: TOOL,
    arguments: ARGUMENTS,
    result: &[
        ResultFrom::Member(Key::GenAiToolCallResult, &["output"]),
        ResultFrom::Member(Key::TraceloopOutput, &["output"]),
    ],
    // Of LangChain and OpenAI Agents, failures that the framework catches read as ok.
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
