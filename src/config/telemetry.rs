//! What firstcall says of itself.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::endpoint::Endpoint;
use super::exporters::OtlpExporter;
use super::section::section;

/// The program's own telemetry.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    /// Its figures for Prometheus, and its health.
    #[serde(default, deserialize_with = "section")]
    pub metrics: Metrics,
}

/// `/metrics`, `/healthz` and `/readyz`, and the same figures over OTLP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Metrics {
    /// Where they are served, as `host:port`; not served where it is not given.
    pub endpoint: Option<Endpoint>,
    /// Where the same figures are sent; with the keys of `exporters.otlp`.
    #[serde(deserialize_with = "section")]
    pub otlp: OtlpExporter,
    /// How often they are sent, in seconds.
    pub interval_s: NonZeroU32,
}

impl Default for Metrics {
    fn default() -> Self {
        let interval_s = NonZeroU32::MIN.saturating_add(59);
        Self { endpoint: None, otlp: OtlpExporter::default(), interval_s }
    }
}
