//! How points look in Python.

use neuralbo::space::{Params, Point, Space, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::convert::{floats, named, number, params, to_python, type_name, value};
use crate::errors::{space_error, value_error};

/// How points look in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointForm {
    /// A list of floats.
    Vector,
    /// A dict.
    Named,
    /// The index of a row of a pool.
    Index,
}

impl PointForm {
    /// `vector`, `named` or `index`.
    pub fn parse(text: &str) -> PyResult<Self> {
        match text {
            "vector" => Ok(Self::Vector),
            "named" => Ok(Self::Named),
            "index" => Ok(Self::Index),
            _ => Err(value_error(format!(
                "form = `{text}` is not allowed; it must be vector, named or index"
            ))),
        }
    }

    /// A point as Python has it.
    pub fn write<'py>(
        self,
        py: Python<'py>,
        space: &Space,
        params: &Params,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Vector => {
                let row = space
                    .parameters()
                    .iter()
                    .map(|parameter| params.float(parameter.name()));
                PyList::new(py, row.collect::<Vec<_>>())?.into_bound_py_any(py)
            }
            Self::Named => named(py, space, params)?.into_bound_py_any(py),
            Self::Index => params.iter().next().map_or_else(
                || Ok(py.None().into_bound(py)),
                |(_, index)| to_python(py, index),
            ),
        }
    }

    /// A checked point.
    pub fn read(self, space: &Space, object: &Bound<'_, PyAny>) -> PyResult<Point> {
        match self {
            Self::Vector => vector(space, object),
            Self::Named => match object.cast::<PyDict>() {
                Ok(dict) => space
                    .point_of(&params(dict)?)
                    .map_err(|error| space_error(space, error)),
                Err(_) => Err(PyTypeError::new_err(format!(
                    "a point of this space is a dict, found {}",
                    type_name(object)
                ))),
            },
            Self::Index => space
                .point(&[value(object, "index")?])
                .map_err(|error| space_error(space, error)),
        }
    }

    /// Checked points: a list of them, or for vectors the bytes of their 64-bit floats, point after point.
    pub fn read_all(self, space: &Space, object: &Bound<'_, PyAny>) -> PyResult<Vec<Point>> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return floats(bytes.as_bytes())
                .chunks(space.parameters().len())
                .map(|row| checked(space, row))
                .collect();
        }
        object
            .try_iter()?
            .map(|item| self.read(space, &item?))
            .collect()
    }
}

fn vector(space: &Space, object: &Bound<'_, PyAny>) -> PyResult<Point> {
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyDict>() {
        return Err(PyTypeError::new_err(format!(
            "a point of this space is a list of numbers, found {}",
            type_name(object)
        )));
    }
    let items = object.try_iter().map_err(|_| {
        let expected = space.parameters().len();
        PyTypeError::new_err(format!(
            "a point of this space is a list of {expected} numbers, found {}",
            type_name(object)
        ))
    })?;
    let row: Vec<f64> = items
        .enumerate()
        .map(|(i, item)| number(&item?, &format!("x[{i}]")))
        .collect::<PyResult<_>>()?;
    checked(space, &row)
}

fn checked(space: &Space, row: &[f64]) -> PyResult<Point> {
    let values: Vec<Value> = row.iter().map(|&x| Value::Float(x)).collect();
    space
        .point(&values)
        .map_err(|error| space_error(space, error))
}
