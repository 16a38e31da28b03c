//! Writing a new site file by file, and putting it in the old one's place at the end.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::Site;
use super::error::PublishError;
use super::staging::{Staging, is_same_file, is_unchanged};
use super::swap;
use crate::report::site::{FileSink, Pieces};

/// Writes the files of one new site.
pub struct Writer<'s> {
    site: &'s Site,
    staging: Staging,
    /// Whether the folder takes the old one's place, or its files take the place of the old ones.
    is_beside: bool,
    written: BTreeSet<PathBuf>,
    changed: Vec<PathBuf>,
}

impl<'s> Writer<'s> {
    pub(super) fn start(site: &'s Site) -> Result<Self, PublishError> {
        let is_beside = site.can_be_swapped();
        Self::start_where(site, is_beside)
    }

    pub(super) fn start_where(site: &'s Site, is_beside: bool) -> Result<Self, PublishError> {
        let staging = if is_beside {
            Staging::make_beside(&site.dir, &site.parent)?
        } else {
            Staging::make_within(&site.dir)?
        };
        Ok(Self { site, staging, is_beside, written: BTreeSet::new(), changed: Vec::new() })
    }

    /// How many files there are so far.
    pub(super) fn count(&self) -> usize {
        self.written.len()
    }

    /// Puts the new site in the old one's place.
    pub(super) fn finish(self) -> Result<(), PublishError> {
        if self.is_beside {
            let carried = self.site.carried(&self.written)?;
            for path in &carried {
                self.staging.carry(&self.site.dir, path)?;
            }
            swap::whole(self.site, self.staging)
        } else {
            swap::page_by_page(self.site, self.staging, self.changed)
        }
    }

    /// Leaves the old site as it is.
    pub(super) fn abandon(self) -> Result<(), PublishError> {
        self.staging.remove()
    }

    fn begin(&mut self, path: &Path) -> Result<(), PublishError> {
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_plain || path.as_os_str().is_empty() {
            return Err(PublishError::PathOutside { path: path.to_owned() });
        }
        self.written.insert(path.to_owned());
        Ok(())
    }

    /// The page is what it was.
    fn keep(&self, path: &Path) -> Result<(), PublishError> {
        if self.is_beside { self.staging.carry(&self.site.dir, path) } else { Ok(()) }
    }
}

impl FileSink for Writer<'_> {
    type Error = PublishError;

    fn file(&mut self, path: &Path, bytes: &[u8]) -> Result<(), PublishError> {
        self.begin(path)?;
        if is_unchanged(&self.site.dir.join(path), bytes) {
            return self.keep(path);
        }
        self.changed.push(path.to_owned());
        self.staging.write(path, &|out| out.write_all(bytes))
    }

    fn long_file(&mut self, path: &Path, write: Pieces<'_>) -> Result<(), PublishError> {
        self.begin(path)?;
        self.staging.write(path, write)?;
        let (new, old) = (self.staging.dir.join(path), self.site.dir.join(path));
        if is_same_file(&old, &new) && fs::remove_file(&new).is_ok() {
            return self.keep(path);
        }
        self.changed.push(path.to_owned());
        Ok(())
    }
}
