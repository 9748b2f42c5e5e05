//! When what is expensive to fit is fitted again.

use serde::{Deserialize, Serialize};

/// At which data sizes something is fitted again: every one up to `every_until`, then each time the data grew by `growth`.
///
/// What serves `t` observations is fitted to the first [`Refit::milestone`] of them, so it is a function of those observations
/// alone: continuing a study and starting from its record give the same fit.
///
/// ```
/// use neuralbo::surrogate::Refit;
///
/// let refit = Refit { every_until: 100, growth: 0.1 };
/// assert_eq!([7, 100, 109, 110, 125].map(|t| refit.milestone(t)), [7, 100, 100, 110, 121]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refit {
    /// Up to this many observations each one makes a new fit.
    pub every_until: usize,
    /// Share by which the data must grow afterwards; zero fits again on every observation.
    pub growth: f64,
}

impl Default for Refit {
    fn default() -> Self {
        Self {
            every_until: 100,
            growth: 0.1,
        }
    }
}

impl Refit {
    /// The largest milestone not above `count`.
    pub fn milestone(&self, count: usize) -> usize {
        if count <= self.every_until {
            return count;
        }
        let mut milestone = self.every_until.max(1);
        loop {
            let next = milestone + ((milestone as f64 * self.growth) as usize).max(1);
            if next > count {
                return milestone;
            }
            milestone = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milestones_are_fixed_points_and_never_lag_more_than_the_growth() {
        let refit = |every_until, growth| Refit {
            every_until,
            growth,
        };
        for refit in [refit(30, 0.2), refit(0, 0.5), Refit::default()] {
            for count in 1..2000 {
                let milestone = refit.milestone(count);
                assert_eq!(refit.milestone(milestone), milestone);
                assert!(milestone <= count);
                assert!(count as f64 <= milestone as f64 * (1.0 + refit.growth) + 1.0);
            }
        }
        assert_eq!(refit(5, 0.0).milestone(777), 777);
        // Without an initial phase a schedule still starts.
        assert_eq!(
            [0, 1, 2, 3].map(|n| refit(0, 0.1).milestone(n)),
            [0, 1, 2, 3]
        );
    }
}
