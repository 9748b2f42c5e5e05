//! Values and results between Python and the engine.

use neuralbo::limits;
use neuralbo::record::Attributes;
use neuralbo::space::{Params, Space, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyString, PyTuple};
use serde_json::Value as Json;

use crate::errors::value_error;

/// A value of Python or of numpy; `what` names it in errors.
pub fn value(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Value> {
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::Text(text.to_cow()?.into_owned()));
    }
    if object.is_none() {
        return Ok(Value::Null);
    }
    if is_bool(object) {
        return object.is_truthy().map(Value::Bool);
    }
    if is_container(object) {
        return json(object, what).map(|json| Value::Json(Box::new(json)));
    }
    match object.extract::<i64>() {
        Ok(whole) => return Ok(Value::Int(whole)),
        Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
            return Err(value_error(format!(
                "{what} = {} does not fit in 64 bits",
                shown(object)
            )));
        }
        Err(_) => {}
    }
    number(object, what).map(Value::Float).map_err(|_| {
        let found = type_name(object);
        PyTypeError::new_err(format!("{what} must be a number, a bool, a text, None, or a list or dict of such; found {found}"))
    })
}

fn is_container(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyTuple>()
        || object.is_instance_of::<PyDict>()
}

/// What JSON can hold.
pub fn json(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Json> {
    nested(object, what, limits::NESTING)
}

/// The same with so many levels of lists and dicts: one may contain itself.
fn nested(object: &Bound<'_, PyAny>, what: &str, levels: usize) -> PyResult<Json> {
    if levels == 0 && is_container(object) {
        return Err(value_error(format!("{what}: {}", limits::too_deep())));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        let entry = |(key, item): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok((name(&key, "keys")?, nested(&item, what, levels - 1)?))
        };
        return dict
            .iter()
            .map(entry)
            .collect::<PyResult<serde_json::Map<_, _>>>()
            .map(Json::Object);
    }
    if is_container(object) {
        return object
            .try_iter()?
            .map(|item| nested(&item?, what, levels - 1))
            .collect::<PyResult<_>>()
            .map(Json::Array);
    }
    Ok(value(object, what)?.to_json())
}

/// A name: always a text.
pub fn name(object: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    object.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "{what} must be str, found {} {}",
            type_name(object),
            shown(object)
        ))
    })
}

/// A number, never a text or a bool.
pub fn number(object: &Bound<'_, PyAny>, what: &str) -> PyResult<f64> {
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(number.value());
    }
    let wrong = || {
        PyTypeError::new_err(format!(
            "{what} must be a number, found {} {}",
            type_name(object),
            shown(object)
        ))
    };
    if is_bool(object) || object.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    object.extract::<f64>().map_err(|error| {
        if !error.is_instance_of::<PyOverflowError>(object.py()) {
            return wrong();
        }
        value_error(format!(
            "{what} = {} is not allowed; numbers must be at most 1.8e308",
            shown(object)
        ))
    })
}

/// A bool of Python or of numpy.
fn is_bool(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyBool>() || matches!(type_name(object).as_str(), "bool" | "bool_")
}

/// The name of a value's type.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    object
        .get_type()
        .name()
        .map_or_else(|_| "something".to_owned(), |name| name.to_string())
}

/// At most 80 characters of what Python prints.
pub fn shown(object: &Bound<'_, PyAny>) -> String {
    object.repr().map_or_else(
        |_| String::new(),
        |text| text.to_string().chars().take(80).collect(),
    )
}

/// A value as Python has it.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Float(x) => x.into_bound_py_any(py),
        Value::Int(k) => k.into_bound_py_any(py),
        Value::Bool(b) => b.into_bound_py_any(py),
        Value::Text(s) => s.into_bound_py_any(py),
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Json(json) => immutable(py, json),
    }
}

/// A list as a tuple, so that values can be compared and be keys of dicts; anything else as JSON.
fn immutable<'py>(py: Python<'py>, json: &Json) -> PyResult<Bound<'py, PyAny>> {
    let Json::Array(items) = json else {
        return from_json(py, json);
    };
    let items = items.iter().map(|item| immutable(py, item));
    PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_bound_py_any(py)
}

/// JSON as Python has it.
pub fn from_json<'py>(py: Python<'py>, json: &Json) -> PyResult<Bound<'py, PyAny>> {
    match json {
        Json::Null => Ok(py.None().into_bound(py)),
        Json::Bool(b) => b.into_bound_py_any(py),
        Json::String(s) => s.into_bound_py_any(py),
        Json::Number(number) => match number.as_i64() {
            Some(k) => k.into_bound_py_any(py),
            None => number.as_f64().into_bound_py_any(py),
        },
        Json::Array(items) => {
            let items = items
                .iter()
                .map(|item| from_json(py, item))
                .collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_bound_py_any(py)
        }
        Json::Object(entries) => json_dict(py, entries)?.into_bound_py_any(py),
    }
}

/// JSON by name as a dict.
pub fn json_dict<'py, 'a>(
    py: Python<'py>,
    entries: impl IntoIterator<Item = (&'a String, &'a Json)>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    entries
        .into_iter()
        .try_for_each(|(key, item)| dict.set_item(key, from_json(py, item)?))?;
    Ok(dict)
}

/// Parameters as a dict, in the order of the space.
pub fn named<'py>(py: Python<'py>, space: &Space, params: &Params) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    space
        .ordered(params)
        .try_for_each(|(name, value)| dict.set_item(name, to_python(py, value)?))?;
    Ok(dict)
}

/// The parameters of a dict, not checked yet.
pub fn params(dict: &Bound<'_, PyDict>) -> PyResult<Params> {
    dict.iter()
        .map(|(key, object)| {
            let name = name(&key, "names of parameters")?;
            let value = value(&object, &format!("parameter `{name}`"))?;
            Ok((name, value))
        })
        .collect()
}

/// 64-bit floats in the machine's order.
pub fn floats(bytes: &[u8]) -> Vec<f64> {
    bytes
        .chunks_exact(8)
        .map(|chunk| f64::from_ne_bytes(std::array::from_fn(|i| chunk[i])))
        .collect()
}

/// Attributes of a dict.
pub fn attributes(dict: &Bound<'_, PyDict>) -> PyResult<Attributes> {
    let entry = |(key, item): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = name(&key, "keys of attributes")?;
        let value = json(&item, &format!("attribute `{name}`"))?;
        Ok((name, value))
    };
    dict.iter().map(entry).collect()
}
