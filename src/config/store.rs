//! Where sightings and figures are kept.

use serde::{Deserialize, Serialize};

use super::folder::Folder;
use super::section::section;

/// The store; SQLite is the only one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Store {
    /// SQLite files in one folder.
    #[serde(default, deserialize_with = "section")]
    pub sqlite: Sqlite,
}

/// SQLite files in one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sqlite {
    /// The data folder; made where it does not exist. `--data-dir` and `FIRSTCALL_DATA_DIR`
    /// lie over it.
    pub data_dir: Folder,
}

impl Default for Sqlite {
    fn default() -> Self {
        Self { data_dir: Folder::new("./firstcall-data") }
    }
}
