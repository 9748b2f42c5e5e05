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
    let wants_number = |name: &str| {
        let parameter = space.parameter(name);
        parameter.is_some_and(|parameter| parameter.domain().is_numeric())
    };
    match &error {
        SpaceError::BadValue { name, value, .. }
            if !matches!(value, Value::Float(_) | Value::Int(_)) && wants_number(name) =>
        {
            PyTypeError::new_err(text)
        }
        _ => PyValueError::new_err(text),
    }
}

/// An error on its way to Python, as the exception of `neuralbo.errors` that it becomes there.
pub struct EngineError(PyErr);

pub type EngineResult<T> = Result<T, EngineError>;

impl From<PyErr> for EngineError {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<EngineError> for PyErr {
    fn from(EngineError(error): EngineError) -> Self {
        error
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        let text = error.to_string();
        Self(match error {
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
        })
    }
}

impl From<StudyError> for EngineError {
    fn from(error: StudyError) -> Self {
        let text = error.to_string();
        Self(match error {
            StudyError::Store(error) => return error.into(),
            StudyError::Ended(reason) => return ended(reason),
            StudyError::NoModel(_) => NoModel::new_err(text),
            StudyError::Busy { .. } => kinds::StudyBusy::new_err(text),
            StudyError::Incompatible { .. } => kinds::StudyChanged::new_err(text),
            _ => PyValueError::new_err(text),
        })
    }
}

impl From<DriveError> for EngineError {
    fn from(error: DriveError) -> Self {
        let text = error.to_string();
        Self(match error {
            DriveError::Study(error) => return error.into(),
            DriveError::Untold { .. } => kinds::StorageError::new_err(text),
            DriveError::CannotStart(_) => PyRuntimeError::new_err(text),
        })
    }
}

/// The error of a run, with the folder of the results that are not stored.
pub fn run_error(error: DriveError, kept: Option<String>) -> EngineError {
    let DriveError::Untold { .. } = error else {
        return error.into();
    };
    let fate = match kept {
        Some(folder) => format!(
            "they are kept in `{folder}`; the next `optimize` of the study on this machine stores them, or `neuralbo recover`"
        ),
        None => "they are lost, as there is no folder for them".to_owned(),
    };
    EngineError(kinds::StorageError::new_err(format!("{error}; {fate}")))
}

/// The end of a study as an exception.
pub fn ended(reason: StopReason) -> EngineError {
    let text = format!("the study has ended: {reason}");
    EngineError(match reason {
        StopReason::Exhausted => kinds::Exhausted::new_err(text),
        _ => kinds::StudyEnded::new_err(text),
    })
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
