//! Intermediate values: lines like `{"step": 3, "value": 0.7}` that a program prints while it runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use neuralbo::study::Direction;
use neuralbo_store::{Lease, Report, Store, StoreError, median_says_stop};

use super::args::PruneRule;
use crate::process::{Stopper, Watch};

/// The name of what the study is about.
const VALUE: &str = "value";
/// Lines are stored together, at most so often.
const PAUSE: Duration = Duration::from_millis(100);

/// Collects the intermediate values of one trial, and stops it when the rule says so.
pub struct Reporter {
    store: Arc<dyn Store>,
    lease: Lease,
    direction: Direction,
    rule: Option<PruneRule>,
    stopper: Stopper,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Report>,
    values: Vec<f64>,
    step: i64,
    flushed: Option<Instant>,
    pruned: bool,
}

impl Reporter {
    /// A reporter for a trial.
    pub fn new(store: Arc<dyn Store>, lease: Lease, direction: Direction, rule: Option<PruneRule>) -> Arc<Self> {
        Arc::new(Self { store, lease, direction, rule, stopper: Stopper::default(), state: Mutex::default() })
    }

    /// What the program's runner needs.
    pub fn watch(self: &Arc<Self>) -> Watch {
        let reporter = Arc::clone(self);
        Watch { lines: Some(Arc::new(move |line| reporter.line(line))), stopper: self.stopper.clone() }
    }

    /// The value at which the trial was stopped, if it was.
    pub fn pruned(&self) -> Option<f64> {
        let state = self.lock();
        state.values.last().copied().filter(|_| state.pruned)
    }

    fn line(&self, line: &str) {
        let reports = read(line);
        if reports.is_empty() {
            return;
        }
        let mut state = self.lock();
        for report in reports.iter().filter(|report| report.name == VALUE) {
            state.values.push(report.value);
            state.step = report.step;
        }
        state.waiting.extend(reports);
        if state.flushed.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.store_and_judge(&mut state);
        }
    }

    /// Stores what is left, before the trial is told.
    pub fn flush(&self) -> Result<(), StoreError> {
        let waiting = std::mem::take(&mut self.lock().waiting);
        if waiting.is_empty() { Ok(()) } else { self.store.report(&self.lease, &waiting) }
    }

    fn store_and_judge(&self, state: &mut State) {
        let stored = self.store.report(&self.lease, &state.waiting);
        state.waiting.clear();
        state.flushed = Some(Instant::now());
        match stored {
            Err(StoreError::LeaseLost { .. }) => self.stopper.stop(),
            Err(error) => eprintln!("trial {}: an intermediate value is not stored: {error}", self.lease.number),
            Ok(()) if self.rule.is_some() && !state.pruned => self.judge(state),
            Ok(()) => {}
        }
    }

    fn judge(&self, state: &mut State) {
        let others = self.store.reports_at(self.lease.study, state.step, VALUE).unwrap_or_default();
        if median_says_stop(self.direction, &state.values, &others) {
            state.pruned = true;
            self.stopper.stop();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The values on a line: every finite number of a JSON object that has a whole number called `step`.
fn read(line: &str) -> Vec<Report> {
    let object = Some(line).filter(|line| line.starts_with('{')).and_then(|line| serde_json::from_str(line).ok());
    let Some(serde_json::Value::Object(object)) = object else { return Vec::new() };
    let Some(step) = object.get("step").and_then(serde_json::Value::as_i64) else { return Vec::new() };
    let report = |(name, value): (&String, &serde_json::Value)| Some(Report { step, name: name.clone(), value: value.as_f64()? });
    object.iter().filter(|(name, _)| *name != "step").filter_map(report).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_with_a_step_are_intermediate_values() {
        let value = |step, name: &str, value| Report { step, name: name.to_owned(), value };
        assert_eq!(read(r#"{"step": 3, "value": 0.7}"#), [value(3, "value", 0.7)]);
        assert_eq!(read(r#"{"loss": 2, "step": -1, "note": "x"}"#), [value(-1, "loss", 2.0)]);
        for line in ["0.7", r#"{"value": 1}"#, r#"{"step": 1.5, "value": 1}"#, r#"{"step": 1"#, "[1]", ""] {
            assert_eq!(read(line), [], "{line}");
        }
    }
}
