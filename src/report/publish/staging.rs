//! The folder in which a new site is built before anyone sees it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, BufWriter, ErrorKind, IntoInnerError};
use std::path::{Path, PathBuf};

use super::error::{At as _, PublishError};
use crate::report::site::Pieces;

/// The staging folder's name where it has to lie within the site.
pub(super) const WITHIN: &str = ".firstcall-new";

/// A folder that is being filled. What a crash left of an earlier one is removed first.
pub(super) struct Staging {
    pub(super) dir: PathBuf,
}

impl Staging {
    /// The path beside `site`.
    fn beside(site: &Path, parent: &Path) -> PathBuf {
        let mut name = OsString::from(".");
        name.push(site.file_name().unwrap_or_default());
        name.push(WITHIN);
        parent.join(name)
    }

    /// Whether there can be one beside `site`.
    pub(super) fn can_be_beside(site: &Path, parent: &Path) -> bool {
        let dir = Self::beside(site, parent);
        match fs::create_dir(&dir) {
            Ok(()) => true,
            Err(error) => error.kind() == ErrorKind::AlreadyExists,
        }
    }

    /// An empty one beside `site`.
    pub(super) fn make_beside(site: &Path, parent: &Path) -> Result<Self, PublishError> {
        Self::make(Self::beside(site, parent))
    }

    /// An empty one within `site`.
    pub(super) fn make_within(site: &Path) -> Result<Self, PublishError> {
        Self::make(site.join(WITHIN))
    }

    fn make(dir: PathBuf) -> Result<Self, PublishError> {
        remove(&dir)?;
        fs::create_dir_all(&dir).at("make", &dir)?;
        Ok(Self { dir })
    }

    /// Writes a page.
    pub(super) fn write(&self, path: &Path, write: Pieces<'_>) -> Result<(), PublishError> {
        let path = self.place(path)?;
        let mut out = BufWriter::new(File::create(&path).at("write", &path)?);
        write(&mut out).at("write", &path)?;
        let file = out.into_inner().map_err(IntoInnerError::into_error).at("write", &path)?;
        // On Linux the whole file system is synced once, when all pages are there.
        if !cfg!(target_os = "linux") {
            file.sync_all().at("sync", &path)?;
        }
        drop(file);
        Ok(())
    }

    /// Takes a file of the old site over as it is, time and all.
    pub(super) fn carry(&self, old: &Path, path: &Path) -> Result<(), PublishError> {
        let new = self.place(path)?;
        let old = old.join(path);
        // Where files cannot be linked, they are copied and their time is set.
        if fs::hard_link(&old, &new).is_ok() {
            return Ok(());
        }
        fs::copy(&old, &new).at("copy", &old)?;
        let time = fs::metadata(&old).and_then(|found| found.modified()).at("read", &old)?;
        let copy = File::options().append(true).open(&new).at("open", &new)?;
        copy.set_modified(time).at("set the time of", &new)
    }

    /// Where a page lies, its folder made.
    fn place(&self, path: &Path) -> Result<PathBuf, PublishError> {
        let path = self.dir.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).at("make", folder)?;
        }
        Ok(path)
    }

    /// Makes sure that everything in it is on the disk.
    pub(super) fn sync(&self) -> Result<(), PublishError> {
        let dir = File::open(&self.dir).at("open", &self.dir)?;
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(&dir).map_err(Into::into).at("sync", &self.dir)?;
        #[cfg(not(target_os = "linux"))]
        dir.sync_all().at("sync", &self.dir)?;
        drop(dir);
        Ok(())
    }

    /// Removes what is left of it, or of the old site once they are swapped.
    pub(super) fn remove(self) -> Result<(), PublishError> {
        remove(&self.dir)
    }
}

fn remove(dir: &Path) -> Result<(), PublishError> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(PublishError::io("remove", dir, error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Whether the old site's page has these very bytes.
pub(super) fn is_unchanged(old: &Path, bytes: &[u8]) -> bool {
    let is_as_long =
        fs::metadata(old).is_ok_and(|found| found.is_file() && found.len() == bytes.len() as u64);
    is_as_long && fs::read(old).is_ok_and(|found| found == bytes)
}

/// Whether two files have the same bytes; neither is held as a whole.
pub(super) fn is_same_file(old: &Path, new: &Path) -> bool {
    let (Ok(old), Ok(new)) = (File::open(old), File::open(new)) else { return false };
    let length = |file: &File| file.metadata().map(|found| (found.is_file(), found.len())).ok();
    if length(&old) != length(&new) {
        return false;
    }
    let (mut old, mut new) = (BufReader::new(old), BufReader::new(new));
    loop {
        let (Ok(a), Ok(b)) = (old.fill_buf(), new.fill_buf()) else { return false };
        let common = a.len().min(b.len());
        if common == 0 {
            return a.len() == b.len();
        }
        if a.get(..common) != b.get(..common) {
            return false;
        }
        old.consume(common);
        new.consume(common);
    }
}
