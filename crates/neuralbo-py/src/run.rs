//! Python functions in the engine's loop.

use std::collections::HashMap;

use std::sync::{Arc, Mutex};

use neuralbo::drive::{
    Cancel, CancelReason, DriveOptions, DriveSummary, Objective, Observer, Reporter, RunStanding,
    Stop, Waiting, drive,
};
use neuralbo::record::{Outcome, Trial as Record};
use neuralbo::store::Told;
use neuralbo::study::Study as CoreStudy;
use neuralbo_store::{Keeper, Secret, Spool};
use pyo3::exceptions::{PyException, PyRuntimeError, PyRuntimeWarning, PyStopIteration};
use pyo3::prelude::*;

use crate::errors::{EngineResult, TrialPruned, computed, detached, run_error, value_error};
use crate::listening::listening;
use crate::lock;
use crate::outcome::{failure, outcome};
use crate::process;
use crate::shared_study::SharedStudy;
use crate::study::PyStudy;
use crate::trial::{LiveTrial, PyTrial};
use crate::trials::seconds;

/// What a run needs of Python.
#[pyclass(frozen, name = "Run", module = "neuralbo._engine")]
pub struct PyRun {
    shared: Arc<SharedStudy>,
    /// Called with a trial; gives its value.
    objective: Py<PyAny>,
    /// Called with every trial that was told.
    callback: Option<Py<PyAny>>,
    /// Exceptions that make a trial a failed one.
    catch: Py<PyAny>,
    /// Names the value in errors.
    what: String,
    stop: Stop,
    error: Mutex<Option<PyErr>>,
    held: Mutex<HashMap<u64, Record>>,
}

#[pymethods]
impl PyRun {
    #[new]
    #[pyo3(signature = (study, objective, callback, catch, what))]
    fn new(
        study: &PyStudy,
        objective: Py<PyAny>,
        callback: Option<Py<PyAny>>,
        catch: Py<PyAny>,
        what: String,
    ) -> Self {
        Self {
            shared: Arc::clone(&study.shared),
            objective,
            callback,
            catch,
            what,
            stop: Stop::default(),
            error: Mutex::default(),
            held: Mutex::default(),
        }
    }

    /// Begins no more trials.
    fn stop(&self) {
        self.stop.finish();
    }

    /// Runs until something says stop; returns why, in one word and as text, and how many trials finished.
    ///
    /// One worker is the calling thread; several are threads of their own, while the calling one listens for signals.
    #[pyo3(signature = (workers, trials=None, timeout_s=None, lease_s=60.0))]
    fn drive(
        slf: &Bound<'_, Self>,
        workers: usize,
        trials: Option<u64>,
        timeout_s: Option<f64>,
        lease_s: f64,
    ) -> EngineResult<(&'static str, String, u64)> {
        let (py, run) = (slf.py(), slf.get());
        let (lease, timeout) = (seconds(lease_s)?, timeout_s.map(seconds).transpose()?);
        let (mut study, worker) = run.shared.held(py, |kept| {
            let (fresh, worker) = (kept.view()?, kept.worker(lease));
            kept.take_over_dead();
            // The fitted strategy is reused; readers of the study have a view of their own meanwhile.
            Ok((std::mem::replace(&mut kept.study, fresh), worker))
        })?;
        let options = DriveOptions {
            workers,
            trials,
            timeout,
            worker,
            stop: run.stop.clone(),
        };
        let summary = if workers == 1 && !process::is_forked() {
            let summary = detached(py, || run.go(&mut study, &options))?;
            detached(py, || run.take_back(study))??;
            summary
        } else {
            Self::beside(slf, study, options)?
        };
        if let Some(error) = lock(&run.error).take() {
            return Err(error.into());
        }
        run.shared.held(py, |kept| Ok(kept.predicates.check()?))?;
        let DriveSummary { stop, finished, .. } = summary?;
        Ok((stop.name(), stop.to_string(), finished))
    }
}

impl PyRun {
    /// The loop. What a storage cannot take meanwhile is kept in files, and what earlier runs kept is told first.
    fn go(&self, study: &mut CoreStudy, options: &DriveOptions) -> EngineResult<DriveSummary> {
        let url = self.shared.lock()?.url.clone();
        let keeper = url.as_ref().map(|url| {
            self.recover(study, url);
            Keeper::new(url.reveal(), study.record(), |text| self.warn(text))
        });
        let mut keeper = keeper.transpose()?;
        let mut watcher = Watcher(self);
        let mut observers: Vec<&mut dyn Observer> = vec![&mut watcher];
        observers.extend(keeper.as_mut().map(|keeper| keeper as &mut dyn Observer));
        let driven = drive(study, self, options, &mut observers);
        driven.map_err(|error| run_error(error, keeper.and_then(|keeper| keeper.left())))
    }

    fn recover(&self, study: &CoreStudy, url: &Secret) {
        // Without a folder there is nothing; the keeper says so.
        let Ok(spool) = Spool::of_user() else { return };
        match spool.recover(study.store().as_ref(), url.reveal()) {
            Ok(recovered) => {
                let lines = recovered.late.iter().chain(&recovered.left);
                lines.for_each(|line| self.warn(line));
            }
            Err(error) => self.warn(&format!(
                "results of earlier workers cannot be stored: {error}"
            )),
        }
    }

