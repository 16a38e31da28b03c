//! What arrived, was kept and was not: the receiver's side of the data-quality strip.

use std::collections::BTreeMap;

use super::counts::Counts;
use crate::call::outcome::words;
use crate::call::{Name, Repair};

words! {
    /// Why a tool call's span or log record could not be kept. Each is answered with a partial
    /// success.
    Refusal {
        /// A trace or span id of zeros or of the wrong length.
        BadId = "bad_id",
        /// A tool call that names no tool and that nothing else could name.
        NoToolName = "no_tool_name",
        /// A tool name longer than the limit; it is never cut, for it is an identity.
        ToolNameTooLong = "tool_name_too_long",
        /// A start further in the future than clocks are wrong.
        FarFuture = "far_future",
        /// A start longer ago than the configuration keeps.
        TooOld = "too_old",
        /// A call of a day that can no longer be restated: its sightings, or those of a day
        /// beside it, are erased.
        DayClosed = "day_closed",
    }
}

super::counts::word!(Refusal, Repair);

/// Spans and log records of one emitter by what became of them. Everything can be added up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArrivalCounts {
    /// Export requests.
    pub requests: u64,
    /// Spans in them.
    pub spans: u64,
    /// Log records in them.
    pub log_records: u64,
    /// Tool-call spans and log records that were kept, by dialect.
    pub kept: BTreeMap<Name, u64>,
    /// Those that look like a tool call and are none, by the reason's stable word.
    pub not_calls: BTreeMap<Name, u64>,
    /// Those of tool calls that could not be kept.
    pub refused: Counts<Refusal>,
    /// Kept ones that had to be mended.
    pub repaired: Counts<Repair>,
}

impl ArrivalCounts {
    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.spans += other.spans;
        self.log_records += other.log_records;
        for (to, from) in [(&mut self.kept, &other.kept), (&mut self.not_calls, &other.not_calls)] {
            for (name, times) in from {
                *to.entry(name.clone()).or_default() += times;
            }
        }
        self.refused.merge(&other.refused);
        self.repaired.merge(&other.repaired);
    }
}
