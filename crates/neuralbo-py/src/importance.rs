//! What matters, by a model of the trials; answers cross as JSON and become classes in `neuralbo.importance`.

use neuralbo::importance::{ImportanceOptions, RegionModel};
use neuralbo::space::Params;
use neuralbo::strategy::NoModel;
use neuralbo::study::{Study, StudyError};
use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::{EngineResult, value_error};
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

    fn model(&self, study: &Study) -> Result<RegionModel, StudyError> {
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
    ) -> EngineResult<String> {
        let asked = ImportanceQuery::new(objective, near, level, seed);
        self.answered(py, move |study| {
            let model = asked.model(study)?;
            Ok(model.importance(&asked.options).map_err(NoModel::Unfit)?)
        })
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
    ) -> EngineResult<String> {
        let asked = ImportanceQuery::new(objective, near, level, seed);
        self.answered(py, move |study| {
            let model = asked.model(study)?;
            Ok(match trial {
                None => model.partial_dependence(&name, grid, &asked.options)?,
                Some(trial) => model.slice(&name, &params_of(study, trial)?, grid, level)?,
            })
        })
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
    ) -> EngineResult<String> {
        let asked = ImportanceQuery::new(objective, near, level, seed);
        self.answered(py, move |study| {
            let model = asked.model(study)?;
            Ok(match trial {
                None => model.partial_dependence_2d([&x, &y], grid, &asked.options)?,
                Some(trial) => model.contour([&x, &y], &params_of(study, trial)?, grid)?,
            })
        })
    }
}

impl PyStudy {
    fn answered<T: Serialize + Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Study) -> Result<T, StudyError> + Send + 'static,
    ) -> EngineResult<String> {
        let found = self.compute(py, move |kept| work(&kept.study))??;
        Ok(serde_json::to_string(&found).map_err(value_error)?)
    }
}

/// The parameters of a trial under their present names.
fn params_of(study: &Study, number: u64) -> Result<Params, StudyError> {
    let trial = study.store().trial(study.record().id, number)?;
    Ok(study
        .definition()
        .renamed(&trial.params.unwrap_or_default(), trial.version))
}
