//! From the errors of the engine to Python's, and panics made errors.

use neuralbo::drive::DriveError;
use neuralbo::record::StopReason;
use neuralbo::space::{Space, SpaceError, Value};
use neuralbo::store::StoreError;
use neuralbo::study::StudyError;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::guard::guarded;
use crate::process;

/// The exceptions of `neuralbo.errors`, where they are described.
mod kinds {
    pyo3::import_exception!(neuralbo.errors, Exhausted);
    pyo3::import_exception!(neuralbo.errors, LeaseLost);
    pyo3::import_exception!(neuralbo.errors, NoModel);
    pyo3::import_exception!(neuralbo.errors, StorageError);
    pyo3::import_exception!(neuralbo.errors, StudyBusy);
    pyo3::import_exception!(neuralbo.errors, StudyChanged);
    pyo3::import_exception!(neuralbo.errors, StudyEnded);
    pyo3::import_exception!(neuralbo.errors, StudyExists);
    pyo3::import_exception!(neuralbo.errors, TrialPruned);
    pyo3::import_exception!(neuralbo.errors, UnknownStudy);
}

pub use kinds::{NoModel, TrialPruned};

/// A `ValueError`.
pub fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A `TypeError` for a value that is not a number, a `ValueError` for anything else.
pub fn space_error(space: &Space, error: SpaceError) -> PyErr {
    let text = error.to_string();
    let SpaceError::BadValue { name, value, .. } = &error else {
        return PyValueError::new_err(text);
    };
    let parameter = space.parameter(name);
    let wants_number = parameter.is_some_and(|parameter| parameter.domain().is_numeric());
    match value {
        Value::Float(_) | Value::Int(_) => PyValueError::new_err(text),
        _ if wants_number => PyTypeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// An error of the store as an exception of `neuralbo.errors`.
pub fn store_error(error: StoreError) -> PyErr {
    let text = error.to_string();
    match error {
        StoreError::UnknownStudy { .. } => kinds::UnknownStudy::new_err(text),
        StoreError::NameTaken { .. } => kinds::StudyExists::new_err(text),
        StoreError::Redefined { .. } => kinds::StudyChanged::new_err(text),
        StoreError::LeaseLost { .. } => kinds::LeaseLost::new_err(text),
        StoreError::BadUrl { .. }
        | StoreError::BadName { .. }
        | StoreError::BadTrial { .. }
        | StoreError::BadDefinition { .. }
        | StoreError::BadAttributes { .. }
        | StoreError::UnknownTrial { .. }
        | StoreError::AlreadyFinished { .. } => PyValueError::new_err(text),
        _ => kinds::StorageError::new_err(text),
    }
}

/// An error of the study as an exception of `neuralbo.errors`.
pub fn study_error(error: StudyError) -> PyErr {
    let text = error.to_string();
    match error {
        StudyError::Store(error) => store_error(error),
        StudyError::NoModel(_) => NoModel::new_err(text),
        StudyError::Ended(reason) => ended(reason),
        StudyError::Busy { .. } => kinds::StudyBusy::new_err(text),
        StudyError::Incompatible { .. } => kinds::StudyChanged::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// The end of a study as an exception.
pub fn ended(reason: StopReason) -> PyErr {
    let text = format!("the study has ended: {reason}");
    match reason {
        StopReason::Exhausted => kinds::Exhausted::new_err(text),
        _ => kinds::StudyEnded::new_err(text),
    }
}

/// The end of a run that went wrong.
pub fn drive_error(error: DriveError) -> PyErr {
    match error {
        DriveError::Study(error) => study_error(error),
        DriveError::Untold { .. } => kinds::StorageError::new_err(format!(
            "{error}; Python keeps no files of them, unlike `neuralbo worker`"
        )),
        DriveError::CannotStart(_) => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Runs `work` without the interpreter's lock; a panic in it becomes a `RuntimeError`.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| guarded(work)).map_err(PyRuntimeError::new_err)
}

/// The same for work with the engine's own threads, see [`process::here`].
pub fn computed<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    guarded(|| process::here(work))
}

/// Runs `work`, which needs the interpreter; a panic in it becomes a `RuntimeError`.
pub fn attached<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    guarded(work).map_err(PyRuntimeError::new_err)?
}
