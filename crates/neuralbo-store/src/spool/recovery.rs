//! Telling what waits in a spool.

use std::io;

use neuralbo::store::{Store, StoreError};

use super::Spool;
use crate::url::identity;

/// What became of the results in a spool.
#[derive(Debug, Default)]
pub struct Recovered {
    /// How many are stored now.
    pub told: u64,
    /// Those whose trials others have told, in words; their files are put aside.
    pub late: Vec<String>,
    /// Messages about results that cannot be stored or read; their files stay.
    pub left: Vec<String>,
    /// How many belong to other storages.
    pub elsewhere: u64,
}

/// Why the results of a spool cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryError {
    /// The folder cannot be read.
    #[error("`{folder}`: {error}")]
    Folder {
        /// Which one.
        folder: String,
        /// The system's error.
        error: io::Error,
    },
    /// The storage has no usable address.
    #[error(transparent)]
    Storage(#[from] StoreError),
}

impl Spool {
    /// Tells all results of a storage that are here.
    pub fn recover(&self, store: &dyn Store, url: &str) -> Result<Recovered, RecoveryError> {
        let storage = identity(url)?;
        let results = self.read().map_err(|error| RecoveryError::Folder {
            folder: self.folder().display().to_string(),
            error,
        })?;
        let mut recovered = Recovered::default();
        for (file, result) in results {
            let name = file.display();
            let result = match result {
                Ok(result) if result.storage == storage => result,
                Ok(_) => {
                    recovered.elsewhere += 1;
                    continue;
                }
                Err(error) => {
                    let text = format!("`{name}` cannot be read: {error}");
                    recovered.left.push(text);
                    continue;
                }
            };
            let what = format!("trial {} of study `{}`", result.lease.number, result.study);
            match result.tell(store) {
                Ok(_) => {
                    recovered.told += 1;
                    self.remove(&file);
                }
                Err(error) if error.is_too_late() => {
                    let aside = self.put_aside(&file).unwrap_or_else(|_| file.clone());
                    let text = format!("{what}: {error}; its result is in `{}`", aside.display());
                    recovered.late.push(text);
                }
                Err(error) => {
                    let text = format!("{what}: {error}; its result is in `{name}`");
                    recovered.left.push(text);
                }
            }
        }
        Ok(recovered)
    }
}
