//! Sessions, and how real they are (METHOD section 2).

use super::ids::SessionKey;
use super::outcome::words;

words! {
    /// How well the conversation that a call belongs to is known.
    SessionGrade {
        /// An explicit conversation attribute.
        A = "a",
        /// The transport's session.
        B = "b",
        /// The trace.
        C = "c",
        /// Inferred from service, client and pauses; only on request.
        D = "d",
        /// None: such calls are counted and never judged.
        E = "e",
    }
}

/// A session that a sighting itself names: grade A or B. Grades C to E are decided at night,
/// when the whole trace is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionClaim {
    /// Grade A: a conversation.
    Conversation(SessionKey),
    /// Grade B: the transport's session.
    Transport(SessionKey),
}
