//! The values a parameter may take.
//!
//! A *level* names a value of a domain by a number: for a float without a step the value itself, otherwise the index among the
//! domain's values.
//! Finite domains have at most 2^50 values, so that every index is an exact float.

use std::sync::Arc;

use super::Value;
use super::grid::FloatGrid;
use super::lookup::{Lookup, repeated};
use super::view::View;
use crate::linalg::Points;

/// Most values of an int parameter: the cells of more could not be told apart in a coordinate of 53 bits.
const MOST_LEVELS: i128 = 1 << 50;
/// Largest bound of an int parameter on a log scale, for the same reason.
const LARGEST_LOG_INT: i64 = 1 << 40;

/// The values a parameter may take; checked by [`Parameter::new`](crate::space::Parameter::new).
///
/// `Display` prints the right-hand side of the text form.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// Real numbers from `low` to `high`.
    ///
    /// With a step the values are `low`, `low + step`, … up to `high`, rounded to the decimals that `low` and `step` are written
    /// with: of `float(0,1,step=0.1)` the fourth is 0.3, not 0.30000000000000004. A `high` between two of them is allowed.
    Float {
        /// Lower bound, included.
        low: f64,
        /// Upper bound, included.
        high: f64,
        /// Whether ratios matter rather than differences.
        log: bool,
        /// Distance of neighbouring values, above 0; all numbers when there is none.
        step: Option<f64>,
    },
    /// Whole numbers from `low` to `high`; with a step `low`, `low + step`, … up to `high`.
    Int {
        /// Lower bound, included.
        low: i64,
        /// Upper bound, included.
        high: i64,
        /// Whether ratios matter rather than differences.
        log: bool,
        /// Distance of neighbouring values, at least 1; 1 when there is none.
        step: Option<i64>,
    },
    /// One of a few values without order.
    Choice {
        /// The values, all different.
        choices: Vec<Value>,
    },
    /// One of a few values in an order: neighbours are alike.
    Ordinal {
        /// The values from the first to the last, all different.
        values: Vec<Value>,
    },
    /// Always the same value.
    Fixed {
        /// The value.
        value: Value,
    },
    /// One row of a table of features; the value is the row's index.
    Rows {
        /// The features as given, one row a candidate.
        table: Arc<Points>,
    },
}

impl Domain {
    /// False or true.
    pub fn bool() -> Self {
        Self::Choice {
            choices: vec![Value::Bool(false), Value::Bool(true)],
        }
    }

