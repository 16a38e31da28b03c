//! What a night's page shows of its day, kept when the day itself is dropped.

use super::input::ShownBefore;
use crate::call::{ClientName, ToolKey};
use crate::figures::{Figures, PackedFigures};

/// The tools that a night keeps: those that its page shows.
pub const TOOLS_KEPT: usize = 200;

/// One covered day.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NightFigures {
    /// All calls together, counts alone.
    pub all: PackedFigures,
    /// Calls that arrived after the day was covered.
    pub late: u64,
    /// What it showed before it was run again; none where it was not.
    pub restated: Option<ShownBefore>,
    /// The tools that need attention most, in that order; at most [`TOOLS_KEPT`].
    pub tools: Vec<NightRow<ToolKey>>,
    /// How many tools were called in all.
    pub tools_called: usize,
    /// Every client, what needs attention most first.
    pub clients: Vec<NightRow<ClientName>>,
}

/// A tool or a client on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NightRow<K> {
    /// Which.
    pub key: K,
    /// Its counts.
    counts: PackedFigures,
    /// The latency in nanoseconds that 95 % of its calls stay under, as the bits of a float.
    p95: Option<u64>,
}

impl<K: Ord + Clone> NightRow<K> {
    /// What is kept of a day's figures.
    pub fn of(key: K, figures: &Figures) -> Self {
        Self {
            key,
            counts: PackedFigures::of_counts(figures),
            p95: figures.latency.percentile(95).map(f64::to_bits),
        }
    }

    /// Its counts.
    pub fn counts(&self) -> Figures {
        self.counts.counts()
    }

    /// The latency in nanoseconds that 95 % of its calls stay under; none where none is known.
    pub fn p95(&self) -> Option<f64> {
        self.p95.map(f64::from_bits)
    }
}
