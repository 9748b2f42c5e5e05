//! The options that name a storage, and how a worker works.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use neuralbo_store::{Store, StoreError, StudyRecord, open};

use crate::duration;
use crate::exit::CommandError;

/// The storage used when none is named.
pub const DEFAULT_STORAGE: &str = "neuralbo.db";
/// The variable that names the storage.
pub const STORAGE_VARIABLE: &str = "NEURALBO_STORAGE";

/// The lease of workers that are told no other.
const DEFAULT_LEASE: Duration = Duration::from_secs(60);

/// Where studies live.
#[derive(Debug, Args)]
pub struct StorageArgs {
    /// Where studies live: sqlite://PATH, postgres://…, memory:// or the path of an SQLite file
    #[arg(long, value_name = "URL", env = STORAGE_VARIABLE, default_value = DEFAULT_STORAGE, hide_env_values = true, help_heading = "Storage")]
    pub storage: String,
}

impl StorageArgs {
    /// Opens the storage.
    pub fn open(&self) -> Result<Arc<dyn Store>, CommandError> {
        open(&self.storage).map_err(storage_error)
    }

    /// Opens the storage and finds a study in it.
    pub fn study(&self, name: &str) -> Result<(Arc<dyn Store>, StudyRecord), CommandError> {
        let store = self.open()?;
        let record = store.study(name).map_err(storage_error)?;
        Ok((store, record))
    }
}

/// Wrong names and URLs are wrong input; the rest went wrong.
pub fn storage_error(error: StoreError) -> CommandError {
    match error {
        StoreError::BadUrl { .. }
        | StoreError::BadName { .. }
        | StoreError::UnknownStudy { .. }
        | StoreError::UnknownTrial { .. }
        | StoreError::NameTaken { .. } => CommandError::Usage(error.to_string()),
        _ => CommandError::Failure(error.to_string()),
    }
}

/// How a worker of a stored study works.
#[derive(Debug, Args)]
pub struct WorkArgs {
    /// How long a trial stays with a worker that gives no sign of life [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, help_heading = "Storage")]
    pub lease: Option<Duration>,
    /// Stop programs whose intermediate values are worse than the median of the complete trials
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Programs")]
    pub prune: Option<PruneRule>,
}

impl WorkArgs {
    /// How long a trial stays with a worker that gives no sign of life.
    pub fn lease(&self) -> Duration {
        self.lease.unwrap_or(DEFAULT_LEASE)
    }
}

/// Rules that stop programs early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PruneRule {
    /// Worse than the median of the complete trials at the same step.
    Median,
}

/// A name for this process: its host and its number.
pub fn worker_name() -> String {
    let uname = rustix::system::uname();
    format!("{}:{}", uname.nodename().to_string_lossy(), std::process::id())
}
