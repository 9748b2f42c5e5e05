//! Where studies live.

use std::sync::Arc;

use neuralbo::store::{MemoryStore, Store, StoreError};
use neuralbo_store::{Access, export_study, read_export};
use pyo3::prelude::*;

use crate::errors::{detached, store_error, value_error};

/// The store of a URL, for what is to be done with it.
pub fn open_for(url: &str, access: Access) -> PyResult<Arc<dyn Store>> {
    neuralbo_store::open_for(url, access).map_err(store_error)
}

/// The store of a URL, or without one a store in memory.
pub fn open_or_memory(url: Option<&str>) -> PyResult<Arc<dyn Store>> {
    url.map_or_else(
        || Ok(Arc::new(MemoryStore::new()) as Arc<dyn Store>),
        |url| open_for(url, Access::Create),
    )
}

/// This process, by a name from which others on this machine see whether it is still alive.
pub fn worker() -> String {
    neuralbo_store::worker::this_process()
}

/// The names of all studies of a storage.
#[pyfunction]
pub fn study_names(py: Python<'_>, url: &str) -> PyResult<Vec<String>> {
    detached(py, || {
        open_for(url, Access::Read)?
            .study_names()
            .map_err(store_error)
    })?
}

/// Removes a study with all its trials.
#[pyfunction]
pub fn delete_study(py: Python<'_>, url: &str, name: &str) -> PyResult<()> {
    detached(py, || {
        let store = open_for(url, Access::Write)?;
        store
            .study(name)
            .and_then(|record| store.delete_study(record.id))
            .map_err(store_error)
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
) -> PyResult<()> {
    detached(py, || {
        let from = open_for(url, Access::Read)?;
        let record = from.study(name).map_err(store_error)?;
        let mut lines = String::new();
        let write = |line: &str| {
            lines += line;
            lines.push('\n');
            Ok::<_, StoreError>(())
        };
        export_study(from.as_ref(), &record, write).map_err(store_error)?;
        let copy = read_export(lines.as_bytes()).map_err(value_error)?;
        let to = open_for(to_url, Access::Create)?;
        copy.store(to.as_ref(), to_name)
            .map(drop)
            .map_err(store_error)
    })?
}