    /// A warning, which ends the run where warnings are made errors.
    fn warn(&self, text: &str) {
        Python::attach(|py| {
            std::ffi::CString::new(text)
                .map_err(value_error)
                .and_then(|text| PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1))
                .unwrap_or_else(|error| self.fail(py, error));
        });
    }

    fn take_back(&self, study: CoreStudy) -> PyResult<()> {
        self.shared.lock()?.study = study;
        Ok(())
    }

    /// The loop on a thread of its own. An interrupt gives the trials back and leaves at once: a Python function in another
    /// thread cannot be stopped, and what it returns later is told if nobody else was faster.
    fn beside(
        slf: &Bound<'_, Self>,
        mut study: CoreStudy,
        options: DriveOptions,
    ) -> PyResult<EngineResult<DriveSummary>> {
        let py = slf.py();
        let theirs = slf.clone().unbind();
        let ran = listening(py, move || {
            let run = theirs.get();
            let driven = computed(|| run.go(&mut study, &options));
            (driven, run.take_back(study))
        });
        let (driven, kept) = match ran {
            Ok(ran) => ran,
            Err(signal) => {
                let run = slf.get();
                run.stop.kill();
                detached(py, || run.give_back())??;
                return Err(signal);
            }
        };
        kept?;
        driven.map_err(PyRuntimeError::new_err)
    }

    fn give_back(&self) -> PyResult<()> {
        let held: Vec<Record> = lock(&self.held).values().cloned().collect();
        self.shared.lock()?.give_back(&held);
        Ok(())
    }

    /// Ends the run with an exception, the first one that came.
    fn fail(&self, py: Python<'_>, error: PyErr) {
        if error.is_instance_of::<PyException>(py) {
            self.stop.finish();
        } else {
            // KeyboardInterrupt and SystemExit.
            self.stop.kill();
        }
        lock(&self.error).get_or_insert(error);
    }

    fn call(&self, py: Python<'_>, trial: PyTrial) -> PyResult<Outcome> {
        let names = Arc::clone(&trial.names);
        outcome(
            &self.objective.call1(py, (trial,))?.into_bound(py),
            &self.what,
            &names.measured,
        )
    }

    /// What an exception of the objective says about its trial.
    fn raised(&self, py: Python<'_>, error: PyErr, reporter: &Reporter) -> Outcome {
        let object = error.value(py).clone().into_any();
        let failed = failure(&object).unwrap_or(Outcome::Interrupted);
        if error.is_instance_of::<TrialPruned>(py) {
            return reporter.stopped();
        }
        if error.matches(py, self.catch.bind(py)).unwrap_or(false) {
            return failed;
        }
        let ours = error.is_instance_of::<PyException>(py);
        self.fail(py, error);
        if ours { failed } else { Outcome::Interrupted }
    }
}

impl Objective for PyRun {
    fn evaluate(&self, record: &Record, reporter: &Reporter, cancel: &Cancel) -> Outcome {
        if cancel.reason() == Some(CancelReason::Interrupted) {
            return Outcome::Interrupted;
        }
        lock(&self.held).insert(record.number, record.clone());
        let running = LiveTrial::new(reporter.clone(), false);
        let trial = self.shared.lock().map(|mut kept| {
            kept.trial(&self.shared, record.clone())
                .running(Arc::clone(&running))
        });
        let outcome = Python::attach(|py| match trial.and_then(|trial| self.call(py, trial)) {
            Ok(outcome) => outcome,
            Err(error) => self.raised(py, error, reporter),
        });
        running.end();
        lock(&self.held).remove(&record.number);
        outcome
    }
}

/// Calls back, and listens for signals while the loop waits.
struct Watcher<'a>(&'a PyRun);

impl Observer for Watcher<'_> {
    fn told(&mut self, trial: &Record, told: Told, _: &RunStanding) {
        let Self(run) = self;
        if let Err(raised) = run.shared.lock().and_then(|kept| kept.predicates.check()) {
            Python::attach(|py| run.fail(py, raised));
        }
        let Some(callback) = run.callback.as_ref().filter(|_| told != Told::Retried) else {
            return;
        };
        let trial = || -> PyResult<PyTrial> {
            let record = run.shared.trial(trial.number)?;
            Ok(run.shared.lock()?.trial(&run.shared, record))
        };
        let trial = trial();
        Python::attach(
            |py| match trial.and_then(|trial| callback.call1(py, (trial,))) {
                Ok(_) => {}
                Err(error) if error.is_instance_of::<PyStopIteration>(py) => run.stop.finish(),
                Err(error) => run.fail(py, error),
            },
        );
    }

    fn waiting(&mut self, waiting: &Waiting) {
        if let Waiting::Storage { error, untold } = waiting {
            self.0.warn(&format!(
                "waiting for the storage: {error}; results kept meanwhile: {untold}"
            ));
        }
    }

    fn idle(&mut self) {
        Python::attach(|py| {
            py.check_signals()
                .unwrap_or_else(|error| self.0.fail(py, error))
        });
    }
}

/// Checks a method and its options for a space of two parameters.
#[pyfunction]
pub fn check_method(method: String, options: Vec<String>) -> PyResult<()> {
    use neuralbo::record::{Definition, Direction};
    use neuralbo::study::strategy_of;
    let space =
        neuralbo::space::Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).map_err(value_error)?;
    let definition = Definition {
        method,
        options,
        ..Definition::new(space, Direction::Minimize)
    };
    strategy_of(&definition, &neuralbo_paper::registry())
        .map(drop)
        .map_err(value_error)
}

/// Whether a method can choose points for several objectives, and under outcome constraints.
#[pyfunction]
pub fn method_goals(method: &str) -> PyResult<(bool, bool)> {
    let registry = neuralbo_paper::registry();
    let found = registry.find(method).map_err(value_error)?;
    Ok((found.objectives, found.outcome_constraints))
}
