//! Everything that one pass over one day produces.

use std::collections::BTreeMap;

use super::counts::Counts;
use super::tool_client::Figures;
use crate::call::{ClientName, Day, SessionGrade, ToolKey};

/// The figures of one covered day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayFigures {
    /// The day.
    pub day: Day,
    /// Figures per tool and client.
    pub tools: BTreeMap<(ToolKey, ClientName), Figures>,
    /// Calls of tools that are not there, per client.
    pub unknown_tool_calls: BTreeMap<ClientName, u64>,
    /// How often the second tool followed the first, per pair.
    pub pairs: BTreeMap<PairKey, u64>,
    /// Sessions per client.
    pub sessions: BTreeMap<ClientName, SessionCounts>,
    /// What went into the figures.
    pub quality: QualityCounts,
}

/// A pair: a tool, and a different tool that was the session's next call within 30 s
/// (METHOD section 9).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairKey {
    /// The tool called first.
    pub first: ToolKey,
    /// The tool called next.
    pub next: ToolKey,
}

/// Sessions of one client on one day, and the signs of sessions that are not real
/// (METHOD section 2).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionCounts {
    /// Sessions by grade; grade E has none.
    pub sessions: Counts<SessionGrade>,
    /// Sessions that hold exactly one call.
    pub single_call: u64,
    /// Session keys that held two or more clients, or calls over more than 24 hours.
    pub shared: u64,
}

impl SessionCounts {
    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.sessions.merge(&other.sessions);
        self.single_call += other.single_call;
        self.shared += other.shared;
    }

    /// Whether every request seems to open a new session: at least 95 % of 50 or more
    /// sessions hold exactly one call.
    pub fn is_fragmented(&self) -> bool {
        let total = self.sessions.total();
        total >= 50 && u128::from(self.single_call) * 100 >= u128::from(total) * 95
    }
}

/// What a day's figures were made of (METHOD sections 8 and 10).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QualityCounts {
    /// Sightings that belong to the day's calls, doubles among them.
    pub sightings: u64,
    /// Sightings that were seen twice and counted once.
    pub duplicates: u64,
    /// Sightings that were folded into another sighting's call.
    pub folded: u64,
    /// Calls that arrived after their day was first covered.
    pub late: u64,
    /// Calls whose sightings carry a sampling mark.
    pub sampled: u64,
    /// Calls whose tool no sighting names; they are counted here and in no tool.
    pub unnamed: u64,
}

impl QualityCounts {
    /// Adds another's counts.
    pub const fn merge(&mut self, other: &Self) {
        self.sightings += other.sightings;
        self.duplicates += other.duplicates;
        self.folded += other.folded;
        self.late += other.late;
        self.sampled += other.sampled;
        self.unnamed += other.unnamed;
    }
}
