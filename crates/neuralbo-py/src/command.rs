//! The command line inside of Python.

use std::ffi::OsString;

use neuralbo_cli::Invocation;
use pyo3::prelude::*;

use crate::errors::detached;

/// Does what a command line asks for and returns the exit code; `again` are the words that start the command in another process.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>, again: Vec<OsString>) -> PyResult<u8> {
    detached(py, || neuralbo_cli::main(Invocation { arguments, again }))
}
