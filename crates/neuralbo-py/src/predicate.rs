//! Python functions as constraints.

use std::sync::{Arc, Mutex};

use neuralbo::space::{Params, Space, SpaceError};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{shown, to_python, type_name};
use crate::lock;

/// The functions among the constraints of a space, and the first exception that one of them raised.
#[derive(Clone, Default)]
pub struct Predicates {
    functions: Vec<(String, Arc<Py<PyAny>>)>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Predicates {
    /// One more.
    pub fn add(&mut self, function: &Bound<'_, PyAny>) -> PyResult<()> {
        if !function.is_callable() {
            let found = format!("{} {}", type_name(function), shown(function));
            return Err(PyTypeError::new_err(format!(
                "a constraint is a text such as \"x + y <= 1\" or a function that returns a bool, found {found}"
            )));
        }
        let name = function
            .getattr("__name__")
            .and_then(|name| name.extract())
            .unwrap_or_else(|_| shown(function));
        self.functions
            .push((name, Arc::new(function.clone().unbind())));
        Ok(())
    }

    /// The functions, as they were given.
    pub fn functions<'a, 'py: 'a>(
        &'a self,
        py: Python<'py>,
    ) -> impl Iterator<Item = Bound<'py, PyAny>> + 'a {
        self.functions
            .iter()
            .map(move |(_, function)| function.bind(py).clone())
    }

    /// The space with these functions among its constraints.
    pub fn constrain(&self, space: &Space) -> Result<Space, SpaceError> {
        self.functions
            .iter()
            .try_fold(space.clone(), |space, (name, function)| {
                let (function, raised) = (Arc::clone(function), Arc::clone(&self.raised));
                let names: Vec<String> = space
                    .parameters()
                    .iter()
                    .map(|parameter| parameter.name().to_owned())
                    .collect();
                space.with_predicate(name.as_str(), move |params| {
                    Python::attach(|py| allows(py, &function, &names, params)).unwrap_or_else(
                        |error| {
                            // A point whose feasibility is unknown is not proposed; the caller learns why.
                            lock(&raised).get_or_insert(error);
                            false
                        },
                    )
                })
            })
    }

    /// The exception that a function has raised since the last time.
    pub fn check(&self) -> PyResult<()> {
        lock(&self.raised).take().map_or(Ok(()), Err)
    }
}

/// What the function says of values, which it gets in the order of the space.
fn allows(
    py: Python<'_>,
    function: &Py<PyAny>,
    names: &[String],
    params: &Params,
) -> PyResult<bool> {
    let dict = PyDict::new(py);
    for name in names {
        if let Some(value) = params.get(name) {
            dict.set_item(name, to_python(py, value)?)?;
        }
    }
    function.bind(py).call1((dict,))?.is_truthy()
}
