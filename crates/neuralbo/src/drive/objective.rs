//! Objectives, observers, and requests to end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Reporter;
use crate::record::{Ending, Failure, FailureKind, Outcome, Report, StopReason, Trial};
use crate::space::Params;
use crate::store::{Counts, StoreError, Told};
use crate::study::Log;

/// The source of values: a program, a closure, a function of another language.
///
/// # Contract
/// With several workers it is called from several threads at once, each with another trial. `cancel`
/// is raised when the result is no longer needed; an objective that cannot stop may ignore it. A panic
/// is a failure.
pub trait Objective: Sync {
    /// Evaluates a trial.
    fn evaluate(&self, trial: &Trial, reporter: &Reporter, cancel: &Cancel) -> Outcome;
}

/// A closure of the parameters that returns a value, values, or a `Result` of one.
impl<F, T> Objective for F
where
    F: Fn(&Params) -> T + Sync,
    T: Into<Outcome>,
{
    fn evaluate(&self, trial: &Trial, _: &Reporter, _: &Cancel) -> Outcome {
        match &trial.params {
            Some(params) => self(params).into(),
            None => Outcome::Interrupted,
        }
    }
}

/// The state of a run after a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunStanding {
    /// Number and value of the best trial so far; with several objectives, of the first one.
    pub best: Option<(u64, f64)>,
    /// Whether the trial that has just finished is the best one or, with several objectives, on the Pareto front.
    pub improved: bool,
    /// The Pareto front of a study with several objectives.
    pub front: Option<FrontStanding>,
    /// The trials of the study by state.
    pub counts: Counts,
}

impl RunStanding {
    pub(super) fn after(trial: &Trial, log: &Log) -> Self {
        Self {
            best: log.best(),
            improved: log.front().contains(&trial.number),
            front: FrontStanding::of(log),
            counts: log.counts(),
        }
    }
}

/// The size of a Pareto front.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FrontStanding {
    /// The number of trials on it.
    pub size: usize,
    /// Its hypervolume; `None` while it is empty, and without a given reference point: an inferred one moves with the front, and
    /// volumes of different points do not compare.
    pub hypervolume: Option<f64>,
}

impl FrontStanding {
    /// The front of a study; `None` of one with a single objective.
    pub fn of(log: &Log) -> Option<Self> {
        let objectives = &log.definition().objectives;
        let is_given = || objectives.iter().all(|each| each.reference.is_some());
        let hypervolume = || log.hypervolume()?.value;
        log.definition().is_multi_objective().then(|| Self {
            size: log.front().len(),
            hypervolume: is_given().then(hypervolume).flatten(),
        })
    }
}

/// The reason for waiting.
#[derive(Clone, Debug, PartialEq)]
pub enum Waiting {
    /// All trials exist, and other workers have the last ones.
    Others {
        /// How many.
        running: u64,
        /// When the first of their leases ends, in milliseconds since 1970.
        until_ms: Option<i64>,
    },
    /// The storage does not answer; finished values are kept.
    Storage {
        /// In the storage's words.
        error: StoreError,
        /// How many finished trials are still to be told.
        untold: usize,
    },
}

/// Follows a run; the default hooks do nothing.
///
/// # Contract
/// Hooks are called on the thread of the loop, in the order of events, after the study has changed.
/// They cannot change the study, must not block, and handle their own errors.
pub trait Observer {
    /// A trial is about to be evaluated.
    fn started(&mut self, _trial: &Trial) {}

    /// A trial was told: it has finished, or is retried.
    fn told(&mut self, _trial: &Trial, _told: Told, _standing: &RunStanding) {}

    /// A trial has ended and cannot be told now: the storage is away or full. Called once per trial,
    /// with the intermediate values that are not stored; [`Observer::told`] follows if it is told later.
    fn kept(&mut self, _trial: &Trial, _ending: &Ending, _reports: &[Report]) {}

    /// A trial was returned without a result, for this reason.
    fn released(&mut self, _trial: &Trial, _why: &str) {}

    /// The run waits.
    fn waiting(&mut self, _waiting: &Waiting) {}

