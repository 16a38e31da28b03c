//! One small file per family of instrumentations, and the table that asks them in order.
//!
//! Adding a dialect touches its family's file, one corpus pair in `tests/corpus/otlp`, and one
//! line here. Dialects known by their scope come before those known by conventions alone.

mod plain;
mod semconv;

use super::dialect::Dialect;

/// Every dialect, in the order in which they are asked.
pub(super) static DIALECTS: &[&Dialect] = &[
    // The conventions of MCP.
    &semconv::MCP_DRAFT,
    &semconv::MCP_CLIENT,
    &semconv::MCP_SERVER,
    &semconv::MCP_UNTOLD,
    // The plain vocabulary, and the conventions of GenAI.
    &plain::PLAIN,
    &semconv::GENAI,
];
