//! What is optimized, and who watches.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Cancel, Reporter};
use crate::record::{Ending, Failure, FailureKind, Outcome, Report, StopReason, Trial};
use crate::space::Params;
use crate::store::{Counts, StoreError, Told};
use crate::study::Log;

/// Something that gives trials their values: a program, a closure, a function of another language.
///
/// # Contract
/// Called from several threads at once when a run has several workers, each time with another trial. `cancel` says when the answer
/// is no longer wanted; an objective that cannot stop may ignore it. An objective that panics has failed.
pub trait Objective: Sync {
    /// Evaluates a trial.
    fn evaluate(&self, trial: &Trial, reporter: &Reporter, cancel: &Cancel) -> Outcome;
}

/// A closure of the parameters, which gives a value, values, or a `Result` of one.
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

/// How a run stands after a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Standing {
    /// Number and value of the best trial so far; with several objectives, of the first one.
    pub best: Option<(u64, f64)>,
    /// Whether the trial that has just finished is the best one or, with several objectives, on the Pareto front.
    pub improved: bool,
    /// The Pareto front of a study with several objectives.
    pub front: Option<FrontStanding>,
    /// How many trials the study has.
    pub counts: Counts,
}

/// How far a Pareto front has come.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FrontStanding {
    /// How many trials are on it.
    pub size: usize,
    /// Its hypervolume; `None` while it is empty.
    pub hypervolume: Option<f64>,
}

impl FrontStanding {
    /// The front of a study; `None` of one with a single objective.
    pub fn of(log: &Log) -> Option<Self> {
        let hypervolume = || log.hypervolume().map(|hypervolume| hypervolume.value);
        log.definition().is_multi_objective().then(|| Self {
            size: log.front().len(),
            hypervolume: hypervolume(),
        })
    }
}

/// What a run waits for.
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

/// Is told what happens in a run; every hook does nothing unless it is written.
///
/// # Contract
/// Hooks are called on the thread that drives the run, in the order of events, after the study has changed. They cannot change
/// the study and must not wait: whatever goes wrong in them is theirs.
pub trait Observer {
    /// A trial is about to be evaluated.
    fn started(&mut self, _trial: &Trial) {}

    /// A trial was told as it ended: it has finished, or waits to be tried again.
    fn told(&mut self, _trial: &Trial, _told: Told, _standing: &Standing) {}

    /// A trial has ended and cannot be told now: the storage is away, or full. Called once a trial, with the intermediate values
    /// that are not stored either; if it is told later, [`Observer::told`] says so.
    fn kept(&mut self, _trial: &Trial, _ending: &Ending, _reports: &[Report]) {}

    /// A trial was given back without a result, for this reason.
    fn released(&mut self, _trial: &Trial, _why: &str) {}

    /// The run waits.
    fn waiting(&mut self, _waiting: &Waiting) {}

    /// The run still waits; called about twice a second while it does.
    fn idle(&mut self) {}

    /// The run has ended.
    fn stopped(&mut self, _reason: &StopReason) {}
}

/// Evaluates; a panic is a failure like any other.
pub(super) fn evaluate(
    objective: &dyn Objective,
    trial: &Trial,
    reporter: &Reporter,
    cancel: &Cancel,
) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| {
        objective.evaluate(trial, reporter, cancel)
    }))
    .unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Outcome::Failed(Failure::new(
            FailureKind::Error,
            format!("panic: {}", text.unwrap_or("no message")),
        ))
    })
}

/// Whether an evaluation ended without an answer of its own.
pub(super) fn cut_short(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Interrupted => true,
        Outcome::Failed(failure) => failure.kind == FailureKind::Interrupted,
        _ => false,
    }
}
