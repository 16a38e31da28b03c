//! What firstcall says of itself.

use serde::{Deserialize, Serialize};

use super::endpoint::Endpoint;
use super::section::section;

/// The program's own telemetry.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    /// Its figures for Prometheus, and its health.
    #[serde(default, deserialize_with = "section")]
    pub metrics: Metrics,
}

/// `/metrics`, `/healthz` and `/readyz`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Metrics {
    /// Where they are served, as `host:port`; not served where it is not given.
    pub endpoint: Option<Endpoint>,
}
