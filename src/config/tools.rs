//! What is declared of single tools, by their names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::section::section;

/// Declarations by tool name, byte for byte as telemetry sends it.
pub type Tools = BTreeMap<String, ToolDeclaration>;

/// What is declared of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolDeclaration {
    /// Its paging parameters; the known names hold where nothing is declared.
    #[serde(default, deserialize_with = "section", skip_serializing_if = "Option::is_none")]
    pub paging: Option<Paging>,
}

/// A tool's paging parameters, by their top-level names (METHOD section 7, `paging`). They
/// replace the known names for this tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Paging {
    /// Parameters that say where in the answer to go on, such as a cursor.
    pub position: Vec<String>,
    /// Parameters that say how much to answer at once.
    pub size: Vec<String>,
    /// Parameters that say nothing about what is asked for.
    pub ignore: Vec<String>,
}
