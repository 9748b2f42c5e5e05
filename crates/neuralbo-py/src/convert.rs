//! Values, points and results between Python and the engine.

use neuralbo::space::{Point, Space, Value};
use neuralbo::study::{Failure, FailureKind};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyBaseException, PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyList, PyString};

use crate::errors::{space_error, value_error};

/// How points look in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A list of floats.
    Vector,
    /// A dict.
    Named,
    /// The index of a row of a pool.
    Index,
}

/// How an evaluation ended.
pub enum Told {
    /// With a value, finite or not.
    Value(f64),
    /// Without.
    Failed(Failure),
}

/// A scalar of Python or of numpy; `what` names it in errors.
pub fn value(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Value> {
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::Text(text.to_cow()?.into_owned()));
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    match object.extract::<i64>() {
        Ok(whole) => return Ok(Value::Int(whole)),
        Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
            return Err(value_error(format!("{what} = {} does not fit in 64 bits", shown(object))));
        }
        Err(_) => {}
    }
    if let Ok(flag) = object.extract::<bool>() {
        return Ok(Value::Bool(flag));
    }
    number(object, what).map(Value::Float).map_err(|_| {
        let found = type_name(object);
        PyTypeError::new_err(format!("{what} must be a number, a bool or a text, found {found}"))
    })
}

/// A number, never a text or a bool.
pub fn number(object: &Bound<'_, PyAny>, what: &str) -> PyResult<f64> {
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(number.value());
    }
    let wrong = || PyTypeError::new_err(format!("{what} must be a number, found {} {}", type_name(object), shown(object)));
    if is_bool(object) || object.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    object.extract::<f64>().map_err(|error| {
        if !error.is_instance_of::<PyOverflowError>(object.py()) {
            return wrong();
        }
        value_error(format!("{what} = {} is not allowed; numbers must be at most 1.8e308", shown(object)))
    })
}

/// A bool of Python or of numpy.
fn is_bool(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyBool>() || matches!(type_name(object).as_str(), "bool" | "bool_")
}

fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "something".to_owned(), |name| name.to_string())
}

/// At most 80 characters of what Python prints.
fn shown(object: &Bound<'_, PyAny>) -> String {
    object.repr().map_or_else(|_| String::new(), |text| text.to_string().chars().take(80).collect())
}

/// A value as Python has it.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Float(x) => x.into_bound_py_any(py),
        Value::Int(k) => k.into_bound_py_any(py),
        Value::Bool(b) => b.into_bound_py_any(py),
        Value::Text(s) => s.into_bound_py_any(py),
    }
}

/// The values of a point with their names.
pub fn named<'py>(py: Python<'py>, space: &Space, point: &Point) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in space.named(point) {
        dict.set_item(name, to_python(py, value)?)?;
    }
    Ok(dict)
}

/// The point of a dict.
pub fn from_named(space: &Space, dict: &Bound<'_, PyDict>) -> PyResult<Point> {
    let mut pairs = Vec::with_capacity(dict.len());
    for (key, object) in dict {
        let name: String = key.extract().map_err(|_| {
            PyTypeError::new_err(format!("names of parameters must be str, found {} {}", type_name(&key), shown(&key)))
        })?;
        let value = value(&object, &format!("parameter `{name}`"))?;
        pairs.push((name, value));
    }
    space.point_from_named(pairs).map_err(space_error)
}

impl Form {
    /// `vector`, `named` or `index`.
    pub fn parse(text: &str) -> PyResult<Self> {
        match text {
            "vector" => Ok(Self::Vector),
            "named" => Ok(Self::Named),
            "index" => Ok(Self::Index),
            _ => Err(value_error(format!("form = `{text}` is not allowed; it must be vector, named or index"))),
        }
    }

    /// A point as Python has it.
    pub fn write<'py>(self, py: Python<'py>, space: &Space, point: &Point) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Vector => PyList::new(py, point.values().iter().map(|value| value.as_f64()))?.into_bound_py_any(py),
            Self::Named => named(py, space, point)?.into_bound_py_any(py),
            Self::Index => to_python(py, &point.values()[0]),
        }
    }

    /// A checked point.
    pub fn read(self, space: &Space, object: &Bound<'_, PyAny>) -> PyResult<Point> {
        match self {
            Self::Vector => vector(space, object),
            Self::Named => match object.cast::<PyDict>() {
                Ok(dict) => from_named(space, dict),
                Err(_) => Err(PyTypeError::new_err(format!("a point of this space is a dict, found {}", type_name(object)))),
            },
            Self::Index => space.point(&[value(object, "index")?]).map_err(space_error),
        }
    }

    /// Checked points: a list of them, or for vectors the bytes of their 64-bit floats, point after point.
    pub fn read_all(self, space: &Space, object: &Bound<'_, PyAny>) -> PyResult<Vec<Point>> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return floats(bytes.as_bytes()).chunks(space.parameters().len()).map(|row| checked(space, row)).collect();
        }
        object.try_iter()?.map(|item| self.read(space, &item?)).collect()
    }
}

fn vector(space: &Space, object: &Bound<'_, PyAny>) -> PyResult<Point> {
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyDict>() {
        return Err(PyTypeError::new_err(format!("a point of this space is a list of numbers, found {}", type_name(object))));
    }
    let items = object.try_iter().map_err(|_| {
        let expected = space.parameters().len();
        PyTypeError::new_err(format!("a point of this space is a list of {expected} numbers, found {}", type_name(object)))
    })?;
    let row: Vec<f64> = items.enumerate().map(|(i, item)| number(&item?, &format!("x[{i}]"))).collect::<PyResult<_>>()?;
    checked(space, &row)
}

fn checked(space: &Space, row: &[f64]) -> PyResult<Point> {
    let values: Vec<Value> = row.iter().map(|&x| Value::Float(x)).collect();
    space.point(&values).map_err(space_error)
}

/// 64-bit floats in the machine's order.
pub fn floats(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|chunk| f64::from_ne_bytes(std::array::from_fn(|i| chunk[i]))).collect()
}

/// Results: a list of them, or the bytes of 64-bit floats.
pub fn outcomes(object: &Bound<'_, PyAny>) -> PyResult<Vec<Told>> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(floats(bytes.as_bytes()).into_iter().map(Told::Value).collect());
    }
    object.try_iter()?.map(|item| outcome(&item?)).collect()
}

/// A number, `None`, or an exception.
pub fn outcome(object: &Bound<'_, PyAny>) -> PyResult<Told> {
    if object.is_none() {
        return Ok(Told::Failed(Failure::new(FailureKind::Error, "no value")));
    }
    if object.is_instance_of::<PyBaseException>() {
        let message = format!("{}: {}", type_name(object), object.str()?);
        return Ok(Told::Failed(Failure::new(FailureKind::Error, message)));
    }
    number(object, "y").map(Told::Value).map_err(|error| {
        if !error.is_instance_of::<PyTypeError>(object.py()) {
            return error;
        }
        let found = shown(object);
        PyTypeError::new_err(format!("y must be a number, or None, NaN or an exception for a failure; found {found}"))
    })
}
