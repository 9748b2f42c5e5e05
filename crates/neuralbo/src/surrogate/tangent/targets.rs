//! What the rewards become before they are modelled.

use crate::surrogate::Standardizer;

/// Treatment of the rewards below the median: what matters about a bad point is that it is bad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Targets {
    /// As they are.
    Plain,
    /// Linear above the median, logarithmic below it, in units of the distance from the median to the best.
    Compressed {
        /// Units of the upper half that stay linear below the median.
        slack: f64,
    },
}

impl Targets {
    /// The targets in standard units.
    pub(super) fn apply(self, rewards: &[f64]) -> (Standardizer, Vec<f64>) {
        let Self::Compressed { slack } = self else {
            let units = Standardizer::of(rewards);
            return (units, units.forward_all(rewards));
        };
        let mut sorted = rewards.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (median, best) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() - 1]);
        let unit = (best - median) * slack;
        if !(unit > 0.0 && unit.is_finite()) {
            let units = Standardizer::of(rewards);
            return (units, units.forward_all(rewards));
        }
        let compress = |r: f64| if r < median { median - unit * ((median - r) / unit).ln_1p() } else { r };
        let compressed: Vec<f64> = rewards.iter().map(|&r| compress(r)).collect();
        let units = Standardizer::of(&compressed);
        (units, units.forward_all(&compressed))
    }
}
