//! What matters, by a model of the trials; answers cross as JSON and become classes in `neuralbo.importance`.

use neuralbo::importance::{ImportanceOptions, RegionModel};
use neuralbo::space::{Params, SpaceError};
use neuralbo::strategy::NoModel;
use neuralbo::study::StudyError;
use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::{study_error, value_error};
use crate::study::PyStudy;

/// What an answer is about.
#[derive(Clone)]
struct ImportanceQuery {
    objective: Option<String>,
    near: Option<f64>,
    options: ImportanceOptions,
}

impl ImportanceQuery {
    fn new(objective: Option<String>, near: Option<f64>, level: f64, seed: u64) -> Self {
        Self {
            objective,
            near,
            options: ImportanceOptions {
                level,
                seed,
                ..ImportanceOptions::default()
            },
        }
    }

    fn model(&self, study: &neuralbo::study::Study) -> Result<RegionModel, StudyError> {
        let observed = study.observations(self.objective.as_deref())?;
        let model = match self.near {
            None => RegionModel::whole(&observed, self.options.seed),
            Some(share) => RegionModel::near_best(&observed, share, self.options.seed),
        };
        Ok(model.map_err(NoModel::Unfit)?)
    }
}

#[pymethods]
impl PyStudy {
    /// Sobol indices of the objective over the whole space, or near the best share of the trials.
    fn importance(
        &self,
        py: Python<'_>,
        objective: Option<String>,
        near: Option<f64>,
        level: f64,
        seed: u64,
    ) -> PyResult<String> {
        let asked = ImportanceQuery::new(objective, near, level, seed);
        let found = self.compute(py, move |kept| {
            let model = asked.model(&kept.study)?;
            Ok::<_, StudyError>(model.importance(&asked.options).map_err(NoModel::Unfit)?)
        })?;
        json(&found.map_err(study_error)?)
    }

    /// The objective along one parameter, averaged over all others or with the others as in a trial.
    #[pyo3(signature = (name, objective, near, level, seed, grid, trial))]
    #[allow(clippy::too_many_arguments)]
    fn dependence(
        &self,
        py: Python<'_>,
        name: String,
        objective: Option<String>,
        near: Option<f64>,
        level: f64,
        seed: u64,
        grid: usize,
        trial: Option<u64>,
    ) -> PyResult<String> {
        let asked = ImportanceQuery::new(objective, near, level, seed);
        let found = self.compute(py, move |kept| {
            let model = asked.model(&kept.study)?;
            let found: Result<_, SpaceError> = match trial {
                None => model.partial_dependence(&name, grid, &asked.options),
                Some(trial) => model.slice(&name, &params_of(&kept.study, trial)?, grid, level),
            };
            Ok(found?)
        })?;
        json(&found.map_err(study_error)?)
    }

    /// The objective over two parameters, averaged over all others or with the others as in a trial.
    #[pyo3(signature = (x, y, objective, near, level, seed, grid, trial))]
    #[allow(clippy::too_many_arguments)]
    fn surface(
        &self,
        py: Python<'_>,
        x: String,
        y: String,
        objective: Option<String>,
        near: Option<f64>,
        level: f64,
        seed: u64,
        grid: usize,
        trial: Option<u64>,
    ) -> PyResult<String> {
        let asked = ImportanceQuery::new(objective, near, level, seed);
        let found = self.compute(py, move |kept| {
            let model = asked.model(&kept.study)?;
            let found: Result<_, SpaceError> = match trial {
                None => model.partial_dependence_2d([&x, &y], grid, &asked.options),
                Some(trial) => model.contour([&x, &y], &params_of(&kept.study, trial)?, grid),
            };
            Ok(found?)
        })?;
        json(&found.map_err(study_error)?)
    }
}

/// The parameters of a trial under their present names.
fn params_of(study: &neuralbo::study::Study, number: u64) -> Result<Params, StudyError> {
    let trial = study.store().trial(study.record().id, number)?;
    Ok(study
        .definition()
        .renamed(&trial.params.unwrap_or_default(), trial.version))
}

fn json(answer: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(answer).map_err(value_error)
}
