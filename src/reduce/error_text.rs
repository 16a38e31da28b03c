//! What the text of an error tells of its kind (dialects.md section 3). Read in memory only.

/// How far into a text is looked.
const LOOK: usize = 4096;

/// Texts of servers that refused the arguments before the tool's own code ran.
const BAD_ARGS: &[&str] = &[
    "Input validation error:",
    "validating \"arguments\":",
    // The same inside a result that is JSON text.
    "validating \\\"arguments\\\":",
    "failed to deserialize parameters:",
    "unknown arguments",
    "failed to unmarshal arguments",
];

/// Whether `text` says that the arguments were refused.
pub(super) fn tells_bad_args(text: &str) -> bool {
    let text = head(text);
    BAD_ARGS.iter().any(|mark| text.contains(mark)) || counts_validation_errors(text)
}

/// pydantic: `3 validation errors for Model`, `1 validation error for call[f]`.
fn counts_validation_errors(text: &str) -> bool {
    ["validation error for", "validation errors for"].iter().any(|mark| {
        text.match_indices(mark).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            before.ends_with(' ') && before.trim_end().ends_with(|c: char| c.is_ascii_digit())
        })
    })
}

/// Whether `text` says that there is no such tool. Beside a JSON-RPC code of -32602 less is
/// enough than in a text alone.
pub(super) fn tells_unknown_tool(text: &str, has_code: bool) -> bool {
    let lower = head(text).to_ascii_lowercase();
    let says = ["unknown tool:", "unknown tool \"", "unknown tool '"];
    if says.iter().any(|mark| lower.trim_start().starts_with(mark)) || is_missing(&lower) {
        return true;
    }
    has_code
        && (lower.contains("unknown tool")
            || (lower.contains("tool") && lower.contains("not found"))
            || (lower.contains("tool") && lower.contains("disabled")))
}

/// The Copilot CLI's whole text: `Tool 'find' does not exist.`
fn is_missing(lower: &str) -> bool {
    let name =
        lower.trim().strip_prefix("tool '").and_then(|rest| rest.strip_suffix("' does not exist."));
    name.is_some_and(|name| !name.contains('\''))
}

/// Whether `text` says that a request was not waited for any longer.
pub(super) fn tells_timeout(text: &str) -> bool {
    let lower = head(text).to_ascii_lowercase();
    lower.contains("timed out") || lower.contains("timeout")
}

fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LOOK)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_refusals_are_known_by_their_texts() {
        for text in [
            "MCP error -32602: Input validation error: Invalid arguments for tool quote: x",
            "Error executing tool quote: 2 validation errors for quoteArguments",
            "1 validation error for call[quote]",
            "validating \"arguments\": missing sku",
            "failed to deserialize parameters: missing field `sku`",
        ] {
            assert!(tells_bad_args(text), "{text}");
        }
        for text in ["", "no validation error for you", "row 7 locked", "invalid order"] {
            assert!(!tells_bad_args(text), "{text}");
        }
    }

    #[test]
    fn an_unknown_tool_is_known_by_its_text() {
        assert!(tells_unknown_tool("Unknown tool: qoute", false));
        assert!(tells_unknown_tool("unknown tool \"qoute\"", false));
        assert!(tells_unknown_tool("MCP error -32602: Tool qoute not found", true));
        assert!(tells_unknown_tool("Tool 'qoute' does not exist.", false));
        assert!(!tells_unknown_tool("Tool 'hammer' of order '7' does not exist.", false));
        assert!(!tells_unknown_tool("order not found", true));
        assert!(!tells_unknown_tool("Tool says: order not found", false));
    }
}
