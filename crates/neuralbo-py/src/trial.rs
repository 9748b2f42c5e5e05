//! One trial: its record, and while it runs its connection to the study.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use neuralbo::drive::Reporter;
use neuralbo::record::{Attributes, OutcomeConstraint, Provenance, State, Token, Trial as Record};
use neuralbo::space::{Domain, Params};
use neuralbo::study::Growth;
use pyo3::exceptions::{PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde::{Deserialize, Serialize};

use crate::convert::{json, json_dict, to_python};
use crate::errors::{EngineResult, detached, value_error};
use crate::lock;
use crate::shared_study::{HeldStudy, Names, SharedStudy};
use crate::space::{described_all, parameter};

/// One evaluation of the objective: what was suggested, where it came from and how it ended.
#[derive(Clone)]
#[pyclass(frozen, subclass, name = "Trial", module = "neuralbo._engine")]
pub struct PyTrial {
    pub(crate) record: Arc<Record>,
    pub(crate) names: Arc<Names>,
    pub(crate) study: Option<Arc<SharedStudy>>,
    pub(crate) running: Option<Arc<LiveTrial>>,
}

/// The connection of a running trial.
pub struct LiveTrial {
    pub(crate) reporter: Reporter,
    /// Whether each report is stored at once; the loop stores those of its trials together.
    at_once: bool,
    used: Mutex<UsedParams>,
    ended: AtomicBool,
}

#[derive(Default)]
struct UsedParams {
    params: Params,
    domains: HashMap<String, Domain>,
    /// Whether all suggested values were read: then all count as used.
    all: bool,
}

#[derive(Serialize, Deserialize)]
struct TrialJson {
    trial: Record,
    #[serde(default)]
    token: Token,
    names: Names,
}

impl PyTrial {
    pub(crate) fn new(
        record: Record,
        names: &Arc<Names>,
        study: Option<&Arc<SharedStudy>>,
    ) -> Self {
        Self {
            record: Arc::new(record),
            names: Arc::clone(names),
            study: study.map(Arc::clone),
            running: None,
        }
    }

    /// A record of a study as Python sees it.
    pub(crate) fn of(kept: &mut HeldStudy, shared: &Arc<SharedStudy>, record: Record) -> Self {
        Self::new(record, kept.space().1, Some(shared))
    }

    pub(crate) fn running(self, running: Arc<LiveTrial>) -> Self {
        Self {
            running: Some(running),
            ..self
        }
    }

    fn live(&self) -> PyResult<(&Arc<SharedStudy>, &Arc<LiveTrial>)> {
        let number = self.record.number;
        let over = || {
            PyRuntimeError::new_err(format!(
                "trial {number} is not running here: it has ended, or others evaluate it"
            ))
        };
        let running = self
            .running
            .as_ref()
            .filter(|running| !running.ended.load(Ordering::Relaxed))
            .ok_or_else(over)?;
        Ok((self.study.as_ref().ok_or_else(over)?, running))
    }

    fn attached(&self) -> PyResult<&Arc<SharedStudy>> {
        self.study.as_ref().ok_or_else(|| {
            PyRuntimeError::new_err("the trial has lost its study; ask the study for its trials")
        })
    }

    pub(crate) fn provenance(&self) -> Option<&Provenance> {
        self.record.provenance.as_ref()
    }

    fn current(&self) -> Params {
        let suggested = || self.record.params.clone().unwrap_or_default();
        self.running
            .as_ref()
            .map_or_else(suggested, |running| running.seen(suggested))
    }
}

impl LiveTrial {
    pub(crate) fn new(reporter: Reporter, at_once: bool) -> Arc<Self> {
        Arc::new(Self {
            reporter,
            at_once,
            used: Mutex::default(),
            ended: AtomicBool::new(false),
        })
    }

    /// Nothing more can be asked or reported.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    fn used(&self) -> MutexGuard<'_, UsedParams> {
        lock(&self.used)
    }

    /// What the objective has asked for so far; all suggested values as long as it has asked for none.
    fn seen(&self, suggested: impl FnOnce() -> Params) -> Params {
        let mut used = self.used();
        if used.params.is_empty() {
            used.all = true;
            return suggested();
        }
        used.params.clone()
    }
}

#[pymethods]
impl PyTrial {
    /// The record of another trial.
    #[new]
    #[pyo3(signature = (record, *_rest))]
    fn py_new(record: &Self, _rest: &Bound<'_, PyTuple>) -> Self {
        record.clone()
    }

