//! A build without the feature `sqlite`: files are refused. It stands in for the module `sqlite`.

use std::path::Path;

use neuralbo::store::StoreError;

use super::driver::{Access, Driver, Stored, Work};

/// Cannot be made.
pub(crate) enum NoSqlite {}

impl NoSqlite {
    pub(crate) fn open(_: &Path, url: &str, _: Access) -> Stored<Self> {
        let reason = "this program was built without SQLite (the feature `sqlite`)".to_owned();
        Err(StoreError::BadUrl {
            url: url.to_owned(),
            reason,
        })
    }

    pub(crate) fn save(path: &Path, url: &str, _: &Path) -> Stored<()> {
        Self::open(path, url, Access::Read).map(|driver| match driver {})
    }
}

impl Driver for NoSqlite {
    fn write(&mut self, _: Work<'_>) -> Stored<()> {
        match *self {}
    }

    fn read(&mut self, _: Work<'_>) -> Stored<()> {
        match *self {}
    }
}

/// Nothing is known about files that cannot be opened.
pub(crate) fn log_is_missing(_: &Path) -> bool {
    false
}
