//! The values a parameter may take.
//!
//! A *level* names a value of a domain by a number: for a float the value itself, otherwise the index among the domain's values.
//! Finite domains have at most 2^50 values, so that every index is an exact float.

use std::sync::Arc;

use super::Value;
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
    Float {
        /// Lower bound, included.
        low: f64,
        /// Upper bound, included.
        high: f64,
        /// Whether ratios matter rather than differences.
        log: bool,
    },
    /// Whole numbers from `low` to `high`.
    Int {
        /// Lower bound, included.
        low: i64,
        /// Upper bound, included.
        high: i64,
        /// Whether ratios matter rather than differences.
        log: bool,
    },
    /// One of a few values without order.
    Choice {
        /// The values, all different.
        choices: Vec<Value>,
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
        Self::Choice { choices: vec![Value::Bool(false), Value::Bool(true)] }
    }

    /// How many values there are; `None` for floats.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Float { .. } => None,
            Self::Int { low, high, .. } => Some(high.abs_diff(*low).saturating_add(1)),
            Self::Choice { choices } => Some(choices.len() as u64),
            Self::Fixed { .. } => Some(1),
            Self::Rows { table } => Some(table.len() as u64),
        }
    }

    /// The level of a value; `None` when the value is not in the domain.
    pub(super) fn level_of(&self, value: &Value) -> Option<f64> {
        match self {
            Self::Float { low, high, .. } => value.as_f64().filter(|x| (low..=high).contains(&x)),
            Self::Int { low, high, .. } => {
                value.as_whole().filter(|k| (low..=high).contains(&k)).map(|k| k.abs_diff(*low) as f64)
            }
            Self::Choice { choices } => choices.iter().position(|choice| choice.means(value)).map(|i| i as f64),
            Self::Fixed { value: only } => only.means(value).then_some(0.0),
            Self::Rows { table } => value.as_whole().filter(|&k| k >= 0 && (k as u64) < table.len() as u64).map(|k| k as f64),
        }
    }

    /// The value at a level of this domain.
    pub(super) fn value_at(&self, level: f64) -> Value {
        match self {
            Self::Float { .. } => Value::Float(level),
            Self::Int { low, .. } => Value::Int(low + level as i64),
            Self::Choice { choices } => choices[level as usize].clone(),
            Self::Fixed { value } => value.clone(),
            Self::Rows { .. } => Value::Int(level as i64),
        }
    }

    /// The domain in words, to follow "it must be".
    pub(super) fn allowed(&self) -> String {
        match self {
            Self::Float { low, high, .. } => format!("a number from {low:?} to {high:?}"),
            Self::Int { low, high, .. } => format!("a whole number from {low} to {high}"),
            Self::Choice { choices } => {
                let names: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
                format!("one of {}", names.join(", "))
            }
            Self::Fixed { value } => format!("`{value}` (it is fixed)"),
            Self::Rows { table } => format!("the index of a row, a whole number from 0 to {}", table.len() - 1),
        }
    }

    /// What is wrong with the domain, in words that name what was found and what is allowed.
    pub(super) fn check(&self, name: &str) -> Result<(), String> {
        match self {
            Self::Float { low, high, log } => check_float(name, *low, *high, *log),
            Self::Int { low, high, log } => check_int(*low, *high, *log),
            Self::Choice { choices } => check_choices(choices),
            Self::Fixed { value } => check_finite(value),
            Self::Rows { table } => check_rows(table),
        }
    }
}

fn check_float(name: &str, low: f64, high: f64, log: bool) -> Result<(), String> {
    if !(low.is_finite() && high.is_finite()) {
        return Err(format!("low and high must be finite numbers, found low = {low:?}, high = {high:?}"));
    }
    if low >= high {
        return Err(format!(
            "low must be below high, found low = {low:?}, high = {high:?}; write {name}=VALUE for a fixed value, e.g. `{name}={low:?}`"
        ));
    }
    if log && low <= 0.0 {
        return Err(format!("a log scale needs low above 0, found low = {low:?}"));
    }
    Ok(())
}

fn check_int(low: i64, high: i64, log: bool) -> Result<(), String> {
    if low > high {
        return Err(format!("low must not be above high, found low = {low}, high = {high}"));
    }
    if log && low < 1 {
        return Err(format!("a log scale needs low of at least 1, found low = {low}"));
    }
    if log && high > LARGEST_LOG_INT {
        return Err(format!(
            "a log scale of ints needs high of at most {LARGEST_LOG_INT} (2^40), found high = {high}; use a log float"
        ));
    }
    let levels = i128::from(high) - i128::from(low) + 1;
    if levels > MOST_LEVELS {
        return Err(format!(
            "low = {low} to high = {high} are {levels} values, at most {MOST_LEVELS} (2^50) are allowed; use a float"
        ));
    }
    Ok(())
}

fn check_choices(choices: &[Value]) -> Result<(), String> {
    if choices.is_empty() {
        return Err("a choice needs at least one value, e.g. `choice(adam,sgd)`".into());
    }
    for (i, choice) in choices.iter().enumerate() {
        check_finite(choice)?;
        if choices[..i].iter().any(|earlier| earlier.means(choice)) {
            return Err(format!("choice `{choice}` is given twice; choices must be different"));
        }
    }
    Ok(())
}

fn check_finite(value: &Value) -> Result<(), String> {
    match value {
        Value::Float(x) if !x.is_finite() => Err(format!("numbers must be finite, found {x:?}")),
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
