//! The vocabulary of calls: what a tool call is made of, as METHOD defines it.
//!
//! No I/O, no clock, no async. Every stage of the flow speaks in these types.

#[cfg(test)]
pub(crate) mod arbitrary;
pub mod arguments;
pub mod attempt;
pub mod hidden;
pub mod ids;
pub mod instant;
pub mod outcome;
pub mod recovery;
pub mod secret;
pub mod session;
pub mod sighting;
pub mod tool_rules;

pub use arguments::{ArgsForm, ArgsHash, ArgumentPrint, Arguments, Comparison};
pub use attempt::{Attempt, AttemptEnd, AttemptKind};
pub use ids::{CallKey, ClientName, Name, SessionKey, SpanId, ToolKey, TraceId};
pub use instant::{CallDuration, Day, UnixNanos};
pub use outcome::{Confidence, Emptiness, Outcome};
pub use recovery::{
    BusinessOutcome, KeyPrint, KeyStatus, OperationKind, Recovery, Stage, TimeBudget,
};
pub use secret::InstallationSecret;
pub use session::{SessionClaim, SessionGrade};
pub use sighting::{Repair, Sighting, SpanKind};
pub use tool_rules::ToolRules;
