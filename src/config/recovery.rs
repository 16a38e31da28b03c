//! What is kept of what lies below a call (METHOD section 11).

use serde::{Deserialize, Serialize};

/// Recovery of uncertain calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recovery {
    /// Whether client spans of programs that serve tool calls are kept as downstream attempts: of
    /// each its ids, times, dependency and how it ended. On by default.
    pub downstream_attempts: bool,
}

impl Default for Recovery {
    fn default() -> Self {
        Self { downstream_attempts: true }
    }
}
