//! Parts of a study's definition from the texts that Python passes.

use std::fmt::Display;
use std::str::FromStr;

use neuralbo::record::Pruner;
use pyo3::prelude::*;

use crate::errors::value_error;

pub fn pruner(text: Option<&str>) -> PyResult<Option<Pruner>> {
    text.map(|text| text.parse().map_err(value_error))
        .transpose()
}

/// Objectives (`NAME:DIRECTION`) or outcome constraints (`NAME <= BOUND`).
pub fn parsed<T: FromStr<Err: Display>>(texts: &[String]) -> PyResult<Vec<T>> {
    let parse = |text: &String| text.parse().map_err(value_error);
    texts.iter().map(parse).collect()
}
