//! Rewards in standard units, whatever their size.

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
    center: f64,
    spread: f64,
}

impl Standardizer {
    /// Mean and standard deviation of `rewards`.
    pub fn of(rewards: &[f64]) -> Self {
        let magnitude = rewards.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        let magnitude = if magnitude > 0.0 { magnitude } else { 1.0 };
        let count = rewards.len().max(1) as f64;
        let center = rewards.iter().map(|r| r / magnitude).sum::<f64>() / count;
        let variance = rewards.iter().map(|r| (r / magnitude - center).powi(2)).sum::<f64>() / count;
        // Below the rounding of the rewards themselves a spread is noise of the arithmetic: treat them as constant.
        let spread = if variance.sqrt() > 1e-13 { variance.sqrt() } else { 1.0 };
        Self { magnitude, center, spread }
    }

    /// Rewards as they are.
    pub fn identity() -> Self {
        Self { magnitude: 1.0, center: 0.0, spread: 1.0 }
    }

    /// From rewards to standard units.
    pub fn forward(&self, reward: f64) -> f64 {
        (reward / self.magnitude - self.center) / self.spread
    }

    /// From standard units to rewards.
    pub fn backward(&self, unit: f64) -> f64 {
        (unit * self.spread + self.center) * self.magnitude
    }

    /// From a difference (or standard deviation) in standard units to one in rewards.
    pub fn backward_scale(&self, unit: f64) -> f64 {
        unit * self.spread * self.magnitude
    }

    /// All rewards in standard units.
    pub fn forward_all(&self, rewards: &[f64]) -> Vec<f64> {
        rewards.iter().map(|&r| self.forward(r)).collect()
    }
}
