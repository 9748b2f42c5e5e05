//! Early stopping: a study's pruner, and the checkpoints of its trials.

use std::path::PathBuf;
use std::sync::Arc;

use neuralbo::drive::ReportError;
use neuralbo::record::{Definition, Outcome};
use neuralbo_store::Checkpoints;
use pyo3::prelude::*;

use crate::definition;
use crate::errors::{EngineResult, detached, value_error};
use crate::study::PyStudy;
use crate::trial::{LiveTrial, PyTrial};

#[pymethods]
impl PyStudy {
    /// When trials are stopped early, as text.
    #[getter]
    fn pruner(&self, py: Python<'_>) -> EngineResult<Option<String>> {
        self.record_of(py, |record| {
            record.definition.pruner.as_ref().map(ToString::to_string)
        })
    }

    /// Changes when trials are stopped early, for those that begin afterwards.
    #[pyo3(signature = (text))]
    fn set_pruner(&self, py: Python<'_>, text: Option<&str>) -> EngineResult<()> {
        let pruner = definition::pruner(text)?;
        self.shared.held(py, |kept| {
            let given = Definition {
                pruner,
                ..kept.study.definition().clone()
            };
            kept.study.redefine(given, &[])?;
            Ok(())
        })
    }

    /// Gives trials folders for their checkpoints below this one; stopped trials that deserve it go on from there.
    fn keep_checkpoints(&self, py: Python<'_>, folder: PathBuf) -> EngineResult<()> {
        self.shared.held(py, |kept| {
            kept.checkpoints = Some(Arc::new(Checkpoints::new(&folder, &kept.study)));
            kept.study.promote_stopped(true);
            Ok(())
        })
    }
}

#[pymethods]
impl PyTrial {
    /// The number of the stopped trial that it goes on with.
    #[getter]
    fn resumes(&self) -> Option<u64> {
        self.provenance()?.resumes
    }

    /// The folder for its state, which exists; shared with the trial that it resumes. `None` without `checkpoints`.
    #[getter]
    fn checkpoint(&self, py: Python<'_>) -> EngineResult<Option<String>> {
        let Some(study) = &self.study else {
            return Ok(None);
        };
        let Some(checkpoints) = study.held(py, |kept| Ok(kept.checkpoints.clone()))? else {
            return Ok(None);
        };
        let folder = detached(py, || checkpoints.of(&self.record))?.map_err(value_error)?;
        Ok(Some(folder.display().to_string()))
    }

    /// The step at which the pruner lets it end.
    #[getter]
    fn max_steps(&self, py: Python<'_>) -> EngineResult<Option<i64>> {
        let Some(study) = &self.study else {
            return Ok(None);
        };
        study.held(py, |kept| {
            let pruner = kept.study.definition().pruner.as_ref();
            Ok(pruner.and_then(|pruner| pruner.max_steps()))
        })
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
