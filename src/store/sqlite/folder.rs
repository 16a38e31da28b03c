//! The data folder: where its files are, how it is made, and the secret in it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::database::At;
use crate::call::{Day, InstallationSecret};
use crate::store::error::{Damage, StoreError};

const DAY_FILE_SUFFIX: &str = ".sqlite";

/// The paths of one data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    dir: PathBuf,
}

impl Folder {
    /// The folder at `dir`, whether it is there or not.
    pub(super) fn at(dir: &Path) -> Self {
        Self { dir: dir.into() }
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn main_file(&self) -> PathBuf {
        self.dir.join("firstcall.sqlite")
    }

    pub(super) fn sightings_dir(&self) -> PathBuf {
        self.dir.join("sightings")
    }

    pub(super) fn day_file(&self, day: Day) -> PathBuf {
        self.sightings_dir().join(format!("{day}{DAY_FILE_SUFFIX}"))
    }

    pub(super) fn secret_file(&self) -> PathBuf {
        self.dir.join("secret")
    }

    pub(super) fn pass_lock(&self) -> PathBuf {
        self.dir.join("pass.lock")
    }

    pub(super) fn writer_lock(&self) -> PathBuf {
        self.dir.join("writer.lock")
    }

    /// Makes the folder and the one for sightings, readable by their owner alone where new.
    pub(super) fn make(&self) -> Result<(), StoreError> {
        for dir in [self.dir.clone(), self.sightings_dir()] {
            if dir.is_dir() {
                continue;
            }
            if fs::exists(&dir).at(&dir)? {
                return Err(StoreError::NotAFolder { path: dir });
            }
            DirBuilder::new().recursive(true).mode(0o700).create(&dir).at(&dir)?;
            if let Some(parent) = dir.parent() {
                sync_dir(parent)?;
            }
        }
        Ok(())
    }

    /// Checks that files can be made here, so that trouble has its own name from the start.
    pub(super) fn check_writable(&self) -> Result<(), StoreError> {
        let probe = self.dir.join(format!(".probe-{}", std::process::id()));
        let made = OpenOptions::new().write(true).create(true).truncate(true).open(&probe);
        drop(made.map_err(|error| StoreError::io(&self.dir, error))?);
        match fs::remove_file(&probe) {
            // Another thread's probe had the same name.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.at(&probe),
        }
    }

    /// The days that have a file of sightings, ascending.
    pub(super) fn days(&self) -> Result<Vec<Day>, StoreError> {
        let dir = self.sightings_dir();
        let entries = match fs::read_dir(&dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.at(&dir)?,
        };
        let mut days = Vec::new();
        for entry in entries {
            let name = entry.at(&dir)?.file_name();
            let day = name.to_str().and_then(|name| name.strip_suffix(DAY_FILE_SUFFIX));
            days.extend(day.and_then(|day| day.parse::<Day>().ok()));
        }
        days.sort_unstable();
        Ok(days)
    }

    /// This installation's secret.
    pub(super) fn secret(&self) -> Result<InstallationSecret, StoreError> {
        let file = self.secret_file();
        let mut bytes = Vec::new();
        let opened = File::open(&file).at(&file)?;
        opened.take(33).read_to_end(&mut bytes).at(&file)?;
        let bytes: [u8; 32] = bytes
            .try_into()
            .map_err(|_bytes| StoreError::Corrupt { file, damage: Damage::Secret })?;
        Ok(InstallationSecret::from_bytes(bytes))
    }

    /// Makes the secret, once: whoever comes second keeps the first one's.
    pub(super) fn make_secret(&self) -> Result<(), StoreError> {
        let file = self.secret_file();
        if fs::exists(&file).at(&file)? {
            return Ok(());
        }
        let (mut bytes, mut name) = ([0; 32], [0; 8]);
        let source = Path::new("/dev/urandom");
        let mut random = File::open(source).at(source)?;
        random.read_exact(&mut bytes).at(source)?;
        random.read_exact(&mut name).at(source)?;
        // Written whole under another name and then linked, so that no reader sees half of it.
        let draft = self.dir.join(format!(".secret-{:x}", u64::from_le_bytes(name)));
        let opened =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft);
        let mut opened = opened.at(&draft)?;
        opened.write_all(&bytes).at(&draft)?;
        opened.sync_all().at(&draft)?;
        let linked = fs::hard_link(&draft, &file);
        fs::remove_file(&draft).at(&draft)?;
        match linked {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(StoreError::io(&file, error))
            }
            _ => sync_dir(&self.dir),
        }
    }
}

/// Makes a folder's new entries outlast a power cut.
pub(super) fn sync_dir(dir: &Path) -> Result<(), StoreError> {
    // The parent of a relative path of one step is the empty path, which cannot be opened.
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    File::open(dir).at(dir)?.sync_all().at(dir)
}
