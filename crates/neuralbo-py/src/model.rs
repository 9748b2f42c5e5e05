//! The model of a study.

use neuralbo::space::Space as CoreSpace;
use neuralbo::study::{SampledObjective, Study, StudyModel};
use pyo3::prelude::*;

use crate::convert::Form;
use crate::errors::{detached, space_error};

/// The model, or why there is none.
pub fn model_of(study: &mut Study) -> Result<StudyModel, String> {
    study.model().map_err(|error| error.to_string())
}

/// A function drawn from a model.
#[pyclass(frozen, module = "neuralbo._engine")]
pub struct Sample {
    form: Form,
    space: CoreSpace,
    function: SampledObjective,
}

impl Sample {
    pub(crate) fn new(form: Form, space: CoreSpace, function: SampledObjective) -> Self {
        Self { form, space, function }
    }
}

#[pymethods]
impl Sample {
    /// Its values at points.
    fn values(&self, py: Python<'_>, points: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let points = self.form.read_all(&self.space, points)?;
        detached(py, || self.function.value(&points))?.map_err(space_error)
    }
}
