//! A storage of studies.

use std::sync::Arc;

use neuralbo_store::{Definition, Limits, Retries, Store as CoreStore, StoredStudy, StudyRecord, open};
use pyo3::prelude::*;

use crate::engine::read_direction;
use crate::errors::{attached, detached, store_error, value_error};
use crate::space::Space;
use crate::stored::Study;

/// A storage of studies, the same as the command line's.
#[pyclass(frozen, module = "neuralbo._engine")]
pub struct Store(Arc<dyn CoreStore>);

#[pymethods]
impl Store {
    /// Opens a storage, and makes it where there is none.
    #[new]
    fn new(py: Python<'_>, url: &str) -> PyResult<Self> {
        detached(py, || open(url))?.map(Self).map_err(store_error)
    }

    /// Makes a study.
    #[allow(clippy::too_many_arguments)] // one a field of the definition
    fn create(
        &self,
        py: Python<'_>,
        name: &str,
        space: &Space,
        direction: &str,
        method: &str,
        options: Vec<String>,
        seed: u64,
    ) -> PyResult<Study> {
        let direction = read_direction(direction)?;
        let (space, method) = (space.0.clone(), method.to_owned());
        let definition = Definition { space, direction, method, options, seed, retries: Retries::default() };
        attached(|| definition.strategy().map_err(value_error))?;
        let record = detached(py, || self.0.create_study(name, &definition, &Limits::default()))?.map_err(store_error)?;
        self.view(record)
    }

    /// The study of a name.
    fn study(&self, py: Python<'_>, name: &str) -> PyResult<Study> {
        let record = detached(py, || self.0.study(name))?.map_err(store_error)?;
        self.view(record)
    }

    /// The names of all studies.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let studies = detached(py, || self.0.studies())?.map_err(store_error)?;
        Ok(studies.into_iter().map(|record| record.name).collect())
    }

    /// Removes a study with all its trials.
    fn delete(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        detached(py, || self.0.study(name).and_then(|record| self.0.delete_study(record.id)))?.map_err(store_error)
    }

    /// The storage, without its password.
    #[getter]
    fn url(&self) -> &str {
        self.0.url()
    }
}

impl Store {
    fn view(&self, record: StudyRecord) -> PyResult<Study> {
        let study = attached(|| StoredStudy::open(Arc::clone(&self.0), record.clone()).map_err(store_error))?;
        Ok(Study::new(Arc::clone(&self.0), record, study))
    }
}
