//! The loop that drives a study: ask, evaluate, tell.
//!
//! One loop for the command line, workers on other machines, closures, Python and the lab. It never
//! loses a finished value: while the store is away, values are kept, and told when it is back. A failed
//! evaluation does not affect the others.

mod minimize;
mod monitor;
mod objective;
mod reporter;
mod run;

pub use minimize::{Optimization, Solution, maximize, minimize};
pub use objective::{
    Cancel, CancelReason, FrontStanding, Objective, Observer, RunStanding, Stop, StopLevel, Waiting,
};
pub use reporter::{ReportError, Reporter, ReporterParts};

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, Scope};
use std::time::Duration;

use crate::record::{Outcome, StopReason, Trial};
use crate::store::StoreError;
use crate::study::{Study, StudyError, Worker};
use monitor::{Cleanup, Monitor};
use objective::evaluate;
use run::{RunLoop, RunningTrial, Signal};

/// Options of a run.
#[derive(Clone)]
pub struct DriveOptions {
    /// The number of parallel evaluations; a single one runs on the calling thread.
    pub workers: usize,
    /// The largest number of trials begun in this run, in addition to the study's limits.
    pub trials: Option<u64>,
    /// Begin no more trials after this time.
    pub timeout: Option<Duration>,
    /// The name and lease of the worker.
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
pub struct DriveSummary {
    /// The reason.
    pub stop: StopReason,
    /// The number of trials finished in it.
    pub finished: u64,
    /// Its duration.
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

/// The reason for a failed run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DriveError {
    /// The study cannot continue.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// The very first program could not be started, or the machine could not start several in a row. Their trials wait.
    #[error("{0}")]
    CannotStart(String),
    /// The run was ended while the storage did not answer; these results are not stored.
    #[error("{error}; {} finished trials are not stored", untold.len())]
    Untold {
        /// The storage's last error.
        error: StoreError,
        /// The results that are not stored.
        untold: Vec<Untold>,
    },
}

/// Asks, evaluates and tells until a limit of the study or of the options is reached, then waits for
/// the running trials.
///
/// ```
/// use neuralbo::drive::{DriveOptions, drive};
/// use neuralbo::record::{Definition, Direction, StopReason};
/// use neuralbo::space::{Params, Space};
/// use neuralbo::study::Study;
///
/// let mut study = Study::new(Definition::new(Space::from_bounds(&[(-5.0, 5.0)])?, Direction::Minimize))?;
/// let objective = |params: &Params| params.float("x0").map(|x| x * x).ok_or("no x0");
/// let options = DriveOptions { trials: Some(8), workers: 2, ..DriveOptions::default() };
/// let summary = drive(&mut study, &objective, &options, &mut [])?;
/// assert_eq!((summary.stop, summary.finished), (StopReason::Trials(8), 8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn drive(
    study: &mut Study,
    objective: &dyn Objective,
    options: &DriveOptions,
    observers: &mut [&mut dyn Observer],
) -> Result<DriveSummary, DriveError> {
    let monitor = Monitor::new(Arc::clone(study.store()), options.worker.lease);
    let (sender, signals) = channel();
    let (wake, held, asking) = (sender.clone(), Arc::clone(&monitor), study.cancel_flag());
    options.stop.on_raise(move |level| {
        if level >= StopLevel::Finish {
            asking.raise();
        }
        if level == StopLevel::Kill {
            held.cancel_all();
        }
        // Sending fails only after the run has ended.
        let _ = wake.send(Signal::Stopped);
    });
    thread::scope(|scope| {
        scope.spawn(|| monitor.run());
        let _cleanup = Cleanup {
            monitor: &monitor,
            options,
            asking: study.cancel_flag(),
        };
        let mut run = RunLoop::new(study, options, observers, &monitor);
        run.work(&signals, |held| {
            start(scope, objective, options, &sender, held)
        })
    })
}

/// Evaluates on the calling thread if the run has one worker, on a new thread otherwise.
fn start<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    objective: &'env dyn Objective,
    options: &DriveOptions,
    sender: &Sender<Signal>,
    held: &RunningTrial,
) where
    'env: 'scope,
{
    let (trial, reporter) = (held.trial.clone(), held.reporter.clone());
    let (cancel, sender) = (held.cancel.clone(), sender.clone());
    let work = move || {
        let outcome = evaluate(objective, &trial, &reporter, &cancel);
        // The receiver lives as long as the loop, which waits for all evaluations.
        let _ = sender.send(Signal::Evaluated(trial.number, outcome));
    };
    if options.workers > 1 {
        scope.spawn(work);
    } else {
        work();
    }
}
