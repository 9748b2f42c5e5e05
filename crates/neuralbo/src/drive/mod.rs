//! The loop that drives a study: ask, evaluate, tell.
//!
//! One loop for everybody: command line, workers on other machines, closures, Python and the lab. It never loses a finished
//! value: while the store does not answer, values are kept and told when it is back. One evaluation's trouble is its own: the
//! others finish.

mod cancel;
mod minimize;
mod monitor;
mod objective;
mod reporter;
mod run;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod stopping_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use cancel::{Cancel, CancelReason, Stop, StopLevel};
pub use minimize::{Optimization, Solution, maximize, minimize};
pub use objective::{FrontStanding, Objective, Observer, Standing, Waiting};
pub use reporter::{ReportError, Reporter, ReporterParts};
pub use run::drive;

use std::time::Duration;

use crate::record::{Outcome, StopReason, Trial};
use crate::store::StoreError;
use crate::study::{StudyError, Worker};

/// How a run goes.
#[derive(Clone)]
pub struct DriveOptions {
    /// How many evaluations run at the same time; a single one runs on the calling thread.
    pub workers: usize,
    /// Begin at most this many trials in this run, whatever the study's limits allow.
    pub trials: Option<u64>,
    /// Begin no more trials after this time.
    pub timeout: Option<Duration>,
    /// Who works.
    pub worker: Worker,
    /// Ends the run from outside.
    pub stop: Stop,
}

impl Default for DriveOptions {
    fn default() -> Self {
        Self {
            workers: 1,
            trials: None,
            timeout: None,
            worker: Worker::default(),
            stop: Stop::default(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// Why.
    pub stop: StopReason,
    /// How many trials finished in it.
    pub finished: u64,
    /// How long it took.
    pub elapsed: Duration,
}

/// A finished trial whose result could not be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Untold {
    /// The trial.
    pub trial: Trial,
    /// Its result.
    pub outcome: Outcome,
}

/// Why a run ended before its time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DriveError {
    /// The study cannot go on.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// The very first program could not be started.
    #[error("{0}")]
    CannotStart(String),
    /// The run was ended while the storage did not answer; these results are not stored.
    #[error("{error}; {} finished trials are not stored", untold.len())]
    Untold {
        /// The storage's last word.
        error: StoreError,
        /// What was not stored.
        untold: Vec<Untold>,
    },
}
