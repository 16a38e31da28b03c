//! Stores for tests whose body is one for every kind of store: a data folder, and a database of the
//! ClickHouse engine.
#![allow(clippy::allow_attributes, reason = "in the library's own tests there is nothing to allow")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::cell::Cell;
use std::path::{Path, PathBuf};

use firstcall::config::{self, Config};
use firstcall::store::Store;

use super::clickhouse::ClickHouse;

/// Where the stores of one test are. They go away with it.
#[derive(Debug)]
pub(crate) struct Place {
    home: tempfile::TempDir,
    engine: Option<ClickHouse>,
    stores: Cell<u32>,
}

impl Place {
    /// Stores in data folders.
    pub(crate) fn folder() -> Self {
        Self::of(None)
    }

    /// Stores in databases.
    #[track_caller]
    pub(crate) fn clickhouse() -> Self {
        Self::of(Some(ClickHouse::start()))
    }

    fn of(engine: Option<ClickHouse>) -> Self {
        Self { home: tempfile::tempdir().unwrap(), engine, stores: Cell::new(0) }
    }

    /// A folder for what else the test keeps.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// The engine; none of data folders.
    pub(crate) const fn engine(&self) -> Option<&ClickHouse> {
        self.engine.as_ref()
    }

    /// The engine, to stop it and to start it again.
    pub(crate) const fn engine_mut(&mut self) -> Option<&mut ClickHouse> {
        self.engine.as_mut()
    }

    /// How often a property is tried here: an engine takes far longer for one store than a folder.
    pub(crate) const fn cases(&self, of_folder: u32) -> u32 {
        if self.engine.is_some() { of_folder.div_ceil(12) } else { of_folder }
    }

    /// The configuration file of a store of its own, which is not made yet.
    pub(crate) fn config_file(&self) -> PathBuf {
        let number = self.stores.get();
        self.stores.set(number + 1);
        let folder = self.home().join(format!("data-{number}"));
        let mut text = format!("store:\n  sqlite: {{data_dir: '{}'}}\n", folder.display());
        if let Some(engine) = &self.engine {
            let database = match number {
                0 => engine.database().to_owned(),
                number => format!("{}_{number}", engine.database()),
            };
            text = format!(
                "store:\n  clickhouse:\n    url: {}\n    database: {database}\n    \
                 folder: '{}'\n    create_schema: true\n    ttl_days: 0\n    timeout_s: 20\n",
                engine.url(),
                folder.display()
            );
            if let Some((user, password)) = engine.user() {
                let file = self.home().join("password");
                std::fs::write(&file, password).unwrap();
                text = format!("{text}    user: {user}\n    password_file: '{}'\n", file.display());
            }
        }
        let file = self.home().join(format!("config-{number}.yaml"));
        std::fs::write(&file, text).unwrap();
        file
    }

    /// The configuration of a store of its own, which is not made yet.
    pub(crate) fn config(&self) -> config::Store {
        Config::load(&self.config_file()).unwrap().store
    }

    /// The same store once more, as another process has it.
    #[track_caller]
    pub(crate) fn reader(&self, store: &Store) -> Store {
        let number = store.dir().to_str().unwrap().rsplit('-').next().unwrap().to_owned();
        let file = self.home().join(format!("config-{number}.yaml"));
        Store::open_configured(&Config::load(&file).unwrap().store).unwrap()
    }

    /// A store of its own.
    #[track_caller]
    pub(crate) fn store(&self) -> Store {
        Store::create_configured(&self.config()).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(engine) = self.engine.as_ref().filter(|engine| engine.is_real()) else { return };
        for number in 1..self.stores.get() {
            engine.execute(&format!("DROP DATABASE IF EXISTS `{}_{number}`", engine.database()));
        }
    }
}

/// Makes two tests of each body, one for each kind of store.
macro_rules! on_each_store {
    ($($(#[$meta:meta])* fn $name:ident($place:ident) $body:block)+) => {$(
        mod $name {
            #[allow(clippy::allow_attributes, reason = "bodies need more or less of these")]
            #[allow(unused_imports, reason = "bodies need more or less of these")]
            use super::*;

            $(#[$meta])*
            fn body($place: &Place) $body

            #[test]
            fn in_a_folder() {
                body(&Place::folder());
            }

            #[test]
            fn in_clickhouse() {
                body(&Place::clickhouse());
            }
        }
    )+};
}
pub(crate) use on_each_store;
