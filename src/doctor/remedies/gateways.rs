//! Gateways: they stand between, and what they do not tell the two sides do.

use super::{Remedies, Remedy};

const AGENT_TOO: Remedy = Remedy::new(
    "shell, of the agent behind the gateway",
    "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318",
    "export OTEL_TRACES_EXPORTER=otlp  # its spans carry the arguments",
);
const SERVER_TOO: Remedy = Remedy::new(
    "shell, of the MCP server behind it",
    "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318",
    "export OTEL_TRACES_EXPORTER=otlp  # its spans tell what a tool answered",
);

pub(super) const REMEDIES: &[Remedies] = &[
    Remedies {
        dialects: &["docker_mcp_gateway", "toolhive"],
        arguments: AGENT_TOO,
        result: SERVER_TOO,
        session: AGENT_TOO,
        failure: Some(SERVER_TOO),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["contextforge"],
        arguments: Remedy::new(
            "environment of the gateway",
            "OTEL_EMIT_LANGFUSE_ATTRIBUTES=true OTEL_CAPTURE_INPUT_SPANS=tool.invoke",
            "OTEL_CAPTURE_OUTPUT_SPANS=tool.invoke",
        ),
        result: Remedy::new(
            "environment of the gateway",
            "OTEL_EMIT_LANGFUSE_ATTRIBUTES=true OTEL_CAPTURE_INPUT_SPANS=tool.invoke",
            "OTEL_CAPTURE_OUTPUT_SPANS=tool.invoke",
        ),
        session: AGENT_TOO,
        ..Remedies::BASE
    },
];
