//! Agent frameworks that follow the conventions of GenAI but for one thing each.

use super::super::attribute_names::Key;
use super::super::dialect::{ArgumentsFrom, Dialect, ResultFrom, Side, ToolFrom};
use super::super::seen::Seen;
use crate::call::Confidence;

fn executes_tool(seen: &Seen<'_>, scopes: &[&str]) -> bool {
    scopes.contains(&&*seen.scope.name) && seen.operation() == Some("execute_tool")
}

/// Google ADK (A8): `{}` stands for arguments that are not sent.
pub(super) static GOOGLE_ADK: Dialect = Dialect {
    name: "google_adk",
    test: |seen| executes_tool(seen, &["gcp.vertex.agent"]),
    side: Side::Agent,
    arguments: &[
        ArgumentsFrom::NotBare(Key::GenAiToolCallArguments),
        ArgumentsFrom::NotBare(Key::AdkArguments),
    ],
    result: &[ResultFrom::Key(Key::GenAiToolCallResult), ResultFrom::Key(Key::AdkResult)],
    ..Dialect::BASE
};

/// The event that holds messages by OpenTelemetry's newer conventions of GenAI.
const DETAILS: &str = "gen_ai.client.inference.operation.details";

/// Strands (A9): arguments and result are events.
pub(super) static STRANDS: Dialect = Dialect {
    name: "strands",
    test: |seen| executes_tool(seen, &["strands.telemetry.tracer", "strands-agents"]),
    side: Side::Agent,
    arguments: &[
        ArgumentsFrom::Key(Key::GenAiToolCallArguments),
        ArgumentsFrom::Event("gen_ai.tool.message", "content"),
        ArgumentsFrom::Messages(DETAILS, "gen_ai.input.messages"),
    ],
    result: &[
        ResultFrom::Key(Key::GenAiToolCallResult),
        ResultFrom::Event("gen_ai.choice", "message"),
        ResultFrom::Messages(DETAILS, "gen_ai.output.messages"),
    ],
    ..Dialect::BASE
};

/// AutoGen (A13): what a tool says of its own failure is not told.
pub(super) static AUTOGEN: Dialect = Dialect {
    name: "autogen",
    test: |seen| executes_tool(seen, &["autogen-core"]),
    side: Side::Agent,
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};

/// Semantic Kernel (A12): failures are not told.
pub(super) static SEMANTIC_KERNEL: Dialect = Dialect {
    name: "semantic_kernel",
    test: |seen| {
        let is_own = seen.scope.name.starts_with("Microsoft.SemanticKernel")
            || seen.scope.name.starts_with("semantic_kernel");
        is_own && seen.operation() == Some("execute_tool")
    },
    side: Side::Agent,
    confidence: |_seen| Confidence::Low,
    ..Dialect::BASE
};

/// Mastra (A16).
pub(super) static MASTRA: Dialect = Dialect {
    name: "mastra",
    test: |seen| seen.text(Key::MastraSpanType).is_some_and(|kind| kind.ends_with("tool_call")),
    arguments: &[
        ArgumentsFrom::Key(Key::GenAiToolCallArguments),
        ArgumentsFrom::Key(Key::GenAiToolInput),
        ArgumentsFrom::Key(Key::PlainInput),
    ],
    result: &[
        ResultFrom::Key(Key::GenAiToolCallResult),
        ResultFrom::Key(Key::GenAiToolOutput),
        ResultFrom::Key(Key::Output),
    ],
    ..Dialect::BASE
};

/// Spring AI (A17).
pub(super) static SPRING_AI: Dialect = Dialect {
    name: "spring_ai",
    test: |seen| seen.text(Key::SpringAiKind) == Some("tool_call"),
    side: Side::Agent,
    tool: &[
        ToolFrom::Key(Key::SpringToolName),
        ToolFrom::NameAfter("execute_tool "),
        ToolFrom::NameAfter("tool_call "),
    ],
    arguments: &[ArgumentsFrom::Key(Key::SpringArguments)],
    result: &[ResultFrom::Key(Key::SpringResult)],
    ..Dialect::BASE
};

/// google-genai (A21): an attribute for each argument.
pub(super) static GOOGLE_GENAI: Dialect = Dialect {
    name: "google_genai",
    test: |seen| executes_tool(seen, &["opentelemetry.instrumentation.google_genai"]),
    side: Side::Agent,
    arguments: &[
        ArgumentsFrom::Key(Key::GenAiToolCallArguments),
        ArgumentsFrom::Between("code.function.parameters.", ".value"),
    ],
    result: &[ResultFrom::Key(Key::GenAiToolCallResult), ResultFrom::Key(Key::CodeReturnValue)],
    ..Dialect::BASE
};
