//! Intermediate values on their way from an evaluation to the store.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Cancel, CancelReason};
use crate::record::{Direction, Outcome, Report, Values};
use crate::space::Params;
use crate::store::{Lease, Store, StoreError};

/// When a trial is stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PruneRule {
    /// See [`median_says_stop`].
    Median,
}

/// How many complete trials must have reached a step before the median rule says anything about it.
pub const MEDIAN_WARM_UP: usize = 4;

/// Whether a trial should stop: its best intermediate value so far is worse than the median of what the complete trials had at
/// the same step (Golovin et al. 2017, "Google Vizier", section 3.2.2).
///
/// ```
/// use neuralbo::drive::median_says_stop;
/// use neuralbo::record::Direction;
///
/// let others = [0.1, 0.2, 0.3, 0.4];
/// assert!(median_says_stop(Direction::Minimize, &[0.9, 0.8], &others));
/// assert!(!median_says_stop(Direction::Minimize, &[0.9, 0.2], &others));
/// assert!(!median_says_stop(Direction::Minimize, &[0.9, 0.8], &others[..3]));
/// ```
pub fn median_says_stop(direction: Direction, own: &[f64], others: &[f64]) -> bool {
    if others.len() < MEDIAN_WARM_UP {
        return false;
    }
    let best = own.iter().copied().reduce(|a, b| if direction.is_better(b, a) { b } else { a });
    best.is_some_and(|best| direction.is_better(median(others), best))
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { 0.5 * (sorted[middle - 1] + sorted[middle]) }
}

/// Takes the intermediate values of one trial. Clones share it.
///
/// [`Reporter::report`] never waits: what is reported is stored elsewhere, so that whoever reads a program's output only reads.
#[derive(Clone)]
pub struct Reporter(Arc<Shared>);

struct Shared {
    store: Arc<dyn Store>,
    lease: Lease,
    objective: String,
    direction: Direction,
    rule: Option<PruneRule>,
    cancel: Cancel,
    state: Mutex<State>,
    /// Held while reports are on their way to the store, so that they arrive in order.
    flushing: Mutex<()>,
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Report>,
    /// The values of the first objective so far, and the last step.
    values: Vec<f64>,
    step: Option<i64>,
    last: Values,
    /// How many of `values` the rule has judged, and its last answer.
    judged: usize,
    pruned: bool,
    /// The parameters that the evaluation used, where it says so.
    params: Option<Params>,
}

/// What a [`Reporter`] needs to know of its trial.
pub struct ReporterParts {
    /// Where reports go.
    pub store: Arc<dyn Store>,
    /// The right to report.
    pub lease: Lease,
    /// The name of the objective that a pruning rule compares.
    pub objective: String,
    /// Which way it is better.
    pub direction: Direction,
    /// When the trial is stopped early.
    pub rule: Option<PruneRule>,
    /// Ends the evaluation when the rule says so, or when the lease is lost.
    pub cancel: Cancel,
}

impl Reporter {
    /// A reporter whose reports are stored by whoever calls [`Reporter::flush`]; `wake` is called when there is something.
    pub fn new(parts: ReporterParts, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let ReporterParts { store, lease, objective, direction, rule, cancel } = parts;
        let (state, flushing) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { store, lease, objective, direction, rule, cancel, state, flushing, wake: Box::new(wake) }))
    }

    /// Reports the first objective's value at a step.
    pub fn report(&self, step: i64, value: f64) {
        self.report_named(step, &self.0.objective.clone(), value);
    }

    /// Reports any value at a step; those that are not finite are left out.
    pub fn report_named(&self, step: i64, name: &str, value: f64) {
        if !value.is_finite() {
            return;
        }
        let mut state = self.state();
        if name == self.0.objective {
            state.values.push(value);
        }
        state.step = Some(step);
        state.last.insert(name.to_owned(), value);
        state.waiting.push(Report { step, name: name.to_owned(), value });
        drop(state);
        (self.0.wake)();
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

    /// The last value reported under each name, and the last step.
    pub fn last(&self) -> (Option<i64>, Values) {
        let state = self.state();
        (state.step, state.last.clone())
    }

    /// Stores what waits and asks whether the trial should stop now; for objectives that decide themselves when to look.
    pub fn should_prune(&self) -> Result<bool, StoreError> {
        self.flush()?;
        Ok(self.0.cancel.reason() == Some(CancelReason::Pruned) || self.judge(PruneRule::Median)?)
    }

    /// The outcome of a trial that stopped early: the last values reported.
    pub fn pruned(&self) -> Outcome {
        let (step, values) = self.last();
        Outcome::Pruned(step, values)
    }

    /// Stores what waits, then ends the evaluation if the rule says so. What cannot be stored now goes on waiting.
    pub fn flush(&self) -> Result<(), StoreError> {
        let _in_order = self.0.flushing.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = self.state().waiting.clone();
        if waiting.is_empty() {
            return Ok(());
        }
        match self.0.store.report(&self.0.lease, &waiting) {
            Ok(()) => _ = self.state().waiting.drain(..waiting.len()),
            Err(error) => {
                if error.is_too_late() {
                    self.0.cancel.cancel(CancelReason::LeaseLost);
                }
                return Err(error);
            }
        }
        if let Some(rule) = self.0.rule
            && self.judge(rule)?
        {
            self.0.cancel.cancel(CancelReason::Pruned);
        }
        Ok(())
    }

    fn judge(&self, rule: PruneRule) -> Result<bool, StoreError> {
        let (values, step) = {
            let state = self.state();
            if state.judged == state.values.len() {
                return Ok(state.pruned);
            }
            (state.values.clone(), state.step)
        };
        let Some(step) = step else { return Ok(false) };
        let others = self.0.store.reports_at(self.0.lease.study, step, &self.0.objective)?;
        let stop = match rule {
            PruneRule::Median => median_says_stop(self.0.direction, &values, &others),
        };
        let mut state = self.state();
        (state.judged, state.pruned) = (values.len(), stop);
        Ok(stop)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_at_the_median_goes_on() {
        assert!(!median_says_stop(Direction::Minimize, &[2.5], &[1.0, 2.0, 3.0, 4.0]));
        assert!(median_says_stop(Direction::Minimize, &[2.6], &[1.0, 2.0, 3.0, 4.0]));
        assert!(median_says_stop(Direction::Maximize, &[2.4], &[1.0, 2.0, 3.0, 4.0]));
    }

    #[test]
    fn nothing_reported_is_nothing_to_judge() {
        assert!(!median_says_stop(Direction::Maximize, &[], &[1.0; 9]));
    }
}
