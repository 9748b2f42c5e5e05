//! Intermediate values on their way from an evaluation to the store.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Cancel, CancelReason};
use crate::record::{
    Course, Definition, Direction, Failure, Outcome, Pruner, Report, State, Values, Verdict,
};
use crate::space::Params;
use crate::store::{Lease, Store, StoreError};

/// Why an intermediate value is not taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReportError {
    /// Steps only grow; the same step again replaces its value.
    #[error("step {step} of `{name}` is not increasing: trial {number} is at step {last}")]
    Backwards {
        /// The trial.
        number: u64,
        /// What was reported.
        name: String,
        /// The step reported.
        step: i64,
        /// The step it had come to.
        last: i64,
    },
    /// A value that cannot be compared.
    #[error("`{name}` of trial {number} is {value} at step {step}; it must be a finite number")]
    NotFinite {
        /// The trial.
        number: u64,
        /// What was reported.
        name: String,
        /// The step reported.
        step: i64,
        /// The value.
        value: f64,
    },
}

/// Takes the intermediate values of one trial. Clones share it.
///
/// [`Reporter::report`] never waits: reports are stored by another thread.
#[derive(Clone)]
pub struct Reporter(Arc<ReporterShared>);

struct ReporterShared {
    store: Arc<dyn Store>,
    lease: Lease,
    resumes: Option<u64>,
    objective: String,
    direction: Direction,
    /// What must have been reported for a trial to be complete.
    needed: Vec<String>,
    pruner: Option<Pruner>,
    cancel: Cancel,
    state: Mutex<ReporterState>,
    /// Held while reports are on their way to the store, so that they arrive in order.
    flushing: Mutex<()>,
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct ReporterState {
    waiting: Vec<Report>,
    /// The objective's steps and values so far.
    reports: Vec<(i64, f64)>,
    /// The last step and value of each name.
    last: BTreeMap<String, (i64, f64)>,
    /// How many of `reports` were judged, and the last answer.
    judged: usize,
    verdict: Verdict,
    /// The first value of the objective that was not finite.
    diverged: Option<f64>,
    /// The parameters that the evaluation used, where it says so.
    params: Option<Params>,
    /// The step at which a resumed trial continues, once known.
    resumed_at: Option<i64>,
}

/// What a [`Reporter`] needs to know of its trial.
pub struct ReporterParts<'a> {
    /// Where reports go.
    pub store: Arc<dyn Store>,
    /// The right to report.
    pub lease: Lease,
    /// The pruned trial that it resumes.
    pub resumes: Option<u64>,
    /// The objectives and the pruner.
    pub definition: &'a Definition,
    /// Ends the evaluation when the pruner says so, or when the lease is lost.
    pub cancel: Cancel,
}

impl Reporter {
    /// A reporter whose reports are stored by [`Reporter::flush`]; `wake` is called after each report.
    pub fn new(parts: ReporterParts<'_>, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let definition = parts.definition;
        let constraints = definition.outcome_constraints.iter();
        Self(Arc::new(ReporterShared {
            store: parts.store,
            lease: parts.lease,
            resumes: parts.resumes,
            objective: definition.objective().to_owned(),
            direction: definition.direction(),
            needed: constraints.map(|one| one.name.clone()).collect(),
            pruner: definition.pruner.clone(),
            cancel: parts.cancel,
            state: Mutex::default(),
            flushing: Mutex::default(),
            wake: Box::new(wake),
        }))
    }

    /// Reports the first objective's value at a step.
    pub fn report(&self, step: i64, value: f64) -> Result<(), ReportError> {
        self.report_named(step, &self.0.objective.clone(), value)
    }

    /// Reports any value at a step. The same step again replaces its value; a smaller one and a value that is not finite are
    /// refused and change nothing, but a pruner ends a trial whose objective is not finite: it has failed.
    pub fn report_named(&self, step: i64, name: &str, value: f64) -> Result<(), ReportError> {
        let (number, of_objective) = (self.0.lease.number, name == self.0.objective);
        let mut state = self.state();
        if !value.is_finite() {
            if of_objective {
                state.diverged.get_or_insert(value);
                drop(state);
                (self.0.wake)();
            }
            return Err(ReportError::NotFinite {
                number,
                name: name.to_owned(),
                step,
                value,
            });
        }
        if let Some((last, _)) = state.last.get(name).filter(|(last, _)| *last > step) {
            return Err(ReportError::Backwards {
                number,
                name: name.to_owned(),
                step,
                last: *last,
            });
        }
        if of_objective {
            state.take(step, value);
        }
        state.last.insert(name.to_owned(), (step, value));
        state.waiting.push(Report {
            step,
            name: name.to_owned(),
            value,
        });
        drop(state);
        (self.0.wake)();
        Ok(())
    }

