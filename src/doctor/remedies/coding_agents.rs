//! Coding agents: settings of programs that cannot be changed.

use super::{Remedies, Remedy};

const CLAUDE_LOGS: Remedy = Remedy::new(
    "shell, where `claude` runs",
    "export CLAUDE_CODE_ENABLE_TELEMETRY=1 OTEL_LOGS_EXPORTER=otlp",
    "export OTEL_LOG_TOOL_DETAILS=1",
);
const CODEX_LOGS: Remedy = Remedy::new(
    "~/.codex/config.toml, at its top",
    "otel.exporter.otlp-http.endpoint = \"http://127.0.0.1:4318/v1/logs\"",
    "otel.exporter.otlp-http.protocol = \"binary\"  # logs tell what spans do not",
);
const GEMINI_LOGS: Remedy = Remedy::new(
    "shell, where `gemini` runs",
    "export GEMINI_TELEMETRY_ENABLED=true GEMINI_TELEMETRY_TARGET=local",
    "export GEMINI_TELEMETRY_LOG_PROMPTS=true  # the logs carry the arguments",
);
const QWEN_LOGS: Remedy = Remedy::new(
    "shell, where `qwen` runs",
    "export QWEN_TELEMETRY_ENABLED=true QWEN_TELEMETRY_TARGET=local",
    "export QWEN_TELEMETRY_LOG_PROMPTS=true  # the logs carry the arguments",
);
const SERVER_SPANS: Remedy = Remedy::new(
    "shell, of the MCP servers that it calls",
    "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318",
    "export OTEL_TRACES_EXPORTER=otlp  # with the result on their spans",
);
const COPILOT_CONTENT: Remedy = Remedy::new(
    "shell, or VS Code's settings",
    "export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
    "\"github.copilot.chat.otel.captureContent\": true",
);
const OPENCODE_AI: Remedy = Remedy::new(
    "opencode.json",
    "{ \"experimental\": { \"openTelemetry\": true } }",
    "// the AI SDK's span beside its own then carries the arguments",
);

/// A command counts as done when it ran: its exit code is in the answer.
const EXIT_CODES: Remedy = Remedy::new(
    "the prompt, or AGENTS.md",
    "Run commands through a tool of an MCP server that says isError,",
    "not through the shell: a shell's exit code is not told as a failure.",
);
const OPENCODE_PLUGIN: Remedy = Remedy::new(
    "shell, where `opencode` runs",
    "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318  # its own spans",
    "unset OPENCODE_ENABLE_TELEMETRY  # and no plugin beside them",
);
const CLINE_SERVER: Remedy = Remedy::new(
    "shell, of the MCP servers that it calls",
    "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318",
    "export OTEL_TRACES_EXPORTER=otlp  # Cline's records carry neither",
);

pub(super) const REMEDIES: &[Remedies] = &[
    Remedies {
        dialects: &["claude_code", "claude_code_execution", "claude_code_log"],
        arguments: CLAUDE_LOGS,
        result: CLAUDE_LOGS,
        session: CLAUDE_LOGS,
        failure: Some(CLAUDE_LOGS),
        hidden: CLAUDE_LOGS,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["codex_log"],
        arguments: CODEX_LOGS,
        result: CODEX_LOGS,
        session: CODEX_LOGS,
        failure: Some(EXIT_CODES),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["gemini_cli_log"],
        arguments: GEMINI_LOGS,
        // The answer is not sent; an MCP server's own span tells it.
        result: SERVER_SPANS,
        session: GEMINI_LOGS,
        failure: Some(EXIT_CODES),
        hidden: GEMINI_LOGS,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["qwen_code_log"],
        arguments: QWEN_LOGS,
        result: SERVER_SPANS,
        session: QWEN_LOGS,
        failure: Some(EXIT_CODES),
        hidden: QWEN_LOGS,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["cline_log"],
        arguments: CLINE_SERVER,
        result: CLINE_SERVER,
        session: CLINE_SERVER,
        failure: Some(CLINE_SERVER),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["opencode_plugin_log"],
        arguments: OPENCODE_PLUGIN,
        result: OPENCODE_PLUGIN,
        session: OPENCODE_PLUGIN,
        failure: Some(EXIT_CODES),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["copilot"],
        arguments: COPILOT_CONTENT,
        result: COPILOT_CONTENT,
        session: Remedy::new(
            "shell",
            "npm install -g @github/copilot@latest",
            "# and VS Code's extension: newer ones carry gen_ai.conversation.id",
        ),
        failure: Some(EXIT_CODES),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["opencode"],
        arguments: OPENCODE_AI,
        result: OPENCODE_AI,
        session: Remedy::new(
            "shell",
            "npm install -g opencode-ai@latest",
            "# its span Tool.execute carries session.id",
        ),
        failure: Some(EXIT_CODES),
        ..Remedies::BASE
    },
];
