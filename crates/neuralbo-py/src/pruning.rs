//! Early stopping: a study's pruner, and the checkpoints of its trials.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use neuralbo::drive::ReportError;
use neuralbo::record::{Definition, Outcome};
use neuralbo_store::Checkpoints;
use pyo3::prelude::*;

use crate::definition;
use crate::errors::{detached, study_error, value_error};
use crate::shared_study::HeldStudy;
use crate::study::PyStudy;
use crate::trial::{LiveTrial, PyTrial};

#[pymethods]
impl PyStudy {
    /// When trials are stopped early, as text.
    #[getter]
    fn pruner(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.record_of(py, |record| {
            record.definition.pruner.as_ref().map(ToString::to_string)
        })
    }

    /// Changes when trials are stopped early, for those that begin afterwards.
    #[pyo3(signature = (text))]
    fn set_pruner(&self, py: Python<'_>, text: Option<&str>) -> PyResult<()> {
        let pruner = definition::pruner(text)?;
        detached(py, || {
            let study = &mut self.shared.lock()?.study;
            let given = Definition {
                pruner,
                ..study.definition().clone()
            };
            study.redefine(given, &[]).map(drop).map_err(study_error)
        })?
    }

    /// Gives trials folders for their checkpoints below this one; stopped trials that deserve it go on from there.
    fn keep_checkpoints(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        detached(py, || {
            let mut kept = self.shared.lock()?;
            kept.keep_checkpoints(&folder);
            Ok(())
        })?
    }
}

#[pymethods]
impl PyTrial {
    /// The number of the stopped trial that it goes on with.
    #[getter]
    fn resumes(&self) -> Option<u64> {
        self.record
            .provenance
            .as_ref()
            .and_then(|provenance| provenance.resumes)
    }

    /// The folder for its state, which exists; shared with the trial that it resumes. `None` without `checkpoints`.
    #[getter]
    fn checkpoint(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let Some(study) = &self.study else {
            return Ok(None);
        };
        let checkpoints = detached(py, || study.lock().map(|kept| kept.checkpoints.clone()))??;
        let Some(checkpoints) = checkpoints else {
            return Ok(None);
        };
        let folder = detached(py, || checkpoints.of(&self.record))?.map_err(value_error)?;
        Ok(Some(folder.display().to_string()))
    }

    /// The step at which the pruner lets it end.
    #[getter]
    fn max_steps(&self, py: Python<'_>) -> PyResult<Option<i64>> {
        let Some(study) = &self.study else {
            return Ok(None);
        };
        let pruner = detached(py, || {
            study
                .lock()
                .map(|kept| kept.study.definition().pruner.clone())
        })??;
        Ok(pruner.and_then(|pruner| pruner.max_steps()))
    }
}

impl HeldStudy {
    /// Has checkpoints from now on.
    pub fn keep_checkpoints(&mut self, folder: &Path) {
        self.checkpoints = Some(Arc::new(Checkpoints::new(folder, &self.study)));
        self.study.promote_stopped(true);
    }
}

impl LiveTrial {
    /// Takes an intermediate value. One that is not finite is not stored, but the trial is told to stop.
    pub fn report(&self, step: i64, value: f64) -> PyResult<()> {
        match self.reporter.report(step, value) {
            Err(ReportError::NotFinite { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(value_error(error)),
        }
    }

    /// The outcome of a trial told as pruned at these values: the pruner may call it complete.
    pub fn ended_by(&self, outcome: Outcome, objective: &str) -> Outcome {
        let Outcome::Pruned(None, values) = outcome else {
            return outcome;
        };
        let (step, last) = self.reporter.last();
        if last.get(objective) == values.get(objective) {
            self.reporter.stopped()
        } else {
            Outcome::Pruned(step, values)
        }
    }
}
