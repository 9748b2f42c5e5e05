//! The engine of the Python package: spaces, trials and studies as Python classes.
//!
//! The classes are those of the Rust crates, with Python's values; comfort is added by the Python files of the package. Every
//! call that computes or waits releases the interpreter's lock, none lets a panic through, and errors are the types of
//! `neuralbo.errors`.

mod asking;
mod command;
mod convert;
mod dashboard;
mod errors;
mod form;
mod goals;
mod guard;
mod importance;
mod kept;
mod model;
mod open;
mod outcome;
mod predicate;
mod process;
mod pruning;
mod record;
mod run;
mod space;
mod storage;
mod study;
mod trial;
mod trials;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

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
    module.add_class::<trial::Trial>()?;
    module.add_class::<study::Study>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<model::Sample>()?;
    module.add_class::<dashboard::Dashboard>()?;
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add_function(wrap_pyfunction!(dashboard::report, module)?)?;
    module.add_function(wrap_pyfunction!(space::expression, module)?)?;
    module.add_function(wrap_pyfunction!(space::derived_conditions, module)?)?;
    module.add_function(wrap_pyfunction!(run::check_method, module)?)?;
    module.add_function(wrap_pyfunction!(run::method_goals, module)?)?;
    module.add_function(wrap_pyfunction!(storage::study_names, module)?)?;
    module.add_function(wrap_pyfunction!(storage::delete_study, module)?)?;
    module.add_function(wrap_pyfunction!(methods, module)?)
}
