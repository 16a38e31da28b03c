//! Where parts of a day wait on disk, and when they leave memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

/// Where parts wait, and when they leave memory.
#[derive(Debug, Clone)]
pub(super) struct Scratch {
    dir: PathBuf,
    /// How many bytes stay in memory.
    in_memory: usize,
    /// Into how many parts the others go.
    parts: usize,
    /// On how many threads parts are worked on.
    threads: usize,
    /// Of parts of more bytes than that, one is in memory at a time.
    large: usize,
    /// A part of more bytes than that is divided again.
    largest: usize,
    /// How many files were made.
    files: Arc<AtomicU64>,
}

/// Of parts of more bytes than that, one is in memory at a time; what it is made into there takes
/// some four times as much.
const LARGE: usize = 8 << 20;
/// A part of more bytes than that is divided again, into pieces that are not large.
const LARGEST: usize = 64 << 20;

impl Scratch {
    /// Waiting in the folder `dir`, which need not exist. What an earlier pass left there is
    /// removed.
    pub(super) fn at(
        dir: PathBuf,
        in_memory: usize,
        parts: usize,
        threads: usize,
    ) -> io::Result<Self> {
        remove(&dir)?;
        let (parts, threads) = (parts.max(1), threads.max(1));
        Ok(Self {
            dir,
            in_memory,
            parts,
            threads,
            large: LARGE,
            largest: LARGEST,
            files: Arc::default(),
        })
    }

    /// Into how many parts what leaves memory goes.
    pub(super) const fn parts(&self) -> usize {
        self.parts
    }

    /// The same place with `parts` parts, all of which wait on disk.
    pub(super) fn of_parts(&self, parts: usize) -> Self {
        Self { in_memory: 0, parts: parts.max(1), ..self.clone() }
    }

    /// The same place where parts of more than `largest` bytes are divided again.
    #[cfg(test)]
    pub(super) fn dividing_above(&self, largest: usize) -> Self {
        Self { large: largest, largest, ..self.clone() }
    }

    /// A part of more bytes than that is divided again.
    pub(super) const fn largest(&self) -> usize {
        self.largest
    }

    /// Of parts of more bytes than that, one is in memory at a time.
    pub(super) const fn large(&self) -> usize {
        self.large
    }

    /// On how many threads parts are worked on.
    pub(super) const fn threads(&self) -> usize {
        self.threads
    }

    /// How many bytes stay in memory.
    pub(super) const fn in_memory(&self) -> usize {
        self.in_memory
    }

    /// The folder.
    #[cfg(test)]
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The path of a file that no other parts have. The folder is there.
    pub(super) fn new_file(&self, name: &str) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.dir)?;
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        Ok(self.dir.join(format!("{name}-{number}")))
    }

    /// Removes the folder.
    pub(super) fn clear(&self) -> io::Result<()> {
        remove(&self.dir)
    }
}

fn remove(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
