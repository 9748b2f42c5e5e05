//! Several objectives and outcome constraints of a study, and its Pareto front.

use neuralbo::study::hypervolume_history;
use pyo3::prelude::*;

use crate::errors::{EngineResult, value_error};
use crate::study::PyStudy;
use crate::trial::PyTrial;

#[pymethods]
impl PyStudy {
    /// The objectives: name, direction and reference value.
    #[getter]
    fn objectives(&self, py: Python<'_>) -> EngineResult<Vec<(String, String, Option<f64>)>> {
        self.record_of(py, |record| {
            let objectives = record.definition.objectives.iter();
            objectives
                .map(|one| (one.name.clone(), one.direction.to_string(), one.reference))
                .collect()
        })
    }

    /// The outcome constraints: name, smallest and largest value allowed, and the text they are written as.
    #[getter]
    #[allow(clippy::type_complexity)]
    fn outcome_constraints(
        &self,
        py: Python<'_>,
    ) -> EngineResult<Vec<(String, Option<f64>, Option<f64>, String)>> {
        self.record_of(py, |record| {
            let constraints = record.definition.outcome_constraints.iter();
            constraints
                .map(|one| (one.name.clone(), one.at_least, one.at_most, one.to_string()))
                .collect()
        })
    }

    /// Names the objectives; values that were told keep their names, so that there must be none.
    fn rename_objectives(&self, py: Python<'_>, names: Vec<String>) -> EngineResult<()> {
        self.shared.held(py, |kept| {
            let study = &mut kept.study;
            let mut given = study.definition().clone();
            let (found, wanted) = (names.len(), given.objectives.len());
            if found != wanted {
                return Err(value_error(format!(
                    "metric_names has {found} names, but the study has {wanted} objectives"
                ))
                .into());
            }
            let mut pairs = given.objectives.iter().zip(&names);
            if pairs.all(|(objective, name)| objective.name == *name) {
                return Ok(());
            }
            let finished = study.counts().finished();
            if finished > 0 {
                return Err(value_error(format!(
                    "metric_names: {finished} trials have ended with values under the present names; \
                     name the objectives in create_study(objectives=…)"
                ))
                .into());
            }
            for (objective, name) in given.objectives.iter_mut().zip(names) {
                objective.name = name;
            }
            study.redefine(given, &[])?;
            Ok(())
        })
    }

    /// The trials of the Pareto front; with one objective the best one.
    fn front(&self, py: Python<'_>) -> EngineResult<Vec<PyTrial>> {
        self.listed(py, |kept| kept.study.front())
    }

    /// The hypervolume of the front and the reference point, one value an objective; `None` while it is empty.
    fn hypervolume(&self, py: Python<'_>) -> EngineResult<Option<(Option<f64>, Vec<f64>)>> {
        let found = self.shared.held(py, |kept| Ok(kept.study.hypervolume()?))?;
        Ok(found.map(|found| (found.value, found.reference)))
    }

    /// The number of each finished trial, in the order in which they finished, and the hypervolume after it.
    fn hypervolume_history(&self, py: Python<'_>) -> EngineResult<Vec<(u64, f64)>> {
        self.shared.held(py, |kept| {
            let mut trials = kept.study.trials()?;
            trials.retain(|trial| trial.seq.is_some());
            trials.sort_by_key(|trial| trial.seq);
            let volumes = hypervolume_history(kept.study.definition(), &trials);
            let numbers = trials.iter().map(|trial| trial.number);
            Ok(numbers.zip(volumes).collect())
        })
    }

    /// The complete trial that violates the outcome constraints least, and by how much in all.
    fn least_violation(&self, py: Python<'_>) -> EngineResult<Option<(PyTrial, f64)>> {
        self.shared.held(py, |kept| {
            let found = kept.study.least_violation()?;
            Ok(found
                .map(|(record, violation)| (PyTrial::of(kept, &self.shared, record), violation)))
        })
    }
}
