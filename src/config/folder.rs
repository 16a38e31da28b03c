//! A folder's path.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use super::section::text;

/// A folder's path, never empty: an empty one would silently mean the current folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Folder(PathBuf);

/// A path that is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a folder, got an empty path")]
pub struct EmptyPathError;

impl Folder {
    /// The folder at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The path.
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl FromStr for Folder {
    type Err = EmptyPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() { Err(EmptyPathError) } else { Ok(Self::new(text)) }
    }
}

impl<'de> Deserialize<'de> for Folder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}
