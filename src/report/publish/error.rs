//! What can go wrong while a site is published.

use std::path::{Path, PathBuf};

/// Why a site could not be published. Whatever the cause, the old one stands as it was, unless
/// the folder is one that cannot be swapped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// The folder holds something else than a report.
    #[error("the folder `{}` holds files that firstcall did not write", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// The path leads to something that is no folder.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// A file's path leads out of the site.
    #[error("the page `{}` does not lie within the site", path.display())]
    PathOutside {
        /// The path.
        path: PathBuf,
    },
    /// The file system refused.
    #[error("could not {action} `{}`", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the file system said.
        source: std::io::Error,
    },
}

impl PublishError {
    pub(super) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }

    /// What helps.
    pub fn help(&self) -> Option<&'static str> {
        use std::io::ErrorKind;
        match self {
            Self::Foreign { .. } => {
                Some("name an empty folder, or one that does not exist yet, for the report")
            }
            Self::NotAFolder { .. } => Some("name a folder for the report"),
            Self::PathOutside { .. } => None,
            Self::Io { source, .. } => match source.kind() {
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                    Some("the report's folder and the one above it have to be writable")
                }
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    Some("make room on the disk; the old report stands as it was")
                }
                _ => None,
            },
        }
    }
}

/// Names the deed and the place beside what the file system says.
pub(super) trait At<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, PublishError>;
}

impl<T> At<T> for std::io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, PublishError> {
        self.map_err(|source| PublishError::io(action, path, source))
    }
}
