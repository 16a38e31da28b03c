//! Coding agents: settings of programs that cannot be changed.

use super::{Remedies, Remedy};

const CLAUDE_LOGS: Remedy = Remedy::new(
    "shell, where `claude` runs",
    "export CLAUDE_CODE_ENABLE_TELEMETRY=1 OTEL_LOGS_EXPORTER=otlp",
    "export OTEL_LOG_TOOL_DETAILS=1",
);
const CODEX_LOGS: Remedy = Remedy::new(
    "~/.codex/config.toml",
    "[otel]  # the logs carry arguments, outcome and answer; the spans do not",
    "exporter={otlp-http={endpoint=\"http://127.0.0.1:4318/v1/logs\",protocol=\"binary\"}}",
);
const GEMINI_LOGS: Remedy = Remedy::new(
    "shell, where `gemini` runs",
    "export GEMINI_TELEMETRY_ENABLED=true GEMINI_TELEMETRY_TARGET=local",
    "export GEMINI_TELEMETRY_LOG_PROMPTS=true  # the logs carry the arguments",
);
const COPILOT_CONTENT: Remedy = Remedy::new(
    "shell; in VS Code: copilot.chat.otel.*",
    "export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
    "# VS Code: \"github.copilot.chat.otel.captureContent\": true",
);
const OPENCODE_AI: Remedy = Remedy::new(
    "opencode.json",
    "{ \"experimental\": { \"openTelemetry\": true } }",
    "// the AI SDK's span beside its own then carries the arguments",
);

pub(super) const REMEDIES: &[Remedies] = &[
    Remedies {
        dialects: &["claude_code", "claude_code_execution"],
        arguments: CLAUDE_LOGS,
        result: CLAUDE_LOGS,
        session: CLAUDE_LOGS,
        failure: Some(CLAUDE_LOGS),
        hidden: CLAUDE_LOGS,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["codex"],
        arguments: CODEX_LOGS,
        result: CODEX_LOGS,
        session: CODEX_LOGS,
        failure: Some(CODEX_LOGS),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["gemini_cli"],
        arguments: GEMINI_LOGS,
        result: GEMINI_LOGS,
        session: GEMINI_LOGS,
        failure: Some(GEMINI_LOGS),
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
        ..Remedies::BASE
    },
];
