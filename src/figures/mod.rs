//! The vocabulary of figures: what a night produces and a report shows (METHOD section 13).
//!
//! No I/O, no clock, no async. Counts and sums are integers; floats appear only where a
//! figure is read. Everything that a report adds up over days can be merged.

#[cfg(test)]
pub(crate) mod arbitrary;
pub mod arrival;
pub mod change;
pub mod counts;
pub mod day;
pub mod finding;
pub mod format;
pub mod histogram;
pub mod packed;
pub mod range;
pub mod rate;
pub mod recovery;
pub mod recovery_known;
pub mod rule;
pub mod sentence;
pub mod source;
pub mod tool_client;

pub use arrival::{ArrivalCounts, Refusal};
pub use change::{Change, Direction};
pub use counts::{Counts, RetryClass, UnjudgedReason};
pub use day::{DayFigures, PairKey, QualityCounts, SessionCounts};
pub use finding::{Finding, FindingRule, Severity, findings};
pub use histogram::Histogram;
pub use packed::PackedFigures;
pub use range::{RangeFigures, ToolFigures};
pub use rate::{Band, FEW_CALLS, Interval, Rate};
pub use recovery::{Dependency, DependencyCounts, Followed, RecoveryFigures, TimeoutFate};
pub use recovery_known::{KnownRecovery, Missing};
pub use rule::Rule;
pub use sentence::{Piece, Sentence};
pub use source::{RecordKind, SourceCounts, SourceKey, Sources};
pub use tool_client::{Figures, RewordedCount};

/// The id of the window rule (METHOD section 5).
pub const RULE_WINDOW: &str = "window-30s";
/// The id of the window rule with its classes (METHOD section 7).
pub const RULE_EVIDENCE: &str = "window-30s+evidence/1";
