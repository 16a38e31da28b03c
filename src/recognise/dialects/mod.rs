//! One small file per family of instrumentations, and the table that asks them in order.
//!
//! Adding a dialect touches its family's file, one corpus pair in `tests/corpus/otlp`, and one
//! line here. Dialects known by their scope or their own marks come before those known by the
//! conventions alone.

mod claude_code;
mod cline;
mod codex;
pub(super) mod copilot;
mod fastmcp;
mod frameworks;
mod gateways;
mod gemini_cli;
mod logfire;
mod mcp_sdks;
mod opencode;
mod openinference;
mod openllmetry;
mod plain;
mod pydantic_ai;
mod semconv;
mod sentry;
mod servers;
mod tracing_products;
mod vercel_ai;

use super::dialect::Dialect;
use super::seen::Seen;

/// Every dialect of spans, in the order in which they are asked.
pub(super) static DIALECTS: &[&Dialect] = &[
    // MCP, by whoever made the span.
    &mcp_sdks::CSHARP,
    &mcp_sdks::PYTHON_SERVER,
    &mcp_sdks::PYTHON_CLIENT,
    &mcp_sdks::ADOT,
    &fastmcp::FASTMCP,
    &sentry::SENTRY,
    &logfire::MCP_CLIENT,
    &logfire::MCP_SERVER,
    &logfire::FUNCTION,
    &openllmetry::MCP,
    &servers::HYPERDX,
    &servers::MCPCAT,
    &servers::OPENLIT,
    &gateways::DOCKER,
    &gateways::TOOLHIVE,
    &gateways::CONTEXTFORGE,
    // Agents.
    &claude_code::TOOL,
    &claude_code::EXECUTION,
    &copilot::COPILOT,
    &opencode::SPAN,
    &vercel_ai::LEGACY,
    &vercel_ai::VERCEL_AI,
    &frameworks::GOOGLE_ADK,
    &frameworks::STRANDS,
    &frameworks::AUTOGEN,
    &frameworks::SEMANTIC_KERNEL,
    &frameworks::MASTRA,
    &frameworks::SPRING_AI,
    &frameworks::GOOGLE_GENAI,
    &openinference::OPENINFERENCE,
    &openllmetry::OPENLLMETRY,
    &tracing_products::LANGFUSE,
    &tracing_products::LANGSMITH,
    &tracing_products::MLFLOW,
    // The conventions of MCP.
    &semconv::MCP_DRAFT,
    &semconv::MCP_CLIENT,
    &semconv::MCP_SERVER,
    &semconv::MCP_UNTOLD,
    // The plain vocabulary.
    &plain::PLAIN,
    // The conventions of GenAI, and what resembles them.
    &pydantic_ai::PYDANTIC_AI,
    &semconv::GENAI,
];

/// Every dialect of log records, in the order in which they are asked.
pub(super) static LOG_DIALECTS: &[&Dialect] = &[
    &claude_code::LOG,
    &codex::LOG,
    &gemini_cli::LOG,
    &gemini_cli::QWEN_LOG,
    &opencode::PLUGIN_LOG,
    &cline::LOG,
];

/// Spans of calls that the same agent's log records tell of, and tell better.
pub(super) static TOLD_BY_LOG: &[fn(&Seen<'_>) -> bool] =
    &[codex::is_span, gemini_cli::is_span, opencode::is_plugin_span];

/// Log records of calls that the same agent's spans tell of, and tell better.
pub(super) static TOLD_BY_SPAN: &[fn(&Seen<'_>) -> bool] = &[copilot::is_log];
