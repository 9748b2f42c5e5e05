//! A study in a storage.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use neuralbo::space::{Point, Value};
use neuralbo::study::{Failure, FailureKind};
use neuralbo_store::{
    Asked, Lease, Outcome, Provenance, Report, Store, StoreError, StoredStudy, StudyRecord, Told, TrialRecord, TrialState,
    median_says_stop,
};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::convert::{from_named, named};
use crate::errors::{detached, store_error, value_error};
use crate::space::Space;

/// Trials are fetched in portions of this many.
const PORTION: u64 = 10_000;
/// The name of the intermediate values that the study is about.
const VALUE: &str = "value";
/// The origin of what was not suggested.
const KNOWN: &str = "known";

/// One process's view of a stored study.
#[pyclass(frozen, module = "neuralbo._engine")]
pub struct Study {
    store: Arc<dyn Store>,
    record: StudyRecord,
    view: Mutex<StoredStudy>,
}

/// `(number, params, state, value, message, origin, mean, sd, worker, asked_ms, finished_ms)`
type Row<'py> = (
    u64,
    Option<Bound<'py, PyDict>>,
    &'static str,
    Option<f64>,
    Option<String>,
    Option<String>,
    Option<f64>,
    Option<f64>,
    String,
    i64,
    Option<i64>,
);

#[pymethods]
impl Study {
    #[getter]
    fn name(&self) -> &str {
        &self.record.name
    }

    #[getter]
    fn space(&self) -> Space {
        Space(self.record.definition.space.clone())
    }

    #[getter]
    fn direction(&self) -> &'static str {
        match self.record.definition.direction {
            neuralbo::study::Direction::Minimize => "minimize",
            neuralbo::study::Direction::Maximize => "maximize",
        }
    }

    #[getter]
    fn method(&self) -> &str {
        &self.record.definition.method
    }

    #[getter]
    fn options(&self) -> Vec<String> {
        self.record.definition.options.clone()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.record.definition.seed
    }

    /// `("trial", number, attempt, params)`, `("wait", running)` or `("ended", reason)`.
    fn ask<'py>(&self, py: Python<'py>, worker: &str, lease_s: f64) -> PyResult<Bound<'py, PyAny>> {
        let lease = seconds(lease_s)?;
        let asked = detached(py, || self.view.lock().unwrap_or_else(PoisonError::into_inner).ask(worker, lease))?;
        match asked.map_err(store_error)? {
            Asked::Trial(trial) => {
                let params = named(py, &self.record.definition.space, &trial.point)?;
                ("trial", trial.lease.number, trial.lease.attempt, params).into_bound_py_any(py)
            }
            Asked::Wait { running } => ("wait", running).into_bound_py_any(py),
            Asked::Ended(reason) => ("ended", reason.to_string()).into_bound_py_any(py),
        }
    }

    /// Ends a trial as complete, pruned or failed; without an attempt it is the current one's.
    #[pyo3(signature = (number, attempt, state, value=None, message=String::new()))]
    fn tell(
        &self,
        py: Python<'_>,
        number: u64,
        attempt: Option<u64>,
        state: &str,
        value: Option<f64>,
        message: String,
    ) -> PyResult<&'static str> {
        let outcome = outcome(state, value, message)?;
        let told = detached(py, || {
            let lease = self.lease(number, attempt)?;
            self.store.tell(&lease, &outcome)
        })?;
        Ok(match told.map_err(store_error)? {
            Told::Finished => "finished",
            Told::Already => "already",
            Told::Retried => "retried",
        })
    }

    /// Gives a trial back to whoever asks next.
    fn release(&self, py: Python<'_>, number: u64, attempt: u64) -> PyResult<()> {
        let lease = Lease { study: self.record.id, number, attempt };
        detached(py, || self.store.release(&lease))?.map_err(store_error)
    }

    /// Makes the leases of `(number, attempt)` last longer.
    fn renew(&self, py: Python<'_>, trials: Vec<(u64, u64)>, lease_s: f64) -> PyResult<()> {
        let study = self.record.id;
        let leases: Vec<Lease> = trials.into_iter().map(|(number, attempt)| Lease { study, number, attempt }).collect();
        let lease = seconds(lease_s)?;
        detached(py, || self.store.renew(&leases, lease))?.map(|_| ()).map_err(store_error)
    }

    /// Adds an intermediate value.
    fn report(&self, py: Python<'_>, number: u64, attempt: Option<u64>, step: i64, value: f64) -> PyResult<()> {
        let report = Report { step, name: VALUE.to_owned(), value };
        detached(py, || self.lease(number, attempt).and_then(|lease| self.store.report(&lease, &[report])))?.map_err(store_error)
    }

    /// Whether the median rule would stop a trial at its last intermediate value.
    fn should_prune(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        detached(py, || self.judged(number))?.map_err(store_error)
    }

    /// The intermediate values of a trial: `(step, value)`.
    fn reports(&self, py: Python<'_>, number: u64) -> PyResult<Vec<(i64, f64)>> {
        detached(py, || self.values(number))?.map_err(store_error)
    }

    /// All trials by number.
    fn trials<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let trials = detached(py, || self.all())?.map_err(store_error)?;
        let found = PyList::empty(py);
        for trial in trials {
            found.append(self.row(py, trial)?)?;
        }
        Ok(found)
    }

    /// One trial.
    fn trial<'py>(&self, py: Python<'py>, number: u64) -> PyResult<Row<'py>> {
        let trial = detached(py, || self.store.trial(self.record.id, number))?.map_err(store_error)?;
        self.row(py, trial)
    }

    /// The complete trial with the best value.
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Option<Row<'py>>> {
        let best = detached(py, || self.store.best(self.record.id))?.map_err(store_error)?;
        best.map(|trial| self.row(py, trial)).transpose()
    }

    /// Adds a trial from elsewhere: one to be run next (`waiting`), or one that has ended, with its `(step, value)`.
    #[pyo3(signature = (params, state, value=None, message=String::new(), reports=Vec::new()))]
    fn add(
        &self,
        py: Python<'_>,
        params: Option<&Bound<'_, PyDict>>,
        state: &str,
        value: Option<f64>,
        message: String,
        reports: Vec<(i64, f64)>,
    ) -> PyResult<()> {
        let point = params.map(|params| from_named(&self.record.definition.space, params)).transpose()?;
        let state = if state == "waiting" { TrialState::Running } else { ended(outcome(state, value, message)?) };
        let trial = known(point.as_ref(), state);
        let reports = reports.into_iter().map(|(step, value)| Report { step, name: VALUE.to_owned(), value }).collect();
        detached(py, || self.store.import(self.record.id, &[(trial, reports)]))?.map_err(store_error)
    }
}

