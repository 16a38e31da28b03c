//! What is kept of arguments (METHOD section 3). The arguments themselves never are.

use serde::{Deserialize, Serialize};

/// Privacy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Privacy {
    /// Whether keyed prints of single parameters are kept: they answer "which parameter did
    /// the model change?" and find sweeps. On by default.
    pub prints: bool,
    /// Whether kept hashes are keyed with this installation's secret, so that they cannot be
    /// guessed by trying, at the price of no longer matching hashes that come with the
    /// telemetry. Off by default.
    pub keyed_hashes: bool,
}

impl Default for Privacy {
    fn default() -> Self {
        Self { prints: true, keyed_hashes: false }
    }
}
