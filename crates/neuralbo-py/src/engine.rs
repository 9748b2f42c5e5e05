//! A study in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use neuralbo::space::{Point, Space as CoreSpace};
use neuralbo::strategy::presets::{self, Options};
use neuralbo::study::{Direction, Study, Trial};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::{Form, Told, outcomes};
use crate::errors::{attached, detached, runtime_error, space_error, value_error};
use crate::model::{Sample, model_of};
use crate::open::Open;
use crate::record;
use crate::space::Space;

/// A study in memory, told by its points.
#[pyclass(frozen, module = "neuralbo._engine")]
pub struct Engine {
    form: Form,
    space: CoreSpace,
    state: Mutex<State>,
}

struct State {
    study: Study,
    open: Open,
}

#[pymethods]
impl Engine {
    /// `form` says how points look: vector, named or index; `options` are texts `key=value`; `record` is what `record()` gave.
    #[new]
    #[pyo3(signature = (space, form, direction, method, options, seed, record=None))]
    fn new(
        space: &Space,
        form: &str,
        direction: &str,
        method: &str,
        options: Vec<String>,
        seed: u64,
        record: Option<&str>,
    ) -> PyResult<Self> {
        let (form, space) = (Form::parse(form)?, space.0.clone());
        let options = Options::parse(&options).map_err(value_error)?;
        let direction = read_direction(direction)?;
        let study = attached(|| {
            let strategy = presets::build(method, &space, seed, &options).map_err(value_error)?;
            let study = Study::new(space.clone(), direction, strategy);
            match record {
                Some(text) => record::restore(study, text),
                None => Ok(study),
            }
        })?;
        let mut open = Open::default();
        study.running().for_each(|trial| open.push(trial.point.clone(), trial.number));
        Ok(Self { form, space, state: Mutex::new(State { study, open }) })
    }

    /// Up to `count` new points.
    fn ask<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyList>> {
        let asked = detached(py, || {
            let mut state = self.lock();
            let asked = state.study.ask_many(count)?;
            asked.iter().for_each(|trial| state.open.push(trial.point.clone(), trial.number));
            Ok(asked)
        })?;
        let asked = asked.map_err(|error: neuralbo::strategy::Exhausted| runtime_error(error))?;
        let points = asked.iter().map(|trial| self.form.write(py, &self.space, &trial.point)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, points)
    }

    /// Tells the results of points that were asked for; all or none.
    fn tell(&self, py: Python<'_>, points: &Bound<'_, PyAny>, results: &Bound<'_, PyAny>) -> PyResult<()> {
        let (points, told) = self.pairs(points, results)?;
        let unknown = detached(py, || self.lock().tell(&points, told))?;
        unknown.map_err(|index| {
            let shown = self.shown(&points[index]);
            value_error(format!("x = {shown} was not asked for, or is told already; use `add` for results from elsewhere"))
        })
    }

    /// Adds results known from elsewhere.
    fn add(&self, py: Python<'_>, points: &Bound<'_, PyAny>, results: &Bound<'_, PyAny>) -> PyResult<()> {
        let (points, told) = self.pairs(points, results)?;
        detached(py, || {
            let study = &mut self.lock().study;
            points.into_iter().zip(told).try_for_each(|(point, told)| match told {
                Told::Value(value) => study.tell_known(point, value).map(|_| ()),
                Told::Failed(failure) => study.tell_known_failed(point, failure).map(|_| ()),
            })
        })?
        .map_err(space_error)
    }

    /// Adds points that are being evaluated elsewhere.
    fn add_running(&self, py: Python<'_>, points: &Bound<'_, PyAny>) -> PyResult<()> {
        let points = self.form.read_all(&self.space, points)?;
        detached(py, || {
            let mut state = self.lock();
            points.into_iter().try_for_each(|point| {
                let number = state.study.add_running(point.clone())?.number;
                state.open.push(point, number);
                Ok(())
            })
        })?
        .map_err(space_error)
    }

