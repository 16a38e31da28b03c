//! The vocabulary of calls: what a tool call is made of, as METHOD defines it.
//!
//! No I/O, no clock, no async. Every stage of the flow speaks in these types.

pub mod arguments;
pub mod ids;
pub mod instant;
pub mod outcome;
pub mod secret;
pub mod session;
pub mod sighting;

pub use arguments::{ArgsForm, ArgsHash, ArgumentPrint, Arguments, Comparison};
pub use ids::{CallKey, ClientName, Name, SessionKey, SpanId, ToolKey, TraceId};
pub use instant::{CallDuration, Day, UnixNanos};
pub use outcome::{Confidence, Emptiness, Outcome};
pub use secret::InstallationSecret;
pub use session::{SessionClaim, SessionGrade};
pub use sighting::{Repair, Sighting, SpanKind};