    /// The record of a text that `to_json` gave, without its study.
    ///
    /// >>> import neuralbo
    /// >>> text = neuralbo.create_study(seed=1).ask({"x": (0.0, 1.0)}).to_json()
    /// >>> neuralbo.Trial(neuralbo.Trial.from_json(text)).number
    /// 0
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let TrialJson {
            mut trial,
            token,
            names,
        } = serde_json::from_str(text).map_err(value_error)?;
        trial.token = token;
        Ok(Self::new(trial, &Arc::new(names), None))
    }

    /// The record as JSON.
    ///
    /// >>> import json, neuralbo
    /// >>> json.loads(neuralbo.create_study(seed=1).ask({"x": (0.0, 1.0)}).to_json())["trial"]["number"]
    /// 0
    fn to_json(&self) -> PyResult<String> {
        let line = TrialJson {
            trial: Record::clone(&self.record),
            token: self.record.token,
            names: Names::clone(&self.names),
        };
        serde_json::to_string(&line).map_err(value_error)
    }

    /// Counts from zero within the study.
    #[getter]
    fn number(&self) -> u64 {
        self.record.number
    }

    /// The version of the study's definition under which the point was chosen.
    #[getter]
    fn version(&self) -> u64 {
        self.record.version
    }

    /// The parameters by name: while the trial runs those it has asked for, afterwards those it used.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (params, dict) = (self.current(), PyDict::new(py));
        let names = self.names.parameters.iter();
        let known = names.filter_map(|name| Some((name.as_str(), params.get(name)?)));
        known.chain(params.iter()).try_for_each(|(name, value)| {
            if dict.contains(name)? {
                Ok(())
            } else {
                dict.set_item(name, to_python(py, value)?)
            }
        })?;
        Ok(dict)
    }

    /// The parameters of `params` in the form that the constructor of a space takes, from the study's present space.
    fn _specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (params, study) = (self.current(), self.attached()?);
        let (space, _) = study.held(py, |kept| Ok(kept.shape()))?;
        let used = space.parameters().iter();
        described_all(
            py,
            used.filter(|parameter| params.get(parameter.name()).is_some()),
        )
    }

    /// `running`, `waiting` (for a worker), `complete`, `failed` or `pruned`.
    #[getter]
    fn state(&self) -> &'static str {
        if self.record.is_waiting() {
            "waiting"
        } else {
            self.record.state.name()
        }
    }

    /// The value of the first objective.
    #[getter]
    fn value(&self) -> Option<f64> {
        self.record.value(self.names.objective())
    }

    /// The values of the objectives in their order; `None` unless all are known.
    #[getter]
    fn values(&self) -> Option<Vec<f64>> {
        let objectives = self.names.objectives.iter();
        objectives.map(|name| self.record.value(name)).collect()
    }

    /// Everything measured by name: objectives, then the quantities of outcome constraints.
    #[getter]
    fn measured<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (values, dict) = (&self.record.values, PyDict::new(py));
        let names = self.names.measured.iter();
        let known = names.filter_map(|name| Some((name, values.get(name)?)));
        known
            .chain(values)
            .try_for_each(|(name, value)| dict.set_item(name, value))?;
        Ok(dict)
    }

    /// Whether all outcome constraints hold; `None` unless the trial is complete.
    #[getter]
    fn feasible(&self) -> Option<bool> {
        let holds = |constraint: &OutcomeConstraint| {
            self.record
                .value(&constraint.name)
                .is_some_and(|value| constraint.violation(value) == 0.0)
        };
        (self.record.state == State::Complete)
            .then(|| self.names.outcome_constraints.iter().all(holds))
    }

    /// By how much each violated outcome constraint is exceeded, by name.
    #[getter]
    fn violations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for constraint in &self.names.outcome_constraints {
            let value = self.record.value(&constraint.name);
            let violation = value.map(|value| constraint.violation(value));
            if let Some(found) = violation.filter(|violation| *violation > 0.0) {
                dict.set_item(&constraint.name, found)?;
            }
        }
        Ok(dict)
    }

    /// The kind of failure in one word.
    #[getter]
    fn failure(&self) -> Option<&'static str> {
        self.record.failure().map(|failure| failure.kind.name())
    }

    /// Why the trial has failed.
    #[getter]
    fn message(&self) -> Option<String> {
        self.record.failure().map(ToString::to_string)
    }

    /// Where the point came from: `initial`, `sampled`, `model:…`, `fallback:…` or `known`.
    #[getter]
    fn origin(&self) -> Option<&str> {
        Some(&self.provenance()?.origin)
    }

    /// The value that the model predicted when it chose the point.
    #[getter]
    fn mean(&self) -> Option<f64> {
        self.provenance()?.mean
    }

    /// The standard deviation of that prediction, the noise included where the model estimates it.
    #[getter]
    fn sd(&self) -> Option<f64> {
        self.provenance()?.sd
    }

    /// Who has or had it.
    #[getter]
    fn worker(&self) -> &str {
        &self.record.worker
    }

    /// Counts the claims of this trial, from 1.
    #[getter]
    fn attempt(&self) -> u64 {
        self.record.attempt
    }

    /// When it was asked for, when its evaluation began and when it finished, in milliseconds since 1970.
    #[getter]
    fn times_ms(&self) -> (i64, Option<i64>, Option<i64>) {
        (
            self.record.asked_ms,
            self.record.started_ms,
            self.record.finished_ms,
        )
    }

    /// What was attached to the trial.
    #[getter]
    fn user_attrs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        match &self.study {
            Some(study) => {
                let record = detached(py, || study.trial(self.record.number))??;
                json_dict(py, &record.attributes)
            }
            None => json_dict(py, &self.record.attributes),
        }
    }

    /// Attaches anything that JSON can hold, while the trial runs or later.
    ///
    /// >>> import neuralbo
    /// >>> study = neuralbo.create_study(seed=1)
    /// >>> study.ask({"x": (0.0, 1.0)}).set_user_attr("machine", {"cores": 4})
    /// >>> study.trials[0].user_attrs
    /// {'machine': {'cores': 4}}
    fn set_user_attr(
        &self,
        py: Python<'_>,
        key: String,
        value: &Bound<'_, PyAny>,
    ) -> EngineResult<()> {
        let value = json(value, &format!("attribute `{key}`"))?;
        let attributes = Attributes::from([(key, value)]);
        self.attached()?.held(py, |kept| {
            let (store, number) = (kept.store(), self.record.number);
            Ok(store.set_attributes(kept.id(), number, &attributes)?)
        })
    }

    /// The reported values of the first objective by step.
    #[getter]
    fn intermediate_values<'py>(&self, py: Python<'py>) -> EngineResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let Some(study) = &self.study else {
            return Ok(dict);
        };
        if let Some(running) = &self.running {
            // What cannot be stored now is stored later; what is there is shown.
            let _ = detached(py, || running.reporter.flush())?;
        }
        let reports = study.held(py, |kept| {
            Ok(kept.store().reports(kept.id(), self.record.number)?)
        })?;
        reports
            .iter()
            .filter(|report| report.name == self.names.objective())
            .try_for_each(|report| dict.set_item(report.step, report.value))?;
        Ok(dict)
    }

    /// An intermediate value.
    fn _report(&self, py: Python<'_>, value: f64, step: i64) -> EngineResult<()> {
        let (_, running) = self.live()?;
        running.report(step, value)?;
        if running.at_once {
            detached(py, || running.reporter.flush())??;
        }
        Ok(())
    }

    /// The last value reported.
    #[getter]
    fn last_report(&self) -> Option<f64> {
        let (_, last) = self.running.as_ref()?.reporter.last();
        last.get(self.names.objective()).copied()
    }

    /// Whether the trial should stop: the study's pruner says so, or without one the median rule.
    ///
    /// >>> import neuralbo
    /// >>> trial = neuralbo.create_study(pruner="threshold:5", seed=1).ask({"x": (0.0, 1.0)})
    /// >>> trial.report(9.0, step=1)
    /// >>> trial.should_prune()
    /// True
    fn should_prune(&self, py: Python<'_>) -> EngineResult<bool> {
        let (_, running) = self.live()?;
        Ok(detached(py, || running.reporter.should_prune())??)
    }

    /// The value of a parameter given as `(name, kind, arguments)`; the study grows by it if need be.
    fn _suggest<'py>(
        &self,
        py: Python<'py>,
        spec: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (study, running) = self.live()?;
        let parameter = parameter(spec)?;
        let name = parameter.name();
        if let Some(asked) = running.used().domains.get(name) {
            if asked != parameter.domain() {
                let text = format!(
                    "parameter `{name}` was asked for as {asked}, now as {}",
                    parameter.domain()
                );
                return Err(PyValueError::new_err(text));
            }
        } else {
            let (value, growth) = study.held(py, |kept| {
                Ok(kept.study.value_for(&self.record, &parameter)?)
            })?;
            let mut used = running.used();
            used.params.insert(name, value);
            used.domains
                .insert(name.to_owned(), parameter.domain().clone());
            let suggested = self.record.params.clone().filter(|_| used.all);
            let mut params = suggested.unwrap_or_default();
            used.params
                .iter()
                .for_each(|(name, value)| drop(params.insert(name, value.clone())));
            running.reporter.set_params(params);
            drop(used);
            warn_of(py, name, &growth)?;
        }
        let used = running.used();
        used.params.get(name).map_or_else(
            || Ok(py.None().into_bound(py)),
            |value| to_python(py, value),
        )
    }
}

fn warn_of(py: Python<'_>, name: &str, growth: &Growth) -> PyResult<()> {
    let Growth::Widened { from, to } = growth else {
        return Ok(());
    };
    let text = format!(
        "parameter `{name}` was {from} in this study and is {to} from now on; earlier trials are kept"
    );
    let text = std::ffi::CString::new(text).map_err(value_error)?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 3)
}
