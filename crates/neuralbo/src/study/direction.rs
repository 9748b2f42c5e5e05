//! Which way is better.

use serde::{Deserialize, Serialize};

/// Whether smaller or larger values are better.
///
/// Users think in values; everything below the study thinks in *rewards* (larger is better), as the paper does.
///
/// ```
/// use neuralbo::study::Direction;
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
