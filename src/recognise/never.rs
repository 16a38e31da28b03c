//! What is never a call, whatever else a span says (dialects.md section 1, "never count", and
//! 11.1). A reason is counted; a span that merely resembles nothing is ordinary.

use super::attribute_names::Key;
use super::deciding::TOOL_OPERATIONS;
use super::not_a_call::NotACall;
use super::seen::Seen;
use crate::call::SpanKind;

/// What a span's method and operation leave open.
pub(super) enum Gate {
    /// It may be a call.
    Open,
    /// It looks like a call and is none.
    Shut(NotACall),
    /// It is nobody's call.
    Ordinary,
}

/// The first rules of 11.1: the MCP method, where there is one, beats the operation; the
/// operation beats every other mark.
pub(super) fn gate(seen: &Seen<'_>) -> Gate {
    if let Some(is_call) = calls_by_method(seen) {
        return if is_call { Gate::Open } else { Gate::Shut(NotACall::OtherMethod) };
    }
    match seen.operation() {
        None => Gate::Open,
        Some(operation) if TOOL_OPERATIONS.contains(&operation) => Gate::Open,
        Some(_) if seen.text(Key::SpringAiKind) == Some("tool_call") => Gate::Open,
        Some(_) if mentions_a_tool(seen) => Gate::Shut(NotACall::ModelOperation),
        Some(_) => Gate::Ordinary,
    }
}

fn mentions_a_tool(seen: &Seen<'_>) -> bool {
    seen.has(Key::GenAiToolName) || seen.has(Key::McpToolName) || seen.has_given_hash()
}

/// Whether the MCP method is the calling of a tool; none where no method is told.
pub(super) fn calls_by_method(seen: &Seen<'_>) -> Option<bool> {
    // OpenLIT's TypeScript puts the tool's name under `mcp.method`: its operation comes first.
    if let Some(operation) = seen.text(Key::McpOperationName) {
        return Some(matches!(operation, "tools_call" | "tools/call"));
    }
    for key in [Key::McpMethodName, Key::McpMethod] {
        if let Some(method) = seen.text(key) {
            return Some(matches!(method, "tools/call" | "call_tool"));
        }
    }
    match (seen.text(Key::RpcSystem), seen.text(Key::RpcMethod)) {
        (Some("mcp" | "jsonrpc"), Some("tools/call")) => Some(true),
        (Some("mcp"), Some(_)) => Some(false),
        // The C# SDK's first names.
        (_, Some(method)) if seen.is_scope("Experimental.ModelContextProtocol") => {
            Some(method == "tools/call")
        }
        _ => None,
    }
}

/// Why a span that speaks a dialect is no call all the same.
pub(super) fn reason(seen: &Seen<'_>) -> Option<NotACall> {
    if seen.text(Key::LogfireSpanType) == Some("pending_span") {
        return Some(NotACall::PendingSpan);
    }
    if seen.text(Key::GenAiToolName) == Some("(merged tools)")
        || matches!(&*seen.span.name, "execute_tool (merged)" | "execute_tool (merged tools)")
    {
        return Some(NotACall::MergedCalls);
    }
    let output = "running output function";
    if seen.is_named(output) || seen.text(Key::LogfireMsg).is_some_and(|m| m.starts_with(output)) {
        return Some(NotACall::OutputFunction);
    }
    if seen.is_tool_kind(Key::OpeninferenceSpanKind)
        && seen.scope.name.ends_with(".openai_agents")
        && !seen.has(Key::ToolName)
    {
        return Some(NotACall::Handoff);
    }
    // MLflow writes retrievers and rerankers as tools, without a name.
    if seen.is_scope("mlflow.tracing.provider")
        && seen.span.name == "execute_tool"
        && !seen.has(Key::GenAiToolCallArguments)
    {
        return Some(NotACall::OtherStep);
    }
    // OpenLIT's server makes one when it starts.
    if seen.has(Key::McpOperationName)
        && seen.span.kind == SpanKind::Server
        && !seen.has(Key::McpToolName)
        && !seen.has(Key::McpRequestPayload)
    {
        return Some(NotACall::OtherStep);
    }
    part(seen).or_else(|| not_run(seen))
}

/// Spans of parts of a call, and of sessions and transports around calls.
pub(super) fn part(seen: &Seen<'_>) -> Option<NotACall> {
    let name: &str = &seen.span.name;
    let is_part = name == "claude_code.tool.blocked_on_user"
        || (seen.is_scope("fastmcp") && name.starts_with("delegate "))
        || (seen.is_scope("mcp-gateway") && matches!(name, "tool.lookup" | "tool.gateway_call"));
    if is_part {
        return Some(NotACall::PartOfACall);
    }
    // OpenLLMetry and ADOT.
    let is_wrapper = name.strip_suffix(".mcp").is_some() || name == "ResponseStreamWriter";
    (is_wrapper && seen.scope.name.contains("mcp")).then_some(NotACall::SessionWrapper)
}

/// Why the call did not run: put off, refused, or to be sent again by protocol (METHOD 4).
fn not_run(seen: &Seen<'_>) -> Option<NotACall> {
    if seen.has(Key::PydanticDeferral) {
        return Some(NotACall::Deferred);
    }
    let kinds = [Key::ErrorType, Key::PlainErrorType].into_iter().filter_map(|key| seen.text(key));
    if kinds.into_iter().any(|kind| matches!(kind, "denied" | "execution_denied")) {
        return Some(NotACall::Denied);
    }
    if seen.text(Key::McpToolStatus) == Some("blocked") {
        return Some(NotACall::Denied);
    }
    let told = seen.has_given_hash().then(|| seen.text(Key::Outcome)).flatten();
    match told.map(str::to_ascii_lowercase).as_deref() {
        Some("denied" | "rejected" | "blocked") => return Some(NotACall::Denied),
        Some("deferred" | "not_run") => return Some(NotACall::Deferred),
        Some("input_required") => return Some(NotACall::InputRequired),
        _ => {}
    }
    asks_for_input(seen).then_some(NotACall::InputRequired)
}

/// Whether the result is the 2026-07-28 protocol's request for more input.
fn asks_for_input(seen: &Seen<'_>) -> bool {
    /// Only what decides is read of a result; the rest is skipped over.
    #[derive(serde::Deserialize)]
    struct ToolResult<'a> {
        #[serde(rename = "resultType", borrow, default)]
        result_type: Option<std::borrow::Cow<'a, str>>,
    }
    let results =
        [Key::GenAiToolCallResult, Key::Response, Key::McpToolResult, Key::McpResponsePayload];
    results.into_iter().filter_map(|key| seen.text(key)).any(|text| {
        text.contains("\"input_required\"")
            && serde_json::from_str::<ToolResult<'_>>(text)
                .is_ok_and(|result| result.result_type.as_deref() == Some("input_required"))
    }) || seen.text(Key::ErrorType) == Some("input_required")
}
