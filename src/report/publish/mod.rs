//! Publishing: the only writer of report files.
//!
//! Each file is written as it is made. The new site is built in a folder beside the old one,
//! synced, and put in its place in one step: a crash leaves the old site whole or the new one. A
//! page that has not changed keeps its bytes and its time. Nights that the new site no longer holds
//! stay where links point, and so does everything else in the folder that is none of firstcall's
//! pages.

mod error;
mod staging;
mod swap;
mod writer;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use error::At as _;
pub use error::PublishError;
use staging::Staging;
pub use writer::Writer;

use super::model::tool_list::is_later_page;
use super::site::FileSink as _;
use crate::call::Day;

/// Marks a folder as one that firstcall wrote, so that no other folder is ever replaced.
const MARKER: &str = ".firstcall-report";
const MARKER_TEXT: &[u8] =
    b"This folder is written by firstcall; its pages are replaced each time.\n";

/// Whether a file is dropped when the new site no longer holds it: a later page of the list of
/// tools. Every other page may be where a kept night or a link from elsewhere leads: it stays, and
/// says as of which day it speaks.
fn is_dropped(path: &Path) -> bool {
    let name = path.to_str().and_then(|path| path.strip_prefix("tools/"));
    name.is_some_and(is_later_page)
}

/// Puts `files`, by their paths within the site, in the folder `dir`. The folder is made where
/// it does not exist; one that holds anything else than a report is refused.
///
/// # Errors
/// Where a file leads out of the folder, the folder is none of firstcall's, or the file system
/// refuses.
pub fn publish(dir: &Path, files: Vec<(PathBuf, Vec<u8>)>) -> Result<(), PublishError> {
    let written = publish_each(dir, |writer| {
        files.into_iter().try_for_each(|(path, bytes)| writer.file(&path, &bytes))
    });
    written.map(|_| ())
}

/// The same for files that are made one after another by `make`, each written at once; gives
/// their number.
///
/// # Errors
/// As [`publish`]; what was written until then is removed.
pub fn publish_each(
    dir: &Path,
    make: impl FnOnce(&mut Writer<'_>) -> Result<(), PublishError>,
) -> Result<usize, PublishError> {
    let site = Site::find(dir)?;
    let _lock = site.lock();
    site.refuse_foreign()?;
    let mut writer = Writer::start(&site)?;
    let made = make(&mut writer).and_then(|()| {
        let files = writer.count();
        writer.file(Path::new(MARKER), MARKER_TEXT)?;
        Ok(files)
    });
    match made {
        Ok(files) => writer.finish().map(|()| files),
        Err(error) => {
            // The trouble at hand is told; what is left of the new site the next one clears.
            writer.abandon().ok();
            Err(error)
        }
    }
}

/// The nights whose pages are in the folder `dir`; none where there is no report yet.
pub fn nights_kept(dir: &Path) -> BTreeSet<Day> {
    let Ok(entries) = fs::read_dir(dir.join("nights")) else { return BTreeSet::new() };
    let day = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let day: Day = name.strip_suffix(".html")?.parse().ok()?;
        // Only the one spelling that pages have.
        (format!("{day}.html") == name).then_some(day)
    };
    entries.filter_map(|entry| day(entry.ok()?)).collect()
}

/// Where a site is, or is to be.
struct Site {
    dir: PathBuf,
    parent: PathBuf,
    exists: bool,
}

impl Site {
    fn find(dir: &Path) -> Result<Self, PublishError> {
        let (dir, exists) = match fs::canonicalize(dir) {
            Ok(found) if !found.is_dir() => {
                return Err(PublishError::NotAFolder { path: dir.to_owned() });
            }
            Ok(found) => (found, true),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let parent = match dir.parent() {
                    Some(parent) if !parent.as_os_str().is_empty() => parent,
                    _ => Path::new("."),
                };
                fs::create_dir_all(parent).at("make", parent)?;
                let parent = fs::canonicalize(parent).at("find", parent)?;
                let name = dir
                    .file_name()
                    .ok_or_else(|| PublishError::NotAFolder { path: dir.to_owned() })?;
                (parent.join(name), false)
            }
            Err(source) => return Err(PublishError::io("find", dir, source)),
        };
        // The root of a file system has no folder beside it.
        let parent = dir.parent().unwrap_or(&dir).to_owned();
        Ok(Self { dir, parent, exists })
    }

    /// Holds other publishers of the same folder back; where a folder cannot be locked, the
    /// swap alone keeps sites whole.
    fn lock(&self) -> Option<File> {
        let folder = File::open(&self.parent).ok()?;
        folder.lock().ok()?;
        Some(folder)
    }

    fn refuse_foreign(&self) -> Result<(), PublishError> {
        if !self.exists || self.dir.join(MARKER).is_file() {
            return Ok(());
        }
        let mut entries = fs::read_dir(&self.dir).at("read", &self.dir)?;
        let is_foreign = entries.any(|entry| {
            entry.is_ok_and(|entry| {
                entry.file_name() != staging::WITHIN && entry.file_name() != "lost+found"
            })
        });
        if is_foreign {
            return Err(PublishError::Foreign { path: self.dir.clone() });
        }
        Ok(())
    }

    /// Whether a folder beside this one can take its place: not where it is a mount, and not
    /// where the folder above it cannot be written.
    fn can_be_swapped(&self) -> bool {
        if self.dir == self.parent || (self.exists && is_mount(&self.dir, &self.parent)) {
            return false;
        }
        Staging::can_be_beside(&self.dir, &self.parent)
    }

    /// The files of the old site that stay: what the new one does not replace, but for pages
    /// of the list of tools.
    fn carried(&self, written: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>, PublishError> {
        if !self.exists {
            return Ok(Vec::new());
        }
        let mut carried = Vec::new();
        collect(&self.dir, Path::new(""), &mut carried)?;
        carried.retain(|path| !written.contains(path) && !is_dropped(path));
        carried.sort();
        Ok(carried)
    }
}

fn collect(top: &Path, below: &Path, found: &mut Vec<PathBuf>) -> Result<(), PublishError> {
    let dir = top.join(below);
    for entry in fs::read_dir(&dir).at("read", &dir)? {
        let entry = entry.at("read", &dir)?;
        let path = below.join(entry.file_name());
        if path == Path::new(staging::WITHIN) {
            continue;
        }
        // A link to a folder is carried as the link it is.
        if entry.file_type().at("read", &dir)?.is_dir() {
            collect(top, &path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_mount(dir: &Path, parent: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let device = |path: &Path| fs::metadata(path).map(|found| found.dev()).ok();
    device(dir) != device(parent)
}

#[cfg(not(unix))]
const fn is_mount(_dir: &Path, _parent: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests;
