//! The model of a study.

use neuralbo::space::{Params, Point, Space as CoreSpace};
use neuralbo::study::{SampledObjective, StudyError, StudyModel};
use pyo3::prelude::*;

use crate::errors::{EngineResult, NoModel, detached, value_error};
use crate::point_form::PointForm;
use crate::shared_study::HeldStudy;
use crate::study::PyStudy;

/// A function drawn from a model.
#[pyclass(frozen, name = "Sample", module = "neuralbo._engine")]
pub struct PySample {
    form: PointForm,
    space: CoreSpace,
    function: SampledObjective,
}

#[pymethods]
impl PySample {
    /// Its values at points.
    fn values(&self, py: Python<'_>, points: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let points = self.form.read_all(&self.space, points)?;
        detached(py, || self.function.value(&named(&self.space, &points)))?.map_err(value_error)
    }
}

#[pymethods]
impl PyStudy {
    /// Mean and standard deviation of the model of an objective, or of what an outcome constraint limits, at points; of the first objective if none is named.
    #[pyo3(signature = (points, objective=None))]
    fn predict(
        &self,
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        objective: Option<String>,
    ) -> EngineResult<(Vec<f64>, Vec<f64>)> {
        let space = self.space_now(py)?;
        let points = named(&space, &self.form.read_all(&space, points)?);
        let found = self.compute(py, move |kept| {
            model(kept, objective.as_deref()).map(|model| model.predict(&points))
        })?;
        let found = found?.map_err(value_error)?;
        Ok((found.mean, found.sd))
    }

    /// A function drawn from the model.
    #[pyo3(signature = (seed, objective=None))]
    fn sample(
        &self,
        py: Python<'_>,
        seed: u64,
        objective: Option<String>,
    ) -> EngineResult<PySample> {
        let space = CoreSpace::clone(&*self.space_now(py)?);
        let function = self.compute(py, move |kept| {
            model(kept, objective.as_deref()).map(|model| model.sample(seed))
        })??;
        let function = function
            .ok_or_else(|| NoModel::new_err("the model of this method cannot be sampled"))?;
        Ok(PySample {
            form: self.form,
            space,
            function,
        })
    }

    /// `(x, mean, sd, number)` of the trial whose noise-free value is best by the model.
    fn recommend<'py>(&self, py: Python<'py>) -> EngineResult<(Bound<'py, PyAny>, f64, f64, u64)> {
        let found = self.compute(py, |kept| kept.study.recommend())??;
        let x = self.form.write(py, &*self.space_now(py)?, &found.params)?;
        Ok((x, found.mean, found.sd, found.number))
    }
}

/// The model of the objective of this name; without a name of the first one.
fn model(kept: &mut HeldStudy, objective: Option<&str>) -> Result<StudyModel, StudyError> {
    match objective {
        Some(name) => kept.study.model_of(name),
        None => kept.study.model(),
    }
}

fn named(space: &CoreSpace, points: &[Point]) -> Vec<Params> {
    points.iter().map(|point| space.params(point)).collect()
}
