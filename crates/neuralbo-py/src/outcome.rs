//! What functions return and users tell, as outcomes of trials.

use neuralbo::record::{Failure, FailureKind, Outcome, Values};
use pyo3::exceptions::{PyBaseException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyList, PyTuple};

use crate::convert::{floats, name, number, shown, type_name};
use crate::errors::value_error;

/// Results: a list of them, or the bytes of 64-bit floats where a trial has one value.
pub fn outcomes(object: &Bound<'_, PyAny>, names: &[String]) -> PyResult<Vec<Outcome>> {
    match object.cast::<PyBytes>() {
        Ok(bytes) if names.len() == 1 => Ok(floats(bytes.as_bytes())
            .into_iter()
            .map(Outcome::Value)
            .collect()),
        Ok(_) => Err(value_error(format!(
            "y has one number a point, but {} are wanted: {}",
            names.len(),
            listed(names)
        ))),
        Err(_) => object
            .try_iter()?
            .map(|item| outcome(&item?, "y", names))
            .collect(),
    }
}

/// The failure that an exception is.
pub fn failure(error: &Bound<'_, PyAny>) -> PyResult<Outcome> {
    let text = format!("{}: {}", type_name(error), error.str()?);
    Ok(Outcome::Failed(Failure::new(FailureKind::Error, text)))
}

/// A number where a trial has one value, a sequence of as many as there are `names`, a dict of them by name, or `None` or an
/// exception for a failure.
pub fn outcome(object: &Bound<'_, PyAny>, what: &str, names: &[String]) -> PyResult<Outcome> {
    if let (Ok(number), [_]) = (object.cast::<PyFloat>(), names) {
        return Ok(Outcome::Value(number.value()));
    }
    if object.is_none() {
        return Ok(Outcome::Failed(Failure::new(
            FailureKind::Error,
            "no value",
        )));
    }
    if object.is_instance_of::<PyBaseException>() {
        return failure(object);
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        return by_name(dict, what, names);
    }
    match names {
        [_] => number(object, what).map(Outcome::Value).map_err(|error| {
            if error.is_instance_of::<PyTypeError>(object.py()) {
                not_one(object, what)
            } else {
                error
            }
        }),
        _ if is_sequence(object) => in_order(object, what, names),
        _ => Err(PyTypeError::new_err(format!(
            "{what} must be a tuple or a dict of {} numbers, {}, or None or an exception for a failure; found {}",
            names.len(),
            listed(names),
            shown(object)
        ))),
    }
}

fn not_one(object: &Bound<'_, PyAny>, what: &str) -> PyErr {
    let found = shown(object);
    PyTypeError::new_err(format!(
        "{what} must be a number, or None, NaN or an exception for a failure; found {found}"
    ))
}

fn is_sequence(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyTuple>()
        || object.is_instance_of::<PyList>()
        || type_name(object) == "ndarray"
}

fn by_name(dict: &Bound<'_, PyDict>, what: &str, names: &[String]) -> PyResult<Outcome> {
    let mut given = Vec::new();
    for (key, item) in dict.iter() {
        let key = name(&key, "names of values")?;
        if !names.contains(&key) {
            return Err(value_error(format!(
                "{what} has `{key}`, which is unknown; wanted are {}",
                listed(names)
            )));
        }
        given.push((key, item));
    }
    let missing: Vec<String> = names
        .iter()
        .filter(|name| !given.iter().any(|(key, _)| key == *name))
        .cloned()
        .collect();
    if !missing.is_empty() {
        return Err(value_error(format!(
            "{what} has no {}; wanted are {}",
            listed(&missing),
            listed(names)
        )));
    }
    measured(given, what)
}

fn in_order(object: &Bound<'_, PyAny>, what: &str, names: &[String]) -> PyResult<Outcome> {
    let items = object.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    if items.len() != names.len() {
        let (found, wanted) = (items.len(), names.len());
        return Err(value_error(format!(
            "{what} has {found} values, but {wanted} are wanted: {}",
            listed(names)
        )));
    }
    measured(names.iter().cloned().zip(items).collect(), what)
}

/// One value that is `None` makes the trial a failed one.
fn measured(given: Vec<(String, Bound<'_, PyAny>)>, what: &str) -> PyResult<Outcome> {
    if let Some((name, _)) = given.iter().find(|(_, item)| item.is_none()) {
        return Ok(Outcome::Failed(Failure::new(
            FailureKind::Error,
            format!("no value for `{name}`"),
        )));
    }
    let read = |(name, item): (String, Bound<'_, PyAny>)| {
        let value = number(&item, &format!("{what}[{name:?}]"))?;
        Ok((name, value))
    };
    given
        .into_iter()
        .map(read)
        .collect::<PyResult<Values>>()
        .map(Outcome::Values)
}

fn listed(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
