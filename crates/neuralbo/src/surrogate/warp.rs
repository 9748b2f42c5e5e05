//! Rewards in standard units, whatever their size, and monotone transforms of them before a model is fitted: how bad the bad ones
//! are must not decide the fit.
//!
//! Symbols: `reward = magnitude · (centre + spread · unit)` with `magnitude = max |reward|`, so that nothing larger than one is ever
//! squared or summed.

/// An affine map from rewards to zero mean and unit spread; constant rewards keep a spread of one.
///
/// Rewards are divided by their largest magnitude first, so that neither 1e300 nor 1e-300 over- or underflows.
///
/// ```
/// use neuralbo::surrogate::Standardizer;
///
/// let units = Standardizer::of(&[1e300, -1e300, 0.0]);
/// assert!(units.forward(1e300).is_finite());
/// assert!((units.backward(units.forward(5e299)) / 5e299 - 1.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standardizer {
    magnitude: f64,
    centre: f64,
    spread: f64,
}

/// Largest standard deviation of an estimate in standard units: more makes no difference.
const LARGEST_SD: f64 = 100.0;

/// Spreads below this many units in the last place are rounding: the rewards are constant.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl Standardizer {
    /// Mean and standard deviation of `rewards`.
    pub fn of(rewards: &[f64]) -> Self {
        let largest = rewards.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        let magnitude = if largest > 0.0 { largest } else { 1.0 };
        let count = rewards.len().max(1) as f64;
        // The second pass takes away the rounding of the first, which many nearly equal rewards would show as a spread.
        let rough = rewards.iter().map(|r| r / magnitude).sum::<f64>() / count;
        let centre = rough + rewards.iter().map(|r| r / magnitude - rough).sum::<f64>() / count;
        let spread = (rewards
            .iter()
            .map(|r| (r / magnitude - centre).powi(2))
            .sum::<f64>()
            / count)
            .sqrt();
        Self {
            magnitude,
            centre,
            spread: if spread > ROUNDING { spread } else { 1.0 },
        }
    }

    /// The best of `rewards` and their standard deviation: no reward is positive in these units.
    pub fn below_best(rewards: &[f64]) -> Self {
        let units = Self::of(rewards);
        let best = rewards.iter().copied().reduce(f64::max);
        Self {
            centre: best.map_or(units.centre, |best| best / units.magnitude),
            ..units
        }
    }

    /// Rewards as they are.
    pub const fn identity() -> Self {
        Self {
            magnitude: 1.0,
            centre: 0.0,
            spread: 1.0,
        }
    }

    /// From rewards to standard units.
    pub fn forward(&self, reward: f64) -> f64 {
        (reward / self.magnitude - self.centre) / self.spread
    }

    /// From the standard deviation of an estimated reward to standard units, held within what makes a difference (and within
    /// what can be squared where rewards stay as they are).
    pub(super) fn forward_sd(&self, sd: f64) -> f64 {
        let largest = if *self == Self::identity() {
            1e100
        } else {
            LARGEST_SD
        };
        (sd / self.backward_scale(1.0)).min(largest)
    }

    /// From standard units to rewards, held within the finite numbers.
    pub fn backward(&self, unit: f64) -> f64 {
        finite((unit * self.spread + self.centre) * self.magnitude)
    }

    /// From a difference (or standard deviation) in standard units to one in rewards, held within the finite numbers.
    pub fn backward_scale(&self, unit: f64) -> f64 {
        finite(unit * self.spread * self.magnitude)
    }

    /// All rewards in standard units.
    pub fn forward_all(&self, rewards: &[f64]) -> Vec<f64> {
        rewards.iter().map(|&r| self.forward(r)).collect()
    }
}

fn finite(value: f64) -> f64 {
    value.clamp(-f64::MAX, f64::MAX)
}

/// Rewards far below all others raised to a limit: `factor` times as far below the best as the `usual` quantile of all gaps to
/// it. `None` where no reward is changed.
pub(crate) fn limit_outliers(rewards: &[f64], usual: f64, factor: f64) -> Option<Vec<f64>> {
    let best = rewards.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut gaps: Vec<f64> = rewards.iter().map(|reward| best - reward).collect();
    gaps.sort_by(f64::total_cmp);
    let usual = *gaps.get((usual * gaps.len().saturating_sub(1) as f64) as usize)?;
    let limit = best - factor * usual;
    let outlying = usual > 0.0 && rewards.iter().any(|reward| *reward < limit);
    outlying.then(|| rewards.iter().map(|reward| reward.max(limit)).collect())
}

/// Rewards below the median brought nearer to it by a logarithm, in units of the distance from the median to the best.
pub(crate) fn compress_below_median(rewards: &[f64]) -> Vec<f64> {
    let mut sorted = rewards.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(best), Some(median)) = (sorted.last(), sorted.get(sorted.len() / 2)) else {
        return sorted;
    };
    let unit = best - median;
    if !(unit > 0.0 && unit.is_finite()) {
        return rewards.to_vec();
    }
    let compress = |reward: &f64| match reward < median {
        true => median - unit * ((median - reward) / unit).ln_1p(),
        false => *reward,
    };
    rewards.iter().map(compress).collect()
}

