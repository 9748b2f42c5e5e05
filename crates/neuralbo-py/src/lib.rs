//! The engine of the Python package: spaces, trials and studies as Python classes.
//!
//! `PyStudy` and `PyTrial` wrap the Rust types of `neuralbo`; the Python files of the package add
//! convenience. Every call that computes or waits releases the interpreter's lock, panics become
//! exceptions, and errors are the types of `neuralbo.errors`.

mod asking;
mod command;
mod convert;
mod dashboard;
mod definition;
mod errors;
mod goals;
mod guard;
mod importance;
mod listening;
mod model;
mod outcome;
mod point_form;
mod predicate;
mod process;
mod pruning;
mod run;
mod running_points;
mod shared_study;
mod space;
mod storage;
mod study;
mod study_json;
mod trial;
mod trials;

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Locks what no panic leaves half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The methods: name, summary and options with their help.
#[pyfunction]
fn methods(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let found = PyList::empty(py);
    for method in neuralbo_paper::registry().methods() {
        let options = PyDict::new(py);
        for option in method.options {
            options.set_item(option.key, option.help)?;
        }
        found.append((method.name, method.summary, options))?;
    }
    Ok(found)
}

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    process::remember();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<space::Space>()?;
    module.add_class::<trial::PyTrial>()?;
    module.add_class::<study::PyStudy>()?;
    module.add_class::<run::PyRun>()?;
    module.add_class::<model::PySample>()?;
    module.add_class::<dashboard::Dashboard>()?;
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add_function(wrap_pyfunction!(dashboard::report, module)?)?;
    module.add_function(wrap_pyfunction!(space::expression, module)?)?;
    module.add_function(wrap_pyfunction!(space::derived_conditions, module)?)?;
    module.add_function(wrap_pyfunction!(run::check_method, module)?)?;
    module.add_function(wrap_pyfunction!(run::method_goals, module)?)?;
    module.add_function(wrap_pyfunction!(storage::study_names, module)?)?;
    module.add_function(wrap_pyfunction!(storage::delete_study, module)?)?;
    module.add_function(wrap_pyfunction!(storage::copy_study, module)?)?;
    module.add_function(wrap_pyfunction!(methods, module)?)
}
