//! Rewards in units of their own spread, without overflow at either end of the floating-point range.
//!
//! Symbols: `y = size · (centre + spread · z)` with `size = max |y|`, so that nothing larger than one is ever squared or summed.

/// The map between rewards `y` and standardized rewards `z`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Standardizer {
    size: f64,
    centre: f64,
    spread: f64,
}

/// Spreads below this many units in the last place are rounding: the rewards are constant.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl Standardizer {
    pub const IDENTITY: Self = Self { size: 1.0, centre: 0.0, spread: 1.0 };

    /// Mean 0 and standard deviation 1; constant rewards become zeros.
    pub fn of(rewards: &[f64]) -> Self {
        let largest = rewards.iter().fold(0.0f64, |m, y| m.max(y.abs()));
        let size = if largest > 0.0 { largest } else { 1.0 };
        let count = rewards.len().max(1) as f64;
        let rough = rewards.iter().map(|y| y / size).sum::<f64>() / count;
        let centre = rough + rewards.iter().map(|y| y / size - rough).sum::<f64>() / count;
        let spread = (rewards.iter().map(|y| (y / size - centre).powi(2)).sum::<f64>() / count).sqrt();
        Self { size, centre, spread: if spread > ROUNDING { spread } else { 1.0 } }
    }

    pub fn standardize(&self, reward: f64) -> f64 {
        (reward / self.size - self.centre) / self.spread
    }

    /// A standardized value in the units of the rewards, held within the finite numbers.
    pub fn value(&self, z: f64) -> f64 {
        finite(self.size * (self.centre + self.spread * z))
    }

    /// A standardized difference in the units of the rewards, held within the finite numbers.
    pub fn difference(&self, z: f64) -> f64 {
        finite(self.size * (self.spread * z))
    }
}

fn finite(value: f64) -> f64 {
    value.clamp(-f64::MAX, f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn standardized_rewards_have_mean_zero_and_deviation_one(
            base in prop::collection::vec(-1.0f64..1.0, 3..20),
            exponent in -307i32..307,
        ) {
            let unit = 10f64.powi(exponent);
            let rewards: Vec<f64> = base.iter().map(|b| b * unit).collect();
            let map = Standardizer::of(&rewards);
            let z: Vec<f64> = rewards.iter().map(|&y| map.standardize(y)).collect();
            let count = z.len() as f64;
            prop_assert!((z.iter().sum::<f64>() / count).abs() < 1e-10);
            prop_assert!((z.iter().map(|v| v * v).sum::<f64>() / count - 1.0).abs() < 1e-10);
            for (y, z) in rewards.iter().zip(&z) {
                prop_assert!((map.value(*z) - y).abs() <= 1e-12 * unit);
            }
        }
    }

    #[test]
    fn constant_rewards_become_zeros() {
        for y in [0.0, 3.0, -1e300, 1e-300, f64::MAX] {
            let map = Standardizer::of(&[y; 3]);
            assert_eq!(map.standardize(y), 0.0);
            assert_eq!(map.value(0.0), y);
        }
    }

    #[test]
    fn answers_stay_finite() {
        assert_eq!(Standardizer::of(&[f64::MAX, -f64::MAX]).value(5.0), f64::MAX);
    }
}