    /// How many values there are; `None` for floats without a step.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Float { .. } => self.float_grid().map(|grid| grid.levels()),
            Self::Int {
                low, high, step, ..
            } => Some((high.abs_diff(*low) / positive(*step)).saturating_add(1)),
            Self::Choice { choices: values } | Self::Ordinal { values } => {
                Some(values.len() as u64)
            }
            Self::Fixed { .. } => Some(1),
            Self::Rows { table } => Some(table.len() as u64),
        }
    }

    /// The values of a float with a step.
    pub(super) fn float_grid(&self) -> Option<FloatGrid> {
        match *self {
            Self::Float {
                low,
                high,
                step: Some(step),
                ..
            } => Some(FloatGrid { low, high, step }),
            _ => None,
        }
    }

    /// The values of a choice or of an ordered choice.
    pub(super) fn listed(&self) -> Option<&[Value]> {
        match self {
            Self::Choice { choices: values } | Self::Ordinal { values } => Some(values),
            _ => None,
        }
    }

    /// The level of a value, given the lookup of the listed values; `None` when the value is not in the domain.
    pub(super) fn level_of(&self, value: View<'_>, lookup: &Lookup) -> Option<f64> {
        match self {
            Self::Float {
                low,
                high,
                step: None,
                ..
            } => value.as_f64().filter(|x| (low..=high).contains(&x)),
            Self::Float { .. } => self.float_grid()?.level_of(value.as_f64()?),
            Self::Int {
                low, high, step, ..
            } => {
                let above = value
                    .as_whole()
                    .filter(|k| (low..=high).contains(&k))?
                    .abs_diff(*low);
                let step = positive(*step);
                above.is_multiple_of(step).then_some((above / step) as f64)
            }
            Self::Choice { choices: values } | Self::Ordinal { values } => {
                lookup.find(values, value).map(|place| place as f64)
            }
            Self::Fixed { value: only } => View::from(only).means(value).then_some(0.0),
            Self::Rows { table } => value
                .as_whole()
                .filter(|&k| k >= 0 && (k as u64) < table.len() as u64)
                .map(|k| k as f64),
        }
    }

    /// The level nearest to any number, for ints and stepped floats; below 0 or past the last level when the number is outside
    /// the range.
    pub(super) fn nearest_level(&self, x: f64) -> Option<f64> {
        let (low, high, steps) = match *self {
            Self::Int {
                low, high, step, ..
            } => (
                low as f64,
                high as f64,
                (x - low as f64) / positive(step) as f64,
            ),
            Self::Float { low, high, .. } => (low, high, self.float_grid()?.steps_to(x)),
            _ => return None,
        };
        let inside = (low..=high).contains(&x);
        let level = steps.round();
        Some(if inside {
            level.clamp(0.0, self.count()? as f64 - 1.0)
        } else {
            level
        })
    }

    /// The value at a level of this domain.
    pub(super) fn value_at(&self, level: f64) -> Value {
        match self {
            Self::Float { .. } => {
                Value::Float(self.float_grid().map_or(level, |grid| grid.value(level)))
            }
            // Wrapping, because the distance of two ints may not fit in their own type; the sum always does.
            Self::Int { low, step, .. } => {
                Value::Int(low.wrapping_add_unsigned((level as u64).wrapping_mul(positive(*step))))
            }
            Self::Choice { choices: values } | Self::Ordinal { values } => {
                values[level as usize].clone()
            }
            Self::Fixed { value } => value.clone(),
            Self::Rows { .. } => Value::Int(level as i64),
        }
    }

    /// The value at a level of this domain, to look at.
    pub(super) fn view_at(&self, level: f64) -> View<'_> {
        match self {
            Self::Choice { choices: values } | Self::Ordinal { values } => {
                View::from(&values[level as usize])
            }
            Self::Fixed { value } => View::from(value),
            Self::Float { .. } => {
                View::Float(self.float_grid().map_or(level, |grid| grid.value(level)))
            }
            Self::Int { low, step, .. } => {
                View::Int(low.wrapping_add_unsigned((level as u64).wrapping_mul(positive(*step))))
            }
            Self::Rows { .. } => View::Int(level as i64),
        }
    }

    /// The levels between which all others are.
    pub(super) fn first_and_last_level(&self) -> (f64, f64) {
        match (self, self.count()) {
            (Self::Float { low, high, .. }, None) => (*low, *high),
            (_, count) => (0.0, count.unwrap_or(1) as f64 - 1.0),
        }
    }

    /// The domain in words, to follow "it must be".
    pub(super) fn allowed(&self) -> String {
        match self {
            Self::Float {
                low,
                high,
                step: None,
                ..
            } => format!("a number from {low:?} to {high:?}"),
            Self::Float {
                low,
                high,
                step: Some(step),
                ..
            } => format!("a number from {low:?} to {high:?} in steps of {step:?}"),
            Self::Int {
                low,
                high,
                step: None,
                ..
            } => format!("a whole number from {low} to {high}"),
            Self::Int {
                low,
                high,
                step: Some(step),
                ..
            } => format!("a whole number from {low} to {high} in steps of {step}"),
            Self::Choice { choices: values } | Self::Ordinal { values } => {
                format!("one of {}", shown(values))
            }
            Self::Fixed { value } => format!("`{value}` (it is fixed)"),
            Self::Rows { table } => format!(
                "the index of a row, a whole number from 0 to {}",
                table.len() - 1
            ),
        }
    }

    /// What is wrong with the domain, in words that name what was found and what is allowed.
    pub(super) fn check(&self, name: &str) -> Result<(), String> {
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

/// The step of an int; 1 when there is none.
fn positive(step: Option<i64>) -> u64 {
    step.map_or(1, |step| step.unsigned_abs().max(1))
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

/// Values for a message: all of a few, the first of many.
fn shown(values: &[Value]) -> String {
    const MOST: usize = 20;
    let mut names: Vec<String> = values
        .iter()
        .take(MOST)
        .map(|value| format!("`{value}`"))
        .collect();
    if values.len() > MOST {
        names.push(format!("… ({} values in all)", values.len()));
    }
    names.join(", ")
}

fn check_listed(values: &[Value], example: &str) -> Result<(), String> {
    if values.is_empty() {
        return Err(format!(
            "a choice needs at least one value, e.g. `{example}`"
        ));
    }
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
