//! Where studies live.

use neuralbo::store::StoreError;
use neuralbo_store::{Access, export_study, open_for, read_export};
use pyo3::prelude::*;

use crate::errors::{EngineResult, detached, value_error};

/// The names of all studies of a storage.
#[pyfunction]
pub fn study_names(py: Python<'_>, url: &str) -> EngineResult<Vec<String>> {
    detached(py, || Ok(open_for(url, Access::Read)?.study_names()?))?
}

/// Removes a study with all its trials.
#[pyfunction]
pub fn delete_study(py: Python<'_>, url: &str, name: &str) -> EngineResult<()> {
    detached(py, || {
        let store = open_for(url, Access::Write)?;
        Ok(store.delete_study(store.study(name)?.id)?)
    })?
}

/// Copies a study with all its trials.
#[pyfunction]
pub fn copy_study(
    py: Python<'_>,
    url: &str,
    name: &str,
    to_url: &str,
    to_name: &str,
) -> EngineResult<()> {
    detached(py, || {
        let from = open_for(url, Access::Read)?;
        let record = from.study(name)?;
        let mut lines = String::new();
        let write = |line: &str| {
            lines += line;
            lines.push('\n');
            Ok::<_, StoreError>(())
        };
        export_study(from.as_ref(), &record, write)?;
        let copy = read_export(lines.as_bytes()).map_err(value_error)?;
        copy.store(open_for(to_url, Access::Create)?.as_ref(), to_name)?;
        Ok(())
    })?
}
