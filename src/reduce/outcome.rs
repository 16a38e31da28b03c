//! How the call ended (METHOD section 4, dialects.md 11.7). A failure is never guessed into a
//! finer kind than the span tells.

use super::error_text;
use super::result::ResultLook;
use crate::call::Outcome;
use crate::otlp::{EventView, StatusCode, Value};
use crate::recognise::{Dialect, EXCEPTION_EVENT, EXCEPTION_MESSAGE, EXCEPTION_TYPE, Key, Seen};

/// JSON-RPC: invalid parameters; in MCP also an unknown tool.
const INVALID_PARAMS: i64 = -32602;
/// The code of a request that an MCP SDK stopped waiting for; others use it otherwise.
const REQUEST_TIMEOUT: i64 = -32001;
/// The same, by the Python SDK.
const REQUEST_TIMEOUT_HTTP: i64 = 408;

const CANCELLED: &[&str] = &[
    "cancelled",
    "canceled",
    "CancelledError",
    "CanceledError",
    "OperationCanceledException",
    "TaskCanceledException",
    "CancellationException",
    "AbortError",
];
const TIMEOUT: &[&str] = &[
    "timeout",
    "timed_out",
    "TimeoutError",
    "TimeoutException",
    "DeadlineExceeded",
    "DEADLINE_EXCEEDED",
    "RequestTimeout",
];
const BAD_ARGS: &[&str] = &[
    "InvalidToolInputError",
    "AI_InvalidToolInputError",
    "InvalidToolArgumentsError",
    "AI_InvalidToolArgumentsError",
    "invalid_tool_params",
];
const UNKNOWN_TOOL: &[&str] =
    &["NoSuchToolError", "AI_NoSuchToolError", "ToolNotFoundError", "tool_not_registered"];
const TOOL_ERROR: &[&str] = &[
    "tool_error",
    "mcp_tool_error",
    "MCP_TOOL_ERROR",
    "ToolError",
    "ToolException",
    "McpToolCallError",
    // Pydantic AI wraps both a refusal and the tool's own word in these.
    "ToolRetryError",
    "ModelRetry",
];
/// Classes that say only that the protocol answered with an error.
const PROTOCOL_ERROR: &[&str] = &["McpError", "MCPError", "McpException", "ProtocolError"];

/// How the span says that its call ended.
pub(super) fn outcome(seen: &Seen<'_>, rules: &Dialect, result: &ResultLook) -> Outcome {
    if let Some(told) = plain(seen).or_else(|| (rules.told)(seen)) {
        return told;
    }
    let signs = Signs::of(seen, result);
    if !signs.has_failed {
        return Outcome::Ok;
    }
    let is = |names: &[&str]| signs.kinds.iter().any(|kind| names.contains(kind));
    let says = |test: fn(&str) -> bool| signs.texts.iter().any(|text| test(text));
    if is(CANCELLED) || says(|text| matches!(text.trim(), "cancelled" | "canceled")) {
        return Outcome::Cancelled;
    }
    let is_timeout_code = match signs.code {
        Some(REQUEST_TIMEOUT) => says(error_text::tells_timeout),
        code => code == Some(REQUEST_TIMEOUT_HTTP),
    };
    if is(TIMEOUT) || is_timeout_code {
        return Outcome::Timeout;
    }
    if is(UNKNOWN_TOOL) || is_unknown_tool(seen, &signs) {
        return Outcome::UnknownTool;
    }
    if seen.text(Key::PydanticFailureStage) == Some("validation")
        || signs.code == Some(INVALID_PARAMS)
        || is(BAD_ARGS)
        || signs.kinds.iter().any(|kind| kind.ends_with("ValidationError"))
        || says(error_text::tells_bad_args)
    {
        return Outcome::BadArgs;
    }
    // Claude Code says so of every answer that was a JSON-RPC error, and that the call failed.
    if is(&["ProtocolError"]) {
        return Outcome::Error;
    }
    if signs.tool_says_failed || is(TOOL_ERROR) {
        return Outcome::ToolError;
    }
    if signs.kinds.iter().any(|kind| is_class(kind)) || signs.has_exception {
        return if is(PROTOCOL_ERROR) { Outcome::Error } else { Outcome::Crashed };
    }
    Outcome::Error
}

fn is_unknown_tool(seen: &Seen<'_>, signs: &Signs<'_>) -> bool {
    let has_code = signs.code == Some(INVALID_PARAMS);
    (seen.is_scope("fastmcp") && signs.kinds.contains(&"NotFoundError"))
        || signs.texts.iter().any(|text| error_text::tells_unknown_tool(text, has_code))
}

