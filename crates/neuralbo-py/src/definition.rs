//! Parts of a study's definition from the texts that Python passes.

use std::fmt::Display;
use std::str::FromStr;

use neuralbo::record::{Definition, Pruner};
use pyo3::prelude::*;

use crate::errors::value_error;

/// Puts objectives (`NAME:DIRECTION`), outcome constraints (`NAME <= BOUND`) and reference values
/// into a definition.
pub fn set_goals(
    definition: &mut Definition,
    objectives: &[String],
    outcome_constraints: &[String],
    reference: Vec<(String, f64)>,
) -> PyResult<()> {
    definition.objectives = parsed(objectives)?;
    definition.outcome_constraints = parsed(outcome_constraints)?;
    definition.set_reference(reference).map_err(value_error)?;
    definition.check().map_err(value_error)
}

pub fn pruner(text: Option<&str>) -> PyResult<Option<Pruner>> {
    text.map(|text| text.parse().map_err(value_error))
        .transpose()
}

fn parsed<T: FromStr<Err: Display>>(texts: &[String]) -> PyResult<Vec<T>> {
    let parse = |text: &String| text.parse().map_err(value_error);
    texts.iter().map(parse).collect()
}
