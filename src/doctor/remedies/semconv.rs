//! OpenTelemetry's own conventions, and the plain vocabulary.

use super::{Remedies, Remedy};

const GENAI_CONTENT: Remedy = Remedy::new(
    "shell, of the sending program",
    "export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
    "export OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental",
);
const MCP_ARGUMENTS: Remedy = Remedy::new(
    "Python, where the span is made",
    "text = json.dumps(request.params.arguments)",
    "span.set_attribute(\"gen_ai.tool.call.arguments\", text)",
);
const MCP_RESULT: Remedy = Remedy::new(
    "Python, where the span is made",
    "text = json.dumps(result)",
    "span.set_attribute(\"gen_ai.tool.call.result\", text)",
);

pub(super) const REMEDIES: &[Remedies] = &[
    Remedies {
        dialects: &["semconv_mcp_client", "semconv_mcp_server", "semconv_mcp", "semconv_mcp_draft"],
        arguments: MCP_ARGUMENTS,
        result: MCP_RESULT,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["semconv_genai"],
        arguments: GENAI_CONTENT,
        result: GENAI_CONTENT,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["plain"],
        arguments: Remedy::new(
            "Python, where the span is made",
            "from args_hash import args_hash  # examples/args-hash/python",
            "span.set_attribute(\"args_hash\", args_hash(arguments))",
        ),
        result: Remedy::new(
            "Python, where the span is made",
            "is_empty = result in (None, \"\", [], {})",
            "span.set_attribute(\"is_empty\", is_empty)",
        ),
        session: Remedy::new(
            "Python, where the span is made",
            "span.set_attribute(\"client_name\", client_name)",
            "span.set_attribute(\"session_id\", session_id)",
        ),
        ..Remedies::BASE
    },
];
