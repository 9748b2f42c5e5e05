//! A study asked and told by trials.

use std::sync::Arc;
use std::time::Duration;

use neuralbo::drive::{Cancel, Reporter, ReporterParts};
use neuralbo::record::{
    Attributes, Definition, Ending, Failure, FailureKind, Outcome, Report, State, Token,
    Trial as Record, Values,
};
use neuralbo::space::Params;
use neuralbo::store::NewTrial;
use neuralbo::study::Growth;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::params;
use crate::errors::{EngineResult, space_error, value_error};
use crate::outcome::outcome;
use crate::shared_study::{HeldStudy, SharedStudy};
use crate::study::PyStudy;
use crate::trial::{LiveTrial, PyTrial};

#[pymethods]
impl PyStudy {
    /// A trial to evaluate, the caller's for `lease_s` seconds.
    fn ask_trial(&self, py: Python<'_>, lease_s: f64) -> EngineResult<PyTrial> {
        let (mut records, _) = self.asked(py, 1, seconds(lease_s)?)?;
        let record = records
            .pop()
            .ok_or_else(|| value_error("no trial was given"))?;
        self.shared.held(py, |kept| {
            let running = LiveTrial::new(kept.reporter(&record), true);
            Ok(kept.trial(&self.shared, record).running(running))
        })
    }

    /// Ends a trial, given by itself or by its number, and returns it as it is stored. `state` may be complete, pruned or failed.
    #[pyo3(signature = (trial, result, state=None))]
    fn tell_trial(
        &self,
        py: Python<'_>,
        trial: &Bound<'_, PyAny>,
        result: &Bound<'_, PyAny>,
        state: Option<&str>,
    ) -> EngineResult<PyTrial> {
        let told = trial.cast::<PyTrial>().ok().map(Bound::get);
        let number = told.map_or_else(|| trial.extract(), |trial| Ok(trial.record.number))?;
        let running = told.and_then(|trial| trial.running.clone());
        let claimed = told.map(|trial| &*trial.record);
        let names = self.shape_now(py)?.1;
        let result = outcome(result, "value", &names.measured)?;
        self.shared.held(py, |kept| {
            let outcome = as_state(result, state, names.objective());
            let record = kept.end(number, claimed, outcome, running.as_deref())?;
            Ok(kept.trial(&self.shared, record))
        })
    }

    /// Adds values to be evaluated next; with `if_new` not if a trial or the queue has them.
    #[pyo3(signature = (values, if_new=false))]
    fn enqueue(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyDict>,
        if_new: bool,
    ) -> EngineResult<()> {
        let values = params(values)?;
        self.shared.held(py, |kept| {
            let is_empty = kept.study.definition().space.is_empty();
            let values = match is_empty {
                true => values,
                false => checked(kept.study.definition(), &values)?,
            };
            if if_new && kept.has(&values)? {
                return Ok(());
            }
            if is_empty {
                kept.queue.push_back(values);
                return Ok(());
            }
            kept.study.add(&[waiting(values)])?;
            Ok(())
        })
    }

    /// Adds points, in the form of the study, to be evaluated next.
    fn enqueue_points(&self, py: Python<'_>, points: &Bound<'_, PyAny>) -> EngineResult<()> {
        let space = self.space_now(py)?;
        let points = self.form.read_all(&space, points)?;
        let waiting = |point| waiting(space.params(point));
        let trials: Vec<NewTrial> = points.iter().map(waiting).collect();
        self.shared.held(py, |kept| {
            kept.study.add(&trials)?;
            Ok(())
        })
    }

    /// Adds trials from elsewhere, all or none: `(params, result, state, {step: value}, attributes)`; returns their numbers.
    #[allow(clippy::type_complexity)]
    fn add_trials(
        &self,
        py: Python<'_>,
        trials: Vec<(
            Bound<'_, PyDict>,
            Bound<'_, PyAny>,
            Option<String>,
            Vec<(i64, f64)>,
            Bound<'_, PyDict>,
        )>,
    ) -> EngineResult<Vec<u64>> {
        let names = self.shape_now(py)?.1;
        let mut given = Vec::new();
        for (values, result, state, reports, attributes) in trials {
            let result = outcome(&result, "value", &names.measured)?;
            given.push(GivenTrial {
                params: params(&values)?,
                outcome: as_state(result, state.as_deref(), names.objective()),
                reports,
                attributes: crate::convert::attributes(&attributes)?,
            });
        }
        self.shared.held(py, |kept| {
            let definition = kept.study.definition();
            let trials = given.into_iter().map(|trial| trial.checked(definition));
            let trials = trials.collect::<PyResult<Vec<NewTrial>>>()?;
            Ok(kept.study.add(&trials)?)
        })
    }

    /// The study grows by a parameter `(name, kind, arguments)`; `(from, to)` if it had a smaller domain.
    fn grow(
        &self,
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
    ) -> EngineResult<Option<(String, String)>> {
        let parameter = crate::space::parameter(spec)?;
        let growth = self
            .shared
            .held(py, |kept| Ok(kept.study.grow(&parameter)?))?;
        Ok(match growth {
            Growth::Widened { from, to } => Some((from, to)),
            _ => None,
        })
    }
}

