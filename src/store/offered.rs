//! Tools that servers say they offer, as `firstcall tools import` read them.

use crate::call::{Name, OperationKind};

/// A tool that a server says it offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedTool {
    /// The server; none where that was not told.
    pub service: Option<Name>,
    /// The tool.
    pub tool: Name,
    /// What calling it does, by its annotations; none where they do not tell.
    pub kind: Option<OperationKind>,
    /// The size of its input schema, as a model is given it.
    pub schema_bytes: Option<u64>,
}
