//! Limits on measured quantities.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Values;
use super::objective::is_written_name;

/// A limit on a measured quantity: the outcome called `name` must lie within the bounds, which are allowed themselves.
///
/// It is written `memory <= 4e9`, `gain >= 2`, `1 <= ph <= 2`, or with a tolerance `x == 3 +- 0.01`.
///
/// ```
/// use neuralbo::record::OutcomeConstraint;
///
/// let memory: OutcomeConstraint = "memory <= 4e9".parse()?;
/// assert_eq!((memory.at_least, memory.at_most), (None, Some(4e9)));
/// assert_eq!((memory.violation(5e9), memory.violation(4e9)), (1e9, 0.0));
/// let ph: OutcomeConstraint = "1 <= ph <= 2".parse()?;
/// assert_eq!(ph.to_string(), "1 <= ph <= 2");
/// # Ok::<(), neuralbo::record::OutcomeConstraintTextError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutcomeConstraint {
    /// The name by which the quantity is told and stored.
    pub name: String,
    /// Largest value allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Smallest value allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
}

impl OutcomeConstraint {
    /// How far a value is outside of the bounds; 0 if it is allowed.
    pub fn violation(&self, value: f64) -> f64 {
        let above = self.at_most.map_or(0.0, |most| value - most);
        let below = self.at_least.map_or(0.0, |least| least - value);
        above.max(below).max(0.0)
    }

    /// How many bounds it has.
    pub fn bounds(&self) -> usize {
        usize::from(self.at_most.is_some()) + usize::from(self.at_least.is_some())
    }

    /// Whether what was measured is allowed; what was not measured is not.
    pub(super) fn allows(&self, values: &Values) -> bool {
        values.get(&self.name).is_some_and(|value| {
            self.at_most.is_none_or(|most| *value <= most)
                && self.at_least.is_none_or(|least| *value >= least)
        })
    }
}

impl fmt::Display for OutcomeConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.at_least, self.at_most) {
            (Some(least), Some(most)) => write!(f, "{least} <= {} <= {most}", self.name),
            (Some(least), None) => write!(f, "{} >= {least}", self.name),
            (None, Some(most)) => write!(f, "{} <= {most}", self.name),
            (None, None) => f.write_str(&self.name),
        }
    }
}

/// Why a text is no outcome constraint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "outcome constraint `{text}`: {reason}; write `memory <= 4e9`, `gain >= 2`, `1 <= ph <= 2` or `x == 3 +- 0.01`"
)]
pub struct OutcomeConstraintTextError {
    text: String,
    reason: String,
}

impl FromStr for OutcomeConstraint {
    type Err = OutcomeConstraintTextError;

    fn from_str(text: &str) -> Result<Self, OutcomeConstraintTextError> {
        read(text).map_err(|reason| OutcomeConstraintTextError {
            text: text.to_owned(),
            reason,
        })
    }
}

fn read(text: &str) -> Result<OutcomeConstraint, String> {
    if let Some((name, value)) = text.split_once("==") {
        return equality(name.trim(), value.trim());
    }
    let (words, signs) = split(text)?;
    let is_number = |word: &&str| word.parse::<f64>().is_ok();
    match (words.as_slice(), signs.as_slice()) {
        ([low, name, high], ["<=", "<="]) => bounds(name, Some(low), Some(high)),
        ([high, name, low], [">=", ">="]) => bounds(name, Some(low), Some(high)),
        ([value, name], ["<="]) if is_number(value) => bounds(name, Some(value), None),
        ([value, name], [">="]) if is_number(value) => bounds(name, None, Some(value)),
        ([name, value], ["<="]) => bounds(name, None, Some(value)),
        ([name, value], [">="]) => bounds(name, Some(value), None),
        (_, []) => Err("there is no <= or >=".to_owned()),
        _ => Err("there are too many signs, or they point apart".to_owned()),
    }
}

/// The words between the signs, and the signs.
fn split(text: &str) -> Result<(Vec<&str>, Vec<&'static str>), String> {
    let (mut words, mut signs, mut rest) = (Vec::new(), Vec::new(), text);
    while let Some(place) = rest.find(['<', '>']) {
        let (before, from) = rest.split_at(place);
        let sign = if from.starts_with('<') { "<=" } else { ">=" };
        let Some(after) = from.strip_prefix(sign) else {
            return Err(format!("bounds are allowed values, so write {sign}"));
        };
        words.push(before.trim());
        signs.push(sign);
        rest = after;
    }
    words.push(rest.trim());
    Ok((words, signs))
}

