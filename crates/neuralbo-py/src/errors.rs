//! From the errors of the engine to Python's, and panics made errors.

use neuralbo::space::{SpaceError, Value};
use neuralbo_store::StoreError;
use pyo3::exceptions::{PyKeyError, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::guard::guarded;

/// A `ValueError`.
pub fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A `RuntimeError`.
pub fn runtime_error(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// A `TypeError` for text in place of a number, a `ValueError` for anything else.
pub fn space_error(error: SpaceError) -> PyErr {
    match &error {
        SpaceError::BadValue { value: Value::Text(_) | Value::Bool(_), allowed, .. } if allowed.contains("number from") => {
            PyTypeError::new_err(error.to_string())
        }
        _ => value_error(error),
    }
}

/// `KeyError` for an unknown study, `OSError` for a storage that fails, `ValueError` for what may not be asked.
pub fn store_error(error: StoreError) -> PyErr {
    let text = error.to_string();
    match error {
        StoreError::UnknownStudy { .. } => PyKeyError::new_err(text),
        StoreError::ReadOnly { .. }
        | StoreError::Full { .. }
        | StoreError::Unreachable { .. }
        | StoreError::Database { .. }
        | StoreError::Record { .. } => PyOSError::new_err(text),
        StoreError::LeaseLost { .. } => PyRuntimeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// Runs `work` without the interpreter's lock; a panic in it becomes a `RuntimeError`.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| guarded(work)).map_err(runtime_error)
}

/// Runs `work`, which needs the interpreter; a panic in it becomes a `RuntimeError`.
pub fn attached<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    guarded(work).map_err(runtime_error)?
}
