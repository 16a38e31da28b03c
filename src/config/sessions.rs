//! How conversations are found (METHOD section 2).

use serde::{Deserialize, Serialize};

/// Sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sessions {
    /// Span attributes of your own that name a conversation, tried before the known ones
    /// (grade A).
    pub conversation_attributes: Vec<String>,
    /// Whether sessions are inferred where nothing names them: calls of one client to one service,
    /// up to a pause of 30 minutes (grade D).
    pub infer: bool,
}
