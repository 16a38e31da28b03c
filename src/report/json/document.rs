//! The document's form; its names are those of METHOD section 13, in its order.

use std::collections::BTreeMap;

use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};

use super::recovery::RecoveryOut;
use crate::call::{ClientName, ToolKey};
use crate::figures::PackedFigures;
use crate::report::model::Facts;

pub(super) type Words = BTreeMap<&'static str, u64>;

#[derive(Serialize)]
pub(super) struct Document<'f> {
    pub(super) schema_version: u32,
    pub(super) as_of: Option<String>,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) covered_days: Vec<String>,
    pub(super) rules: [&'static str; 2],
    pub(super) overall: Entry<'f>,
    pub(super) tools: Tools<'f>,
    pub(super) clients: Vec<Entry<'f>>,
    pub(super) pairs: Vec<Pair<'f>>,
    pub(super) findings: Vec<FindingOut<'f>>,
    pub(super) quality: Quality<'f>,
}

/// The tools with their clients, each made as it is written: thousands of tools by hundreds of
/// clients would else be held at once.
pub(super) struct Tools<'f>(pub(super) &'f Facts<'f>);

impl Serialize for Tools<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let found = &self.0.now.tools;
        serializer.collect_seq(found.iter().map(|(key, tool)| super::tool(self.0, key, tool)))
    }
}

/// A tool's clients, each unpacked as it is written.
pub(super) struct Cells<'f>(pub(super) &'f BTreeMap<ClientName, PackedFigures>);

impl Serialize for Cells<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut cells = serializer.serialize_seq(Some(self.0.len()))?;
        for (client, packed) in self.0 {
            let figures = packed.figures();
            let entry = Entry { client: Some(client.as_str()), ..super::entry(&figures) };
            cells.serialize_element(&entry)?;
        }
        cells.end()
    }
}

/// The figures of everything, of a tool, of a client, or of a client within a tool. The names
/// that tell which are left out where they do not apply; everything else is always there.
#[derive(Serialize)]
pub(super) struct Entry<'f> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) service: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<&'f str>,
    pub(super) calls: u64,
    pub(super) judged: u64,
    pub(super) unjudged: Words,
    pub(super) outcomes: Words,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unknown_tool_calls: Option<u64>,
    pub(super) empty: u64,
    pub(super) emptiness_known: u64,
    pub(super) retried: u64,
    pub(super) retry_classes: Words,
    pub(super) confirmed_retries: u64,
    pub(super) look_alikes: u64,
    pub(super) repeats: u64,
    pub(super) first_call_successes: u64,
    pub(super) first_call_success: Option<RateOut>,
    pub(super) confirmed_first_call_successes: u64,
    pub(super) confirmed_first_call_success: Option<RateOut>,
    pub(super) few_calls: bool,
    pub(super) retry_chains: u64,
    pub(super) extra_attempts_mean: Option<f64>,
    pub(super) abandoned_chains: u64,
    pub(super) latency_ms: Option<LatencyOut>,
    pub(super) result_bytes: Option<SizeOut>,
    pub(super) reworded_parameters: Vec<ParameterOut<'f>>,
    pub(super) recovery: RecoveryOut<'f>,
    pub(super) restated: Option<RestatedOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) clients: Option<Cells<'f>>,
}

/// Headline figures as they were shown before days were run again.
#[derive(Serialize)]
pub(super) struct RestatedOut {
    pub(super) judged: u64,
    pub(super) retried: u64,
    pub(super) first_call_successes: u64,
    pub(super) first_call_success: Option<RateOut>,
    pub(super) confirmed_first_call_successes: u64,
    pub(super) confirmed_first_call_success: Option<RateOut>,
}

#[derive(Serialize)]
pub(super) struct RateOut {
    pub(super) rate: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

#[derive(Serialize)]
pub(super) struct LatencyOut {
    pub(super) p50: f64,
    pub(super) p95: f64,
    pub(super) p99: f64,
}

#[derive(Serialize)]
pub(super) struct SizeOut {
    pub(super) mean: f64,
    pub(super) p95: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct ParameterOut<'f> {
    pub(super) name: &'f str,
    pub(super) share: f64,
}

#[derive(Serialize)]
pub(super) struct ToolName<'f> {
    service: &'f str,
    tool: &'f str,
}

impl<'f> ToolName<'f> {
    pub(super) fn of(key: &'f ToolKey) -> Self {
        Self { service: key.service.as_str(), tool: key.tool.as_str() }
    }
}

#[derive(Serialize)]
pub(super) struct Pair<'f> {
    pub(super) first: ToolName<'f>,
    pub(super) next: ToolName<'f>,
    pub(super) times: u64,
    pub(super) share: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct FindingOut<'f> {
    pub(super) severity: &'static str,
    pub(super) rule: &'static str,
    pub(super) service: &'f str,
    pub(super) tool: &'f str,
    pub(super) client: Option<&'f str>,
    pub(super) count: u64,
    pub(super) sentence: String,
    pub(super) advice: String,
}

#[derive(Serialize)]
pub(super) struct Quality<'f> {
    pub(super) grades: Words,
    pub(super) sessions: Vec<SessionsOut<'f>>,
    pub(super) ok_low_confidence: u64,
    pub(super) sampled: u64,
    pub(super) unclassified_retries: u64,
    pub(super) sightings: u64,
    pub(super) duplicates: u64,
    pub(super) folded: u64,
    pub(super) unnamed: u64,
    pub(super) late: u64,
    pub(super) restated_days: Vec<String>,
    pub(super) requests: u64,
    pub(super) spans: u64,
    pub(super) kept: BTreeMap<String, u64>,
    pub(super) not_calls: BTreeMap<String, u64>,
    pub(super) refused: Words,
    pub(super) repaired: Words,
}

#[derive(Serialize)]
pub(super) struct SessionsOut<'f> {
    pub(super) client: &'f str,
    pub(super) sessions: Words,
    pub(super) single_call: u64,
    pub(super) shared: u64,
    pub(super) fragmented: bool,
}