    /// `(x, value, number)` of the best trial.
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyAny>, f64, u64)>> {
        let best = detached(py, || self.lock().study.best().map(|trial| (trial.point.clone(), trial.value(), trial.number)))?;
        let Some((point, Some(value), number)) = best else { return Ok(None) };
        Ok(Some((self.form.write(py, &self.space, &point)?, value, number)))
    }

    /// How many trials have finished, and how many are running.
    fn counts(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        detached(py, || {
            let study = &self.lock().study;
            (study.finished().len(), study.running().len())
        })
    }

    /// `(number, x, value, state, origin, mean, sd, message)` of all trials from number `first` on.
    #[pyo3(signature = (first=0))]
    fn trials<'py>(&self, py: Python<'py>, first: usize) -> PyResult<Bound<'py, PyList>> {
        let trials: Vec<Trial> = detached(py, || self.lock().study.trials().get(first..).unwrap_or_default().to_vec())?;
        let found = PyList::empty(py);
        for trial in trials {
            let x = self.form.write(py, &self.space, &trial.point)?;
            let message = trial.failure().map(ToString::to_string);
            let origin = trial.origin.to_string();
            found.append((trial.number, x, trial.value(), trial.state.name(), origin, trial.mean, trial.sd, message))?;
        }
        Ok(found)
    }

    /// All trials as JSON; the constructor continues from it.
    fn record(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || record::write(&self.lock().study))?
    }

    /// Mean and standard deviation of the model at points.
    fn predict(&self, py: Python<'_>, points: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let points = self.form.read_all(&self.space, points)?;
        let found = detached(py, || Ok(model_of(&mut self.lock().study)?.predict(&points)))?;
        let prediction = found.map_err(|error: String| runtime_error(error))?.map_err(space_error)?;
        Ok((prediction.mean, prediction.sd))
    }

    /// One function drawn from the model.
    fn sample(&self, py: Python<'_>, seed: u64) -> PyResult<Sample> {
        let found = detached(py, || Ok(model_of(&mut self.lock().study)?.sample(seed)))?;
        let function = found.map_err(|error: String| runtime_error(error))?;
        let function = function.ok_or_else(|| runtime_error("the model of this method cannot be sampled as a function"))?;
        Ok(Sample::new(self.form, self.space.clone(), function))
    }

    /// `(x, mean, sd, number)` of the trial that the model believes best.
    fn recommend<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, f64, f64, u64)> {
        let found = detached(py, || self.lock().study.recommend())?.map_err(runtime_error)?;
        Ok((self.form.write(py, &self.space, &found.point)?, found.mean, found.sd, found.number))
    }
}

impl Engine {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pairs(&self, points: &Bound<'_, PyAny>, results: &Bound<'_, PyAny>) -> PyResult<(Vec<Point>, Vec<Told>)> {
        let (points, told) = (self.form.read_all(&self.space, points)?, outcomes(results)?);
        if points.len() == told.len() {
            return Ok((points, told));
        }
        Err(value_error(format!("x has {} points, but y has {} values", points.len(), told.len())))
    }

    fn shown(&self, point: &Point) -> String {
        let named: Vec<String> = self.space.named(point).map(|(name, value)| format!("{name}: {value}")).collect();
        format!("{{{}}}", named.join(", "))
    }
}

impl State {
    /// The error is the index of a point that is not running.
    fn tell(&mut self, points: &[Point], told: Vec<Told>) -> Result<(), usize> {
        let numbers = self.numbers(points)?;
        for (number, told) in numbers.into_iter().zip(told) {
            // A number from `open` is running, so the study accepts it.
            let _ = match told {
                Told::Value(value) => self.study.tell(number, value),
                Told::Failed(failure) => self.study.tell_failed(number, failure),
            };
        }
        Ok(())
    }

    /// Takes the trials of these points from the open ones; on an error all stay.
    fn numbers(&mut self, points: &[Point]) -> Result<Vec<u64>, usize> {
        let mut numbers = Vec::with_capacity(points.len());
        for (index, point) in points.iter().enumerate() {
            match self.open.take(point) {
                Some(number) => numbers.push(number),
                None => {
                    points.iter().zip(numbers).rev().for_each(|(point, number)| self.open.put_back(point, number));
                    return Err(index);
                }
            }
        }
        Ok(numbers)
    }
}

/// `minimize` or `maximize`.
pub fn read_direction(text: &str) -> PyResult<Direction> {
    match text {
        "minimize" => Ok(Direction::Minimize),
        "maximize" => Ok(Direction::Maximize),
        _ => Err(value_error(format!("direction = {text:?} is not allowed; it must be minimize or maximize"))),
    }
}
