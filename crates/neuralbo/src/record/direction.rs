//! Which way is better.

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

impl std::fmt::Display for Direction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

impl std::str::FromStr for Direction {
    type Err = UnknownDirection;

    fn from_str(text: &str) -> Result<Self, UnknownDirection> {
        match text {
            "minimize" => Ok(Self::Minimize),
            "maximize" => Ok(Self::Maximize),
            other => Err(UnknownDirection(other.to_owned())),
        }
    }
}
