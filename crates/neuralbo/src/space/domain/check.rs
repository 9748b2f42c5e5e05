//! Which domains make sense.

use super::lookup::repeated;
use super::{Domain, positive};
use crate::limits;
use crate::linalg::Points;
use crate::space::Value;

/// Most values of an int parameter: the cells of more could not be told apart in a coordinate of 53 bits.
const MOST_LEVELS: i128 = 1 << 50;
/// Largest bound of an int parameter on a log scale, for the same reason.
const LARGEST_LOG_INT: i64 = 1 << 40;

impl Domain {
    /// What is wrong with the domain, in words that name what was found and what is allowed.
    pub(in crate::space) fn check(&self, name: &str) -> Result<(), String> {
        match self {
            Self::Float { low, high, log, .. } => {
                check_float(name, *low, *high, *log)?;
                self.float_grid().map_or(Ok(()), |grid| grid.check(*log))
            }
            Self::Int {
                low,
                high,
                log,
                step,
            } => check_int(*low, *high, *log, *step),
            Self::Choice { choices } => check_listed(choices, "choice(adam,sgd)"),
            Self::Ordinal { values } => check_listed(values, "ordinal(small,medium,large)"),
            Self::Fixed { value } => check_value(value),
            Self::Rows { table } => check_rows(table),
        }
    }
}

fn check_float(name: &str, low: f64, high: f64, log: bool) -> Result<(), String> {
    if !(low.is_finite() && high.is_finite()) {
        return Err(format!(
            "low and high must be finite numbers, found low = {low:?}, high = {high:?}"
        ));
    }
    if low >= high {
        return Err(format!(
            "low must be below high, found low = {low:?}, high = {high:?}; write {name}=VALUE for a fixed value, e.g. `{name}={low:?}`"
        ));
    }
    if log && low <= 0.0 {
        return Err(format!(
            "a log scale needs low above 0, found low = {low:?}"
        ));
    }
    Ok(())
}

fn check_int(low: i64, high: i64, log: bool, step: Option<i64>) -> Result<(), String> {
    if low > high {
        return Err(format!(
            "low must not be above high, found low = {low}, high = {high}"
        ));
    }
    if log && low < 1 {
        return Err(format!(
            "a log scale needs low of at least 1, found low = {low}"
        ));
    }
    if log && high > LARGEST_LOG_INT {
        return Err(format!(
            "a log scale of ints needs high of at most {LARGEST_LOG_INT} (2^40), found high = {high}; use a log float"
        ));
    }
    let range = high.abs_diff(low);
    if let Some(step) = step {
        check_int_step(step, low, high)?;
    }
    let levels = i128::from(range / positive(step)) + 1;
    if levels > MOST_LEVELS {
        return Err(format!(
            "low = {low} to high = {high} are {levels} values, at most {MOST_LEVELS} (2^50) are allowed; use a float"
        ));
    }
    Ok(())
}

/// A range of a single int has room for no step, and any step is fine.
fn check_int_step(step: i64, low: i64, high: i64) -> Result<(), String> {
    if step < 1 {
        return Err(format!(
            "step must be a whole number of at least 1, found step = {step}"
        ));
    }
    let range = high.abs_diff(low);
    if range > 0 && step.unsigned_abs() > range {
        return Err(format!(
            "step must not be larger than high - low = {range}, found step = {step}, low = {low}, high = {high}"
        ));
    }
    Ok(())
}

fn check_listed(values: &[Value], example: &str) -> Result<(), String> {
    if values.is_empty() {
        return Err(format!(
            "a choice needs at least one value, e.g. `{example}`"
        ));
    }
    limits::check("choices", values.len(), limits::CHOICES)?;
    values.iter().try_for_each(check_value)?;
    match repeated(values) {
        Some(place) => Err(format!(
            "choice `{}` is given twice; choices must be different",
            values[place]
        )),
        None => Ok(()),
    }
}

fn check_value(value: &Value) -> Result<(), String> {
    match value {
        Value::Float(x) if !x.is_finite() => Err(format!("numbers must be finite, found {x:?}")),
        Value::Json(json) if !(json.is_array() || json.is_object()) => Err(format!(
            "a JSON value is a list or an object, found `{json}`; scalars have variants of their own"
        )),
        Value::Json(json) => limits::check_value(json),
        Value::Text(text) => limits::check_value(&text.as_str().into()),
        _ => Ok(()),
    }
}

fn check_rows(table: &Points) -> Result<(), String> {
    if table.is_empty() || table.dim() == 0 {
        return Err(format!(
            "a pool needs at least one row and one column, found {} rows of {} columns",
            table.len(),
            table.dim()
        ));
    }
    let numbers = table.len().saturating_mul(table.dim());
    limits::check("numbers in a pool", numbers, limits::POOL)?;
    for (row, features) in table.rows().enumerate() {
        if let Some(column) = features.iter().position(|x| !x.is_finite()) {
            return Err(format!(
                "row {row}, column {column} is {:?}; features must be finite (rows and columns count from 0)",
                features[column]
            ));
        }
    }
    Ok(())
}
