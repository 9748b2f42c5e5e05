//! What is optimized: objectives by name, each with a direction, which says what is better.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Whether smaller or larger values are better.
///
/// Users think in values; everything below the study thinks in *rewards* (larger is better), as the paper does.
///
/// ```
/// use neuralbo::record::Direction;
///
/// assert!(Direction::Minimize.is_better(1.0, 2.0));
/// assert_eq!(Direction::Minimize.reward(3.0), -3.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Smaller is better.
    #[default]
    Minimize,
    /// Larger is better.
    Maximize,
}

impl Direction {
    /// Whether value `a` is strictly better than `b`.
    pub fn is_better(self, a: f64, b: f64) -> bool {
        self.reward(a) > self.reward(b)
    }

    /// The value as a reward: larger is better.
    pub fn reward(self, value: f64) -> f64 {
        match self {
            Self::Minimize => -value,
            Self::Maximize => value,
        }
    }

    /// The value of a reward; [`Direction::reward`] is its own inverse.
    pub fn value(self, reward: f64) -> f64 {
        self.reward(reward)
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Minimize => "minimize",
            Self::Maximize => "maximize",
        })
    }
}

/// A text that is no direction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("direction `{0}` is not allowed; it must be minimize or maximize")]
pub struct UnknownDirection(String);

impl FromStr for Direction {
    type Err = UnknownDirection;

    fn from_str(text: &str) -> Result<Self, UnknownDirection> {
        match text {
            "minimize" => Ok(Self::Minimize),
            "maximize" => Ok(Self::Maximize),
            other => Err(UnknownDirection(other.to_owned())),
        }
    }
}

/// One objective: its name and which way is better.
///
/// It is written `NAME:DIRECTION`.
///
/// ```
/// use neuralbo::record::{Direction, ObjectiveSpec};
///
/// let loss: ObjectiveSpec = "loss:minimize".parse()?;
/// assert_eq!(loss, ObjectiveSpec::new("loss", Direction::Minimize));
/// assert_eq!(loss.to_string(), "loss:minimize");
/// assert!("loss".parse::<ObjectiveSpec>().is_err_and(|error| error.to_string().contains("direction")));
/// # Ok::<(), neuralbo::record::ObjectiveTextError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectiveSpec {
    /// The name by which its values are told and stored.
    pub name: String,
    /// Which way is better.
    pub direction: Direction,
    /// Its coordinate of the reference point of the hypervolume: a value that is just not good enough. Without one it is inferred
    /// from the Pareto front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<f64>,
}

impl ObjectiveSpec {
    /// An objective without a reference value.
    pub fn new(name: impl Into<String>, direction: Direction) -> Self {
        Self {
            name: name.into(),
            direction,
            reference: None,
        }
    }
}

/// Why a text is no objective.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjectiveTextError {
    /// There is only a name.
    #[error("objective `{0}`: the direction is missing; write `{0}:minimize` or `{0}:maximize`")]
    DirectionMissing(String),
    /// What follows the name is no direction.
    #[error("objective `{name}`: {error}")]
    Direction {
        /// The objective.
        name: String,
        /// What is wrong.
        error: UnknownDirection,
    },
    /// The name cannot be one.
    #[error(
        "objective `{text}`: the name must not be empty and has none of = , < >; write NAME:DIRECTION, such as `loss:minimize`"
    )]
    Name {
        /// What was given.
        text: String,
    },
}

impl FromStr for ObjectiveSpec {
    type Err = ObjectiveTextError;

    fn from_str(text: &str) -> Result<Self, ObjectiveTextError> {
        let (name, direction) = match text.rsplit_once(':') {
            Some((name, direction)) => (name.trim(), Some(direction.trim())),
            None => (text.trim(), None),
        };
        if !is_written_name(name) {
            return Err(ObjectiveTextError::Name {
                text: text.to_owned(),
            });
        }
        let Some(direction) = direction else {
            return Err(ObjectiveTextError::DirectionMissing(name.to_owned()));
        };
        match direction.parse() {
            Ok(direction) => Ok(Self::new(name, direction)),
            Err(error) => Err(ObjectiveTextError::Direction {
                name: name.to_owned(),
                error,
            }),
        }
    }
}

impl fmt::Display for ObjectiveSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.direction)
    }
}

/// Whether a name can be written beside the signs of objectives, outcome constraints and `NAME=VALUE`.
pub(super) fn is_written_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| "=,<>".contains(c) || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<ObjectiveSpec>().unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_named() {
        let missing = "the direction is missing; write `loss:minimize` or `loss:maximize`";
        assert_eq!(error("loss"), format!("objective `loss`: {missing}"));
        let down = "direction `down` is not allowed; it must be minimize or maximize";
        assert_eq!(error("loss:down"), format!("objective `loss`: {down}"));
        for name in ["", " ", "a=b", "a,b", "a\nb"] {
            let text = error(&format!("{name}:minimize"));
            assert!(text.contains("the name must not be empty"), "{name:?}");
        }
        assert!(error("").contains("the name must not be empty"));
    }

    #[test]
    fn names_may_have_colons_and_spaces() {
        let read: ObjectiveSpec = " eval:top 1 : maximize ".parse().unwrap();
        assert_eq!(read, ObjectiveSpec::new("eval:top 1", Direction::Maximize));
        assert_eq!(read.to_string().parse(), Ok(read));
    }

    #[test]
    fn records_of_earlier_versions_have_no_reference() {
        let text = r#"{"name":"value","direction":"minimize"}"#;
        let read: ObjectiveSpec = serde_json::from_str(text).unwrap();
        assert_eq!(read, ObjectiveSpec::new("value", Direction::Minimize));
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}
