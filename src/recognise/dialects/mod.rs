//! One small file per family of instrumentations, and the table that asks them in order.
//!
//! Adding a dialect touches its family's file, one corpus pair in `tests/corpus/otlp`, and one
//! line here. Dialects known by their scope or their own marks come before those known by the
//! conventions alone.

mod coding_agents;
mod fastmcp;
mod frameworks;
mod gateways;
mod logfire;
mod mcp_sdks;
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

/// Every dialect, in the order in which they are asked.
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
    &openllmetry::MCP,
    &servers::HYPERDX,
    &servers::MCPCAT,
    &servers::OPENLIT,
    &gateways::DOCKER,
    &gateways::TOOLHIVE,
    &gateways::CONTEXTFORGE,
    // Agents.
    &coding_agents::CLAUDE_CODE_TOOL,
    &coding_agents::CLAUDE_CODE_EXECUTION,
    &coding_agents::CODEX,
    &coding_agents::GEMINI_CLI,
    &coding_agents::COPILOT,
    &vercel_ai::OPENCODE,
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
