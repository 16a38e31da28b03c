//! Putting a new site in the old one's place.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::Site;
use super::error::{At as _, PublishError};
use super::staging::Staging;

/// Puts the whole folder in place of the old one, in one step.
pub(super) fn whole(site: &Site, staging: Staging) -> Result<(), PublishError> {
    keep_mode(&site.dir, &staging.dir);
    staging.sync()?;
    if !site.exists {
        fs::rename(&staging.dir, &site.dir).at("rename", &staging.dir)?;
        return sync_folder(&site.parent);
    }
    exchange(&staging.dir, &site.dir)?;
    sync_folder(&site.parent)?;
    staging.remove()
}

/// Swaps two folders in one step, where the system can; in two steps otherwise.
fn exchange(new: &Path, old: &Path) -> Result<(), PublishError> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE) {
            Ok(()) => return Ok(()),
            // A file system that cannot.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            Err(error) => return Err(error.into()).at("put the new site in place of", old),
        }
    }
    let mut aside = new.as_os_str().to_owned();
    aside.push("-old");
    let aside = PathBuf::from(aside);
    fs::rename(old, &aside).at("rename", old)?;
    if let Err(error) = fs::rename(new, old) {
        fs::rename(&aside, old).at("put back", old)?;
        return Err(PublishError::io("rename", new, error));
    }
    fs::rename(&aside, new).at("rename", &aside)
}

/// In a folder that cannot be swapped, puts page after page in place, the entrance last, so that
/// its links lead to pages that are there already: each page is whole at every moment, the site
/// as a whole is not.
pub(super) fn page_by_page(
    site: &Site,
    staging: Staging,
    mut changed: Vec<PathBuf>,
) -> Result<(), PublishError> {
    staging.sync()?;
    let is_entrance = |path: &Path| path == Path::new("index.html");
    changed.sort_by(|a, b| (is_entrance(a), a).cmp(&(is_entrance(b), b)));
    for path in changed {
        let place = site.dir.join(&path);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).at("make", folder)?;
        }
        fs::rename(staging.dir.join(&path), &place).at("write", &place)?;
    }
    sync_folder(&site.dir)?;
    staging.remove()
}

/// The new folder is as open as the old one was; that it may fail is no reason to fail.
fn keep_mode(old: &Path, new: &Path) {
    if let Ok(found) = fs::metadata(old) {
        let _ = fs::set_permissions(new, found.permissions());
    }
}

#[cfg(unix)]
fn sync_folder(dir: &Path) -> Result<(), PublishError> {
    File::open(dir).and_then(|folder| folder.sync_all()).at("sync", dir)
}

#[cfg(not(unix))]
fn sync_folder(_dir: &Path) -> Result<(), PublishError> {
    Ok(())
}