    /// The run still waits; called about twice per second.
    fn idle(&mut self) {}

    /// The run has ended.
    fn stopped(&mut self, _reason: &StopReason) {}
}

/// Evaluates; a panic is a failure.
pub(super) fn evaluate(
    objective: &dyn Objective,
    trial: &Trial,
    reporter: &Reporter,
    cancel: &Cancel,
) -> Outcome {
    let evaluate = AssertUnwindSafe(|| objective.evaluate(trial, reporter, cancel));
    catch_unwind(evaluate).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let message = format!("panic: {}", text.unwrap_or("no message"));
        Failure::new(FailureKind::Error, message).into()
    })
}

/// Whether an evaluation ended without a result.
pub(super) fn cut_short(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Interrupted => true,
        Outcome::Failed(failure) => failure.kind == FailureKind::Interrupted,
        _ => false,
    }
}

/// The reason to end an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelReason {
    /// The pruner stops the trial, as not promising or as good enough.
    Pruned,
    /// The lease was lost: another worker has the trial.
    LeaseLost,
    /// The run was asked to end immediately.
    Interrupted,
}

type Wake = Box<dyn FnOnce(CancelReason) + Send>;

/// A request to end one evaluation; the first reason counts. Clones share it.
///
/// ```
/// use neuralbo::drive::{Cancel, CancelReason};
///
/// let cancel = Cancel::default();
/// assert_eq!(cancel.reason(), None);
/// cancel.cancel(CancelReason::Pruned);
/// cancel.cancel(CancelReason::Interrupted);
/// assert_eq!(cancel.reason(), Some(CancelReason::Pruned));
/// ```
#[derive(Clone, Default)]
pub struct Cancel(Arc<Mutex<CancelState>>);

#[derive(Default)]
struct CancelState {
    reason: Option<CancelReason>,
    wake: Option<Wake>,
}

impl Cancel {
    /// Ends the evaluation.
    pub fn cancel(&self, reason: CancelReason) {
        let mut inner = self.lock();
        if inner.reason.is_some() {
            return;
        }
        inner.reason = Some(reason);
        let wake = inner.wake.take();
        drop(inner);
        if let Some(wake) = wake {
            wake(reason);
        }
    }

    /// The reason to end the evaluation, if any.
    pub fn reason(&self) -> Option<CancelReason> {
        self.lock().reason
    }

    /// Calls `wake` once when the evaluation is to end, immediately if it is already. A later call
    /// replaces an earlier one.
    pub fn on_cancel(&self, wake: impl FnOnce(CancelReason) + Send + 'static) {
        let mut inner = self.lock();
        match inner.reason {
            None => inner.wake = Some(Box::new(wake)),
            Some(reason) => {
                drop(inner);
                wake(reason);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, CancelState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request to end a run, in two steps: finish running trials, or end them. Clones share it.
#[derive(Clone, Default)]
pub struct Stop(Arc<Mutex<StopInner>>);

#[derive(Default)]
struct StopInner {
    level: StopLevel,
    wake: Option<Box<dyn Fn(StopLevel) + Send>>,
}

/// The urgency of a request to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// No request.
    #[default]
    Run,
    /// Running trials are finished, no new ones begin.
    Finish,
    /// Running trials are ended without a result.
    Kill,
}

impl Stop {
    /// Begins no more trials and waits for the running ones.
    pub fn finish(&self) {
        self.raise(StopLevel::Finish);
    }

    /// Also ends the running trials.
    pub fn kill(&self) {
        self.raise(StopLevel::Kill);
    }

    /// The urgency of the request.
    pub fn level(&self) -> StopLevel {
        self.lock().level
    }

    fn raise(&self, level: StopLevel) {
        let mut inner = self.lock();
        inner.level = inner.level.max(level);
        if let Some(wake) = &inner.wake {
            wake(inner.level);
        }
    }

    pub(super) fn on_raise(&self, wake: impl Fn(StopLevel) + Send + 'static) {
        self.lock().wake = Some(Box::new(wake));
    }

    pub(super) fn forget(&self) {
        self.lock().wake = None;
    }

    fn lock(&self) -> MutexGuard<'_, StopInner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
