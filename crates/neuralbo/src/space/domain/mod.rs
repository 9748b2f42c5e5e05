//! The values a parameter may take.
//!
//! A *level* names a value of a domain by a number: for a float without a step the value itself, otherwise the index among the
//! domain's values.
//! Finite domains have at most 2^50 values, so that every index is an exact float.

mod check;
mod grid;
mod join;
mod lookup;

use std::slice;
use std::sync::Arc;

use super::Value;
use super::value::ValueView;
use crate::linalg::Points;
use grid::FloatGrid;
pub(super) use lookup::Lookup;

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
    pub(super) fn float(low: f64, high: f64, log: bool, step: Option<f64>) -> Self {
        Self::Float {
            low,
            high,
            log,
            step,
        }
    }

    pub(super) fn int(low: i64, high: i64, log: bool, step: Option<i64>) -> Self {
        Self::Int {
            low,
            high,
            log,
            step,
        }
    }

    /// False or true.
    pub fn bool() -> Self {
        Self::Choice {
            choices: vec![Value::Bool(false), Value::Bool(true)],
        }
    }

    /// What its text form begins with.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Float { .. } => "float",
            Self::Int { .. } => "int",
            Self::Choice { .. } if *self == Self::bool() => "bool",
            Self::Choice { .. } => "choice",
            Self::Ordinal { .. } => "ordinal",
            Self::Fixed { .. } => "fixed",
            Self::Rows { .. } => "rows",
        }
    }

    /// How many values there are; `None` for floats without a step.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Float { .. } => self.float_grid().map(|grid| grid.levels()),
            Self::Int { low, high, .. } => {
                Some((high.abs_diff(*low) / self.int_step()).saturating_add(1))
            }
            Self::Rows { table } => Some(table.len() as u64),
            _ => self.values().map(|values| values.len() as u64),
        }
    }

    /// The values of a choice or of an ordered choice, and the only one of a fixed parameter.
    pub fn values(&self) -> Option<&[Value]> {
        match self {
            Self::Choice { choices: values } | Self::Ordinal { values } => Some(values),
            Self::Fixed { value } => Some(slice::from_ref(value)),
            _ => None,
        }
    }

    /// The bounds, scale and step of a float or an int.
    pub fn range(&self) -> Option<NumberRange> {
        let range = |low, high, log, step, is_whole| NumberRange {
            low,
            high,
            log,
            step,
            is_whole,
        };
        match self {
            Self::Float {
                low,
                high,
                log,
                step,
            } => Some(range(*low, *high, *log, *step, false)),
            Self::Int {
                low,
                high,
                log,
                step,
            } => {
                let step = step.map(|step| step as f64);
                Some(range(*low as f64, *high as f64, *log, step, true))
            }
            _ => None,
        }
    }

    /// The value of a fixed parameter.
    pub fn fixed(&self) -> Option<&Value> {
        match self {
            Self::Fixed { value } => Some(value),
            _ => None,
        }
    }

    /// Whether its values are numbers of a range: a float, an int or the index of a row.
    pub fn is_numeric(&self) -> bool {
        self.range().is_some() || matches!(self, Self::Rows { .. })
    }

    /// Whether neighbouring values have nothing in common: a choice, or the rows of a pool.
    pub fn is_unordered(&self) -> bool {
        matches!(self, Self::Choice { .. } | Self::Rows { .. })
    }

    /// Whether it is an ordered choice.
    pub(super) fn is_ordinal(&self) -> bool {
        matches!(self, Self::Ordinal { .. })
    }

    /// The distance of neighbouring ints.
    fn int_step(&self) -> u64 {
        match self {
            Self::Int { step, .. } => positive(*step),
            _ => 1,
        }
    }

    /// The values of a float with a step.
    fn float_grid(&self) -> Option<FloatGrid> {
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

    /// The level of a value, given the lookup of the listed values; `None` when the value is not in the domain.
    pub(super) fn level_of(&self, value: ValueView<'_>, lookup: &Lookup) -> Option<f64> {
        match self {
            Self::Float { step: Some(_), .. } => self.float_grid()?.level_of(value.as_f64()?),
            Self::Float { low, high, .. } => value.as_f64().filter(|x| (low..=high).contains(&x)),
            Self::Int { low, high, .. } => {
                let whole = value.as_whole().filter(|k| (low..=high).contains(&k))?;
                let (above, step) = (whole.abs_diff(*low), self.int_step());
                above.is_multiple_of(step).then_some((above / step) as f64)
            }
            Self::Rows { table } => {
                let rows = 0..table.len() as i64;
                let row = value.as_whole().filter(|row| rows.contains(row));
                row.map(|row| row as f64)
            }
            _ => lookup.find(self.values()?, value).map(|place| place as f64),
        }
    }

    /// The level nearest to any number, for ints and stepped floats; below 0 or past the last level when the number is
    /// outside the range.
    pub(super) fn nearest_level(&self, x: f64) -> Option<f64> {
        let range = self.range()?;
        let steps = match range.is_whole {
            true => (x - range.low) / range.step.unwrap_or(1.0),
            false => self.float_grid()?.steps_to(x),
        };
        let (inside, level) = ((range.low..=range.high).contains(&x), steps.round());
        Some(if inside {
            level.clamp(0.0, self.count()? as f64 - 1.0)
        } else {
            level
        })
    }

    /// The value at a level of this domain, to look at.
    pub(super) fn view_at(&self, level: f64) -> ValueView<'_> {
        match self {
            Self::Float { .. } => {
                ValueView::Float(self.float_grid().map_or(level, |grid| grid.value(level)))
            }
            // Wrapping, because the distance of two ints may not fit in their own type; the sum always does.
            Self::Int { low, step, .. } => ValueView::Int(
                low.wrapping_add_unsigned((level as u64).wrapping_mul(positive(*step))),
            ),
            Self::Choice { choices: values } | Self::Ordinal { values } => {
                ValueView::from(&values[level as usize])
            }
            Self::Fixed { value } => ValueView::from(value),
            Self::Rows { .. } => ValueView::Int(level as i64),
        }
    }

    /// The value at a level of this domain.
    pub(super) fn value_at(&self, level: f64) -> Value {
        self.view_at(level).to_value()
    }

    /// The levels between which all others are.
    pub(super) fn first_and_last_level(&self) -> (f64, f64) {
        match (self, self.count()) {
            (Self::Float { low, high, .. }, None) => (*low, *high),
            (_, count) => (0.0, count.unwrap_or(1).saturating_sub(1) as f64),
        }
    }

    /// The level at a fraction in [0, 1) of the domain, for choices and rows: all have the same share.
    pub(super) fn unordered_level_at(&self, fraction: f64) -> Option<f64> {
        let count = self.count().filter(|_| self.is_unordered())? as f64;
        Some((fraction * count).floor().clamp(0.0, count - 1.0))
    }

    /// The domain in words, to follow "it must be".
    pub(super) fn allowed(&self) -> String {
        let steps = |step: Option<String>| {
            step.map_or_else(String::new, |step| format!(" in steps of {step}"))
        };
        match self {
            Self::Float {
                low, high, step, ..
            } => {
                let steps = steps(step.map(|step| format!("{step:?}")));
                format!("a number from {low:?} to {high:?}{steps}")
            }
            Self::Int {
                low, high, step, ..
            } => {
                let steps = steps(step.map(|step| step.to_string()));
                format!("a whole number from {low} to {high}{steps}")
            }
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
}

/// The numbers that a float or an int may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberRange {
    /// Lower bound, included.
    pub low: f64,
    /// Upper bound, included.
    pub high: f64,
    /// Whether ratios matter rather than differences.
    pub log: bool,
    /// Distance of neighbouring values, where one is given.
    pub step: Option<f64>,
    /// Whether they are ints.
    pub is_whole: bool,
}

/// The step of an int; 1 when there is none.
fn positive(step: Option<i64>) -> u64 {
    step.map_or(1, |step| step.unsigned_abs().max(1))
}

/// Values for a message: all of a few, the first of many.
fn shown(values: &[Value]) -> String {
    const MOST: usize = 20;
    let names = values.iter().take(MOST).map(|value| format!("`{value}`"));
    let mut names: Vec<String> = names.collect();
    if values.len() > MOST {
        names.push(format!("… ({} values in all)", values.len()));
    }
    names.join(", ")
}