/// A trial from elsewhere, not checked yet.
struct GivenTrial {
    params: Params,
    outcome: Outcome,
    reports: Vec<(i64, f64)>,
    attributes: Attributes,
}

impl GivenTrial {
    fn checked(self, definition: &Definition) -> PyResult<NewTrial> {
        let Ending { state, values, .. } = definition
            .ending(self.outcome)
            .ok_or_else(|| value_error("it has no result"))?;
        let name = definition.objective();
        let report = |(step, value): (i64, f64)| Report {
            step,
            name: name.to_owned(),
            value,
        };
        Ok(NewTrial {
            trial: Record {
                attributes: self.attributes,
                ..Record::known(checked(definition, &self.params)?, state, values)
            },
            reports: self.reports.into_iter().map(report).collect(),
        })
    }
}

/// A trial that waits for a worker.
fn waiting(params: Params) -> NewTrial {
    Record::known(params, State::Running, Values::new()).into()
}

fn checked(definition: &Definition, values: &Params) -> PyResult<Params> {
    definition
        .space
        .check_known(values)
        .map_err(|error| space_error(&definition.space, error))
}

/// The outcome under the state that was given with it; a pruned trial keeps its value, if any, a failed one does not.
fn as_state(outcome: Outcome, state: Option<&str>, objective: &str) -> Outcome {
    match (state, outcome) {
        (Some("pruned"), Outcome::Value(value)) => {
            Outcome::Pruned(None, Values::from([(objective.to_owned(), value)]))
        }
        (Some("pruned"), Outcome::Values(values)) => Outcome::Pruned(None, values),
        (Some("pruned"), Outcome::Failed(_)) => Outcome::Pruned(None, Values::new()),
        (Some("failed"), Outcome::Failed(failure)) => Outcome::Failed(failure),
        (Some("failed"), _) => Outcome::Failed(Failure::new(FailureKind::Error, "told as failed")),
        (_, outcome) => outcome,
    }
}

impl HeldStudy {
    /// A record as Python sees it, with the next queued values in place of suggested ones.
    pub fn trial(&mut self, shared: &Arc<SharedStudy>, mut record: Record) -> PyTrial {
        if record.is_running()
            && let Some(values) = self.queue.pop_front()
        {
            let params = record.params.get_or_insert_default();
            values
                .into_iter()
                .for_each(|(name, value)| drop(params.insert(name, value)));
        }
        PyTrial::of(self, shared, record)
    }

    /// Whether a trial, or the queue, has all of these values.
    fn has(&mut self, values: &Params) -> EngineResult<bool> {
        let holds = |params: &Params| {
            values
                .iter()
                .all(|(name, value)| params.get(name) == Some(value))
        };
        let trials = self.study.trials()?;
        let mut known = trials.iter().filter_map(|trial| trial.params.as_ref());
        Ok(known.any(holds) || self.queue.iter().any(holds))
    }

    /// What takes the intermediate values of a trial that is evaluated outside of the loop.
    pub fn reporter(&self, record: &Record) -> Reporter {
        let provenance = record.provenance.as_ref();
        let parts = ReporterParts {
            store: Arc::clone(self.store()),
            lease: self.study.lease(record),
            resumes: provenance.and_then(|provenance| provenance.resumes),
            definition: self.study.definition(),
            cancel: Cancel::default(),
        };
        Reporter::new(parts, || {})
    }

    /// Ends a trial as it was claimed, or else the current claim.
    fn end(
        &mut self,
        number: u64,
        claimed: Option<&Record>,
        outcome: Outcome,
        running: Option<&LiveTrial>,
    ) -> EngineResult<Record> {
        let (study, store) = (self.id(), Arc::clone(self.store()));
        let lease = match claimed.filter(|record| record.token != Token::NONE) {
            Some(record) => self.study.lease(record),
            None => self.study.lease(&store.trial(study, number)?),
        };
        let objective = self.study.definition().objective();
        let outcome = match (running, outcome) {
            (Some(running), outcome) => running.ended_by(outcome, objective),
            (None, Outcome::Pruned(_, values)) if values.is_empty() => {
                let mut reports = store.reports(study, number)?;
                reports.retain(|report| report.name == objective);
                let last = reports.pop();
                let step = last.as_ref().map(|last| last.step);
                let values = last.map(|last| (last.name, last.value));
                Outcome::Pruned(step, values.into_iter().collect())
            }
            (None, outcome) => outcome,
        };
        let mut ending = self
            .study
            .definition()
            .ending(outcome)
            .ok_or_else(|| value_error("an interrupted trial has no result"))?;
        if let Some(running) = running {
            match running.reporter.flush() {
                // A report that comes too late is answered by the tell that follows.
                Err(error) if !error.is_too_late() => return Err(error.into()),
                _ => {}
            }
            ending.params = running.reporter.params();
            running.end();
        }
        self.study.end_as(&lease, &ending)?;
        Ok(store.trial(study, number)?)
    }
}

/// Seconds as a duration.
pub fn seconds(given: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(given).map_err(|error| value_error(format!("{given} s: {error}")))
}
