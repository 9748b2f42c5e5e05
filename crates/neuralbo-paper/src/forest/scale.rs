//! Rewards in units in which sums of squares neither overflow nor vanish.

/// The map `reward = magnitude · (centre + radius · target)` with targets in [−1, 1].
///
/// Two steps, because a sum or difference of rewards near the largest number would overflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RewardScale {
    magnitude: f64,
    centre: f64,
    radius: f64,
    /// Smallest and largest `reward / magnitude`: a mean of rewards cannot leave this range, rounding aside.
    range: (f64, f64),
}

/// Smallest standard deviation in units of the rewards' scale.
const SD_FLOOR: f64 = 1e-6;

impl RewardScale {
    /// The scale of `rewards`, which are finite.
    pub(super) fn of(rewards: &[f64]) -> Self {
        let largest = rewards.iter().fold(0.0_f64, |a, y| a.max(y.abs()));
        let magnitude = if largest > 0.0 { largest } else { 1.0 };
        let unit = || rewards.iter().map(|y| y / magnitude);
        let range = unit().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| {
            (low.min(z), high.max(z))
        });
        // Constant rewards are recognized exactly: their computed mean may differ by rounding, which must not become the scale.
        if range.0 == range.1 {
            return Self {
                magnitude,
                centre: range.0,
                radius: 1.0,
                range,
            };
        }
        let centre = unit().sum::<f64>() / rewards.len() as f64;
        let radius = (range.1 - centre).max(centre - range.0);
        Self {
            magnitude,
            centre,
            radius,
            range,
        }
    }

    /// The target of one of the rewards.
    pub(super) fn target(&self, reward: f64) -> f64 {
        (reward / self.magnitude - self.centre) / self.radius
    }

    /// The reward at a mean of targets.
    pub(super) fn mean(&self, target: f64) -> f64 {
        (self.centre + self.radius * target).clamp(self.range.0, self.range.1) * self.magnitude
    }

    /// The reward's standard deviation at one of targets, not below the floor.
    pub(super) fn sd(&self, target_sd: f64) -> f64 {
        // Values in [−1, 1] have no larger standard deviation than 1: the bound keeps rounding from overflowing.
        ((self.radius * target_sd.max(SD_FLOOR)).min(1.0) * self.magnitude).max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_fill_the_unit_range_at_any_magnitude() {
        for magnitude in [1e-300, 1.0, 1e300, f64::MAX] {
            let rewards = [magnitude, -magnitude, 0.5 * magnitude, 0.0];
            let scale = RewardScale::of(&rewards);
            let targets = rewards.map(|reward| scale.target(reward));
            assert!(targets.iter().all(|t| t.abs() <= 1.0));
            for (reward, &target) in rewards.iter().zip(&targets) {
                assert!((scale.mean(target) / magnitude - reward / magnitude).abs() < 1e-15);
            }
            assert!(scale.sd(0.0) > 0.0 && scale.sd(1.0).is_finite());
        }
    }

    #[test]
    fn constant_rewards_keep_their_value_and_a_floor() {
        let scale = RewardScale::of(&[0.1; 7]);
        assert_eq!(scale.target(0.1), 0.0);
        assert_eq!(scale.mean(0.0), 0.1);
        assert_eq!(scale.sd(0.0), SD_FLOOR * 0.1);
        assert_eq!(RewardScale::of(&[0.0]).sd(0.0), SD_FLOOR);
    }
}