fn equality(name: &str, value: &str) -> Result<OutcomeConstraint, String> {
    let tolerance = || "measured values are never exactly equal, so give a tolerance".to_owned();
    let (middle, width) = value.split_once("+-").ok_or_else(tolerance)?;
    let (middle, width) = (number(middle.trim())?, number(width.trim())?);
    if width <= 0.0 {
        return Err(format!("the tolerance must be positive, found {width}"));
    }
    let (low, high) = (middle - width, middle + width);
    if !(low.is_finite() && high.is_finite()) {
        return Err("its bounds are too large for a number".to_owned());
    }
    named(name, Some(low), Some(high))
}

fn bounds(name: &str, low: Option<&str>, high: Option<&str>) -> Result<OutcomeConstraint, String> {
    let (low, high) = (low.map(number).transpose()?, high.map(number).transpose()?);
    named(name, low, high)
}

fn named(
    name: &str,
    at_least: Option<f64>,
    at_most: Option<f64>,
) -> Result<OutcomeConstraint, String> {
    if name.is_empty() || name.parse::<f64>().is_ok() {
        return Err("the name of what is measured is missing".to_owned());
    }
    if !is_written_name(name) {
        return Err(format!("`{name}` cannot be a name; it has none of = , < >"));
    }
    if let (Some(least), Some(most)) = (at_least, at_most)
        && least > most
    {
        return Err(format!("no value is at least {least} and at most {most}"));
    }
    Ok(OutcomeConstraint {
        name: name.to_owned(),
        at_most,
        at_least,
    })
}

fn number(word: &str) -> Result<f64, String> {
    let number = word.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("`{word}` is not a finite number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (String, Option<f64>, Option<f64>) {
        let read: OutcomeConstraint = text.parse().unwrap();
        (read.name, read.at_least, read.at_most)
    }

    #[test]
    fn every_form_is_read() {
        for text in ["memory <= 4e9", "memory<=4e9", " 4e9 >= memory "] {
            assert_eq!(read(text), ("memory".into(), None, Some(4e9)), "{text}");
        }
        for text in ["gain >= -2", "-2 <= gain"] {
            assert_eq!(read(text), ("gain".into(), Some(-2.0), None), "{text}");
        }
        for text in ["1 <= p h <= 2", "2>=p h>=1"] {
            assert_eq!(read(text), ("p h".into(), Some(1.0), Some(2.0)), "{text}");
        }
        assert_eq!(read("x == 3 +- 0.25"), ("x".into(), Some(2.75), Some(3.25)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("memory", "there is no <= or >="),
            ("memory < 4", "write <="),
            ("memory > 4", "write >="),
            ("memory <= much", "`much` is not a finite number"),
            ("memory <= inf", "`inf` is not a finite number"),
            ("memory <= ", "`` is not a finite number"),
            ("<= 4", "name of what is measured is missing"),
            ("3 <= 4", "name of what is measured is missing"),
            ("2 <= ph <= 1", "no value is at least 2 and at most 1"),
            ("1 <= ph >= 0", "point apart"),
            ("1 <= a <= b <= 2", "too many signs"),
            ("x == 3", "give a tolerance"),
            ("x == 3 +- 0", "tolerance must be positive"),
            ("x == 1e308 +- 1e308", "too large for a number"),
            ("a=b <= 3", "`a=b` cannot be a name"),
        ];
        for (text, reason) in cases {
            let error = text.parse::<OutcomeConstraint>().unwrap_err().to_string();
            assert!(
                error.contains(reason) && error.contains(&format!("`{text}`")),
                "{text}: {error}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(name in "[a-zäM_][a-z_. 0-9]{0,8}[a-z]", low in -1e12f64..1e12, size in 0.0f64..1e6, form in 0..3) {
            let (at_least, at_most) = ((form != 0).then_some(low), (form != 1).then_some(low + size));
            let constraint = OutcomeConstraint { name, at_most, at_least };
            prop_assert_eq!(constraint.to_string().parse::<OutcomeConstraint>().unwrap(), constraint);
        }

        #[test]
        fn violations_are_distances_to_the_bounds(low in -10.0f64..10.0, size in 0.0f64..5.0, value in -30.0f64..30.0) {
            let constraint = OutcomeConstraint { name: "x".into(), at_most: Some(low + size), at_least: Some(low) };
            let nearest = value.clamp(low, low + size);
            prop_assert_eq!(constraint.violation(value), (value - nearest).abs());
            let values = Values::from([("x".to_owned(), value)]);
            prop_assert_eq!(constraint.allows(&values), constraint.violation(value) == 0.0);
        }
    }
}