    /// Says which parameters the evaluation uses, where they become known only while it runs; they are stored with its result.
    pub fn set_params(&self, params: Params) {
        self.state().params = Some(params);
    }

    /// The parameters that the evaluation uses, where it has said so.
    pub fn params(&self) -> Option<Params> {
        self.state().params.clone()
    }

    /// What was reported and is not stored yet.
    pub fn unsaved(&self) -> Vec<Report> {
        self.state().waiting.clone()
    }

    /// The last value reported under each name, and the last step of the objective.
    pub fn last(&self) -> (Option<i64>, Values) {
        let state = self.state();
        let last = state
            .last
            .iter()
            .map(|(name, (_, value))| (name.clone(), *value));
        (state.reports.last().map(|(step, _)| *step), last.collect())
    }

    /// Stores what waits and asks whether the trial should stop now, by the study's pruner or else by the median rule; for
    /// objectives that decide themselves when to look.
    pub fn should_prune(&self) -> Result<bool, StoreError> {
        self.flush()?;
        let stopped =
            self.0.cancel.reason() == Some(CancelReason::Pruned) || self.state().diverged.is_some();
        Ok(stopped
            || self.judge(self.0.pruner.as_ref().unwrap_or(&Pruner::median()))? != Verdict::GoOn)
    }

    /// The outcome of a trial that stopped early: pruned at the last values reported, complete where the pruner says so, failed
    /// if its objective was not finite.
    pub fn stopped(&self) -> Outcome {
        let (step, mut values) = self.last();
        let state = self.state();
        if let Some(value) = state.diverged {
            return Failure::nonfinite(&self.0.objective, value).into();
        }
        match state.verdict {
            Verdict::Complete(value)
                if self.0.needed.iter().all(|name| values.contains_key(name)) =>
            {
                values.insert(self.0.objective.clone(), value);
                Outcome::Values(values)
            }
            _ => Outcome::Pruned(step, values),
        }
    }

    /// Stores waiting reports, then ends the evaluation if the pruner says so. Reports that cannot be
    /// stored keep waiting.
    pub fn flush(&self) -> Result<(), StoreError> {
        let flushing = self.0.flushing.lock();
        let _in_order = flushing.unwrap_or_else(PoisonError::into_inner);
        let waiting = self.state().waiting.clone();
        if !waiting.is_empty() {
            self.store(&waiting)?;
        }
        let Some(pruner) = &self.0.pruner else {
            return Ok(());
        };
        if self.state().diverged.is_some()
            || (!waiting.is_empty() && self.judge(pruner)? != Verdict::GoOn)
        {
            self.0.cancel.cancel(CancelReason::Pruned);
        }
        Ok(())
    }

    fn store(&self, waiting: &[Report]) -> Result<(), StoreError> {
        let stored = self.0.store.report(&self.0.lease, waiting);
        match &stored {
            Ok(()) => _ = self.state().waiting.drain(..waiting.len()),
            Err(error) if error.is_too_late() => self.0.cancel.cancel(CancelReason::LeaseLost),
            Err(_) => {}
        }
        stored
    }

    fn judge(&self, pruner: &Pruner) -> Result<Verdict, StoreError> {
        let (reports, judged) = {
            let state = self.state();
            if state.judged == state.reports.len() || state.verdict != Verdict::GoOn {
                return Ok(state.verdict);
            }
            (state.reports.clone(), state.judged)
        };
        let Lease { study, number, .. } = self.0.lease;
        let resumed_at = self.resumed_at()?;
        let course = Course {
            number,
            direction: self.0.direction,
            reports: &reports,
            judged,
            resumed_at,
        };
        let verdict = pruner.verdict(&course, |step| {
            self.0.store.reports_at(study, step, &self.0.objective)
        })?;
        let mut state = self.state();
        (state.judged, state.verdict) = (reports.len(), verdict);
        Ok(verdict)
    }

    fn resumed_at(&self) -> Result<Option<i64>, StoreError> {
        let Some(resumes) = self.0.resumes else {
            return Ok(None);
        };
        if let Some(step) = self.state().resumed_at {
            return Ok(Some(step));
        }
        let step = match self.0.store.trial(self.0.lease.study, resumes)?.state {
            State::Pruned { step } => step,
            _ => None,
        };
        self.state().resumed_at = step;
        Ok(step)
    }

    fn state(&self) -> MutexGuard<'_, ReporterState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReporterState {
    /// A value of the objective; one of the same step as before replaces it and is judged again.
    fn take(&mut self, step: i64, value: f64) {
        if self.reports.last().is_some_and(|(last, _)| *last == step) {
            self.reports.pop();
            self.judged = self.judged.min(self.reports.len());
        }
        self.reports.push((step, value));
    }
}