/// The median distance of values from `level`, 1 where it is 0.
pub(crate) fn median_distance(values: &[f64], level: f64) -> f64 {
    let mut distances: Vec<f64> = values.iter().map(|value| (value - level).abs()).collect();
    distances.sort_by(f64::total_cmp);
    let median = distances.get(distances.len() / 2).copied();
    median.filter(|median| *median > 0.0).unwrap_or(1.0)
}

/// Values farther than `far` from `level` brought nearer by a logarithm; the others as they are.
pub(crate) fn compress_far_from(level: f64, far: f64, values: &[f64]) -> Vec<f64> {
    let compress = |value: &f64| {
        let distance = value - level;
        match distance.abs() <= far {
            true => *value,
            false => level + distance.signum() * far * (1.0 + (distance.abs() / far).ln()),
        }
    };
    values.iter().map(compress).collect()
}

/// `−ln(1 − x)` below zero, `x` above.
pub(crate) fn compress_below_zero(x: f64) -> f64 {
    if x < 0.0 { -(-x).ln_1p() } else { x }
}

/// The inverse of [`compress_below_zero`].
pub(crate) fn expand_below_zero(x: f64) -> f64 {
    if x < 0.0 { -(-x).exp_m1() } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_outliers_are_limited() {
        let mut rewards: Vec<f64> = (0..10).map(f64::from).collect();
        assert_eq!(limit_outliers(&rewards, 0.5, 10.0), None);
        rewards[3] = -1e9;
        // The gaps are 0 to 9 and the outlier's; their median is 4.
        let limited = limit_outliers(&rewards, 0.5, 10.0).unwrap_or_default();
        assert_eq!((limited[3], limited[4]), (9.0 - 40.0, 4.0));
        assert_eq!(limit_outliers(&[2.0; 3], 0.5, 10.0), None);
        assert_eq!(limit_outliers(&[], 0.5, 10.0), None);
    }

    #[test]
    fn only_rewards_below_the_median_are_compressed_and_their_order_stays() {
        let found = compress_below_median(&[-1e6, 3.0, 5.0, -7.0, 4.0]);
        assert_eq!((found[1], found[2], found[4]), (3.0, 5.0, 4.0));
        assert!((found[3] - (3.0 - 2.0 * 6f64.ln())).abs() < 1e-12);
        assert!(found[0] < found[3] && found[0] > -30.0, "{found:?}");
        assert_eq!(compress_below_median(&[2.0, 2.0]), [2.0, 2.0]);
        assert!(compress_below_median(&[]).is_empty());
    }

    #[test]
    fn only_values_far_from_the_level_are_compressed_and_their_order_stays() {
        let values = [0.0, 1.0, -2.0, 1.0, 1e9, -1e9, 11.0];
        assert_eq!(median_distance(&values, 0.0), 2.0);
        let found = compress_far_from(0.0, 10.0, &values);
        assert_eq!(found[..4], [0.0, 1.0, -2.0, 1.0]);
        assert!((found[4] - 10.0 * (1.0 + 1e8f64.ln())).abs() < 1e-9 && found[5] == -found[4]);
        assert!((10.0..11.0).contains(&found[6]), "{found:?}");
        let ones = (median_distance(&[3.0, 3.0], 3.0), median_distance(&[], 0.0));
        assert_eq!(ones, (1.0, 1.0));
    }

    #[test]
    fn compression_below_zero_can_be_undone() {
        for x in [-30.0, -0.5, 0.0, 2.0] {
            assert!((expand_below_zero(compress_below_zero(x)) - x).abs() < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn standardized_rewards_have_mean_zero_and_deviation_one(
            base in prop::collection::vec(-1.0f64..1.0, 3..20),
            exponent in -307i32..307,
        ) {
            let unit = 10f64.powi(exponent);
            let rewards: Vec<f64> = base.iter().map(|b| b * unit).collect();
            let map = Standardizer::of(&rewards);
            let z = map.forward_all(&rewards);
            let count = z.len() as f64;
            prop_assert!((z.iter().sum::<f64>() / count).abs() < 1e-10);
            prop_assert!((z.iter().map(|v| v * v).sum::<f64>() / count - 1.0).abs() < 1e-10);
            for (y, z) in rewards.iter().zip(&z) {
                prop_assert!((map.backward(*z) - y).abs() <= 1e-12 * unit);
            }
        }
    }

    /// The standard deviation of 2, 6, 4 is √(8/3).
    #[test]
    fn relative_rewards_are_zero_at_the_best() {
        let units = Standardizer::below_best(&[2.0, 6.0, 4.0]);
        assert_eq!(units.forward(6.0), 0.0);
        assert!((units.forward(2.0) + 6.0_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn constant_rewards_become_zeros() {
        for y in [0.0, 3.0, -1e300, 1e-300, f64::MAX] {
            let map = Standardizer::of(&[y; 3]);
            assert_eq!(map.forward(y), 0.0);
            assert_eq!(map.backward(0.0), y);
        }
    }

    #[test]
    fn answers_stay_finite() {
        let map = Standardizer::of(&[f64::MAX, -f64::MAX]);
        assert_eq!(
            (map.backward(5.0), map.backward_scale(-5.0)),
            (f64::MAX, -f64::MAX)
        );
    }
}