impl Study {
    pub(crate) fn new(store: Arc<dyn Store>, record: StudyRecord, view: StoredStudy) -> Self {
        Self { store, record, view: Mutex::new(view) }
    }

    fn lease(&self, number: u64, attempt: Option<u64>) -> Result<Lease, StoreError> {
        let study = self.record.id;
        let attempt = attempt.map_or_else(|| self.store.trial(study, number).map(|trial| trial.attempt), Ok)?;
        Ok(Lease { study, number, attempt })
    }

    fn values(&self, number: u64) -> Result<Vec<(i64, f64)>, StoreError> {
        let reports = self.store.reports(self.record.id, number)?;
        Ok(reports.into_iter().filter(|report| report.name == VALUE).map(|report| (report.step, report.value)).collect())
    }

    fn judged(&self, number: u64) -> Result<bool, StoreError> {
        let values = self.values(number)?;
        let Some((step, _)) = values.last() else { return Ok(false) };
        let others = self.store.reports_at(self.record.id, *step, VALUE)?;
        let own: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        Ok(median_says_stop(self.record.definition.direction, &own, &others))
    }

    fn all(&self) -> Result<Vec<TrialRecord>, StoreError> {
        let mut trials: Vec<TrialRecord> = Vec::new();
        loop {
            let first = trials.last().map_or(0, |trial| trial.number + 1);
            let portion = self.store.trials(self.record.id, first, PORTION)?;
            let last = (portion.len() as u64) < PORTION;
            trials.extend(portion);
            if last {
                return Ok(trials);
            }
        }
    }

    fn row<'py>(&self, py: Python<'py>, trial: TrialRecord) -> PyResult<Row<'py>> {
        let point = trial.params.as_deref().and_then(|params| serde_json::from_str::<Vec<Value>>(params).ok()).map(Point::new);
        let params = point.map(|point| named(py, &self.record.definition.space, &point)).transpose()?;
        let waits = trial.state == TrialState::Running && trial.lease_until_ms == 0;
        let message = match &trial.state {
            TrialState::Failed { failure } => Some(failure.to_string()),
            _ => None,
        };
        let state = if waits { "waiting" } else { trial.state.name() };
        let Provenance { origin, mean, sd, .. } = trial.proposal.unwrap_or_default();
        let origin = Some(origin).filter(|origin| !origin.is_empty());
        let value = trial.state.value();
        Ok((trial.number, params, state, value, message, origin, mean, sd, trial.worker, trial.asked_ms, trial.finished_ms))
    }
}

fn seconds(duration: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(duration).map_err(|error| value_error(format!("lease = {duration}: {error}")))
}

fn outcome(state: &str, value: Option<f64>, message: String) -> PyResult<Outcome> {
    match (state, value) {
        ("complete", Some(value)) => Ok(Outcome::Value(value)),
        ("pruned", Some(value)) => Ok(Outcome::Pruned(value)),
        ("failed", _) => Ok(Outcome::Failed(Failure::new(FailureKind::Error, message))),
        ("complete" | "pruned", None) => Err(value_error(format!("a {state} trial needs a value"))),
        _ => Err(value_error(format!("state = {state:?} is not allowed; it must be complete, pruned or failed"))),
    }
}

fn ended(outcome: Outcome) -> TrialState {
    match outcome {
        Outcome::Value(value) if value.is_finite() => TrialState::Complete { value },
        Outcome::Pruned(value) if value.is_finite() => TrialState::Pruned { value },
        Outcome::Value(value) | Outcome::Pruned(value) => {
            TrialState::Failed { failure: Failure::new(FailureKind::NonFinite, format!("value = {value} is not finite")) }
        }
        Outcome::Failed(failure) => TrialState::Failed { failure },
    }
}

fn known(point: Option<&Point>, state: TrialState) -> TrialRecord {
    TrialRecord {
        number: 0,
        params: point.and_then(|point| serde_json::to_string(point).ok()),
        state,
        seq: None,
        proposal: Some(Provenance { origin: KNOWN.to_owned(), ..Provenance::default() }),
        worker: String::new(),
        attempt: 1,
        lease_until_ms: 0,
        asked_ms: 0,
        finished_ms: None,
    }
}
