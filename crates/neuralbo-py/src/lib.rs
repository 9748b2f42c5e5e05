//! The engine of the Python package: spaces, optimizers and stored studies as Python classes.
//!
//! The classes are those of the Rust crates, with Python's values; comfort is added by the Python files of the package.
//! Every call that computes or waits releases the interpreter's lock, and none lets a panic through.

mod convert;
mod engine;
mod errors;
mod guard;
mod model;
mod open;
mod record;
mod space;
mod store;
mod stored;

use neuralbo::strategy::presets;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The methods: name, summary and options with their help.
#[pyfunction]
fn methods(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let found = PyList::empty(py);
    for method in presets::METHODS {
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
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<space::Space>()?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<model::Sample>()?;
    module.add_class::<store::Store>()?;
    module.add_class::<stored::Study>()?;
    module.add_function(wrap_pyfunction!(methods, module)?)
}