/// The plain vocabulary's own word, which beats every other sign.
fn plain(seen: &Seen<'_>) -> Option<Outcome> {
    if !seen.has_given_hash() {
        return None;
    }
    if let Some(Value::Bool(is_ok)) = seen.value(Key::Outcome) {
        return Some(if *is_ok { Outcome::Ok } else { Outcome::Error });
    }
    let word = seen.text(Key::Outcome)?.trim().to_ascii_lowercase();
    Some(match word.as_str() {
        "success" | "succeeded" | "successful" | "completed" => Outcome::Ok,
        "canceled" => Outcome::Cancelled,
        "timed_out" => Outcome::Timeout,
        word => Outcome::from_word(word).unwrap_or(Outcome::Error),
    })
}

/// Everything in a span that tells of failure.
struct Signs<'v> {
    has_failed: bool,
    tool_says_failed: bool,
    has_exception: bool,
    /// Names of kinds of failure, without the package they come from.
    kinds: Vec<&'v str>,
    /// Texts of errors: to classify, in memory only.
    texts: Vec<&'v str>,
    code: Option<i64>,
}

impl<'v> Signs<'v> {
    fn of(seen: &Seen<'v>, result: &'v ResultLook) -> Self {
        let is_told_ok = seen.span.status.code == StatusCode::Ok;
        let exceptions = || seen.span.events.iter().filter(|event| event.name == EXCEPTION_EVENT);
        // An exception in a span that says it went well was dealt with.
        let has_exception = !is_told_ok && exceptions().next().is_some();
        let error_type = seen.text(Key::ErrorType);
        // Coding agents have names of their own for it.
        let classes_told = [Key::PlainErrorType, Key::ErrorClass];
        let classes_told = classes_told.into_iter().filter_map(|key| seen.text(key));
        // MCP Hangar.
        let status = seen.text(Key::McpToolStatus);
        let status = status.filter(|status| matches!(*status, "timeout" | "cancelled"));
        let code = code(seen);
        let tool_says_failed = tool_says_failed(seen) || result.is_error;
        let has_failed = error_type.is_some()
            || status.is_some()
            || code.is_some()
            || tool_says_failed
            || has_exception
            || seen.text(Key::McpErrorMessage).is_some()
            || seen.span.status.code == StatusCode::Error;
        let classes = exceptions().filter_map(|event| text_of(event, EXCEPTION_TYPE));
        let messages = exceptions().filter_map(|event| text_of(event, EXCEPTION_MESSAGE));
        let attributes = [Key::ErrorMessage, Key::McpErrorMessage, Key::Error];
        let contents = [Key::McpToolResultContent, Key::Output];
        let contents = contents.into_iter().filter_map(|key| seen.text(key));
        let contents = contents.filter(|_| tool_says_failed);
        Self {
            has_failed,
            tool_says_failed,
            has_exception,
            kinds: error_type
                .into_iter()
                .chain(classes_told)
                .chain(status)
                .chain(classes)
                .map(last_part)
                .collect(),
            texts: std::iter::once(&*seen.span.status.message)
                .chain(attributes.into_iter().filter_map(|key| seen.text(key)))
                .chain(messages)
                .chain(contents)
                .chain(result.error_text.as_deref())
                .collect(),
            code,
        }
    }
}

fn text_of<'v>(event: &'v EventView<'_>, key: &str) -> Option<&'v str> {
    event.attributes.text(key)
}

/// The JSON-RPC error code, wherever it is told.
fn code(seen: &Seen<'_>) -> Option<i64> {
    let keys =
        [Key::RpcResponseStatusCode, Key::RpcJsonrpcErrorCode, Key::McpErrorCode, Key::ErrorType];
    keys.into_iter()
        .find_map(|key| seen.integer(key))
        // Nought and HTTP's two hundreds are no errors.
        .filter(|code| *code != 0 && !(200..300).contains(code))
}

/// Whether the tool ran and said that it failed.
fn tool_says_failed(seen: &Seen<'_>) -> bool {
    let failed = |key| seen.flag(key) == Some(true);
    let not_well = |key| seen.flag(key) == Some(false);
    let word = |key| matches!(seen.text(key), Some("error" | "failed" | "failure"));
    failed(Key::McpToolResultIsError)
        || failed(Key::Error)
        || failed(Key::IsError)
        || failed(Key::McpToolError)
        || not_well(Key::Success)
        || not_well(Key::GenAiToolSuccess)
        || word(Key::GenAiToolStatus)
        || word(Key::GenAiTaskStatus)
        || word(Key::McpToolStatus)
        // MCP calls by Cline.
        || word(Key::Status)
}

/// A class's name without its package: of `java.util.NoSuchElementException` the last part.
fn last_part(class: &str) -> &str {
    class.trim().rsplit(['.', ':', '/', '\\', '$', '+']).next().unwrap_or(class)
}

/// Whether a kind of failure is the name of a class that was thrown.
fn is_class(kind: &str) -> bool {
    kind.starts_with(|first: char| first.is_ascii_uppercase())
        && kind.contains(|c: char| c.is_ascii_lowercase())
}
