//! Additive Gaussian noise.

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::record::{Direction, OutcomeConstraint};
use rand::RngExt;
use rand_distr::StandardNormal;

use super::WrapperError;
use crate::{Optimum, Problem};

/// A problem whose observations are noisy while its [`Problem::value`] stays the truth.
///
/// The noise depends on the seed and the evaluation's index only, so every method that is compared on the same run meets the same
/// noise.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::SPHERE;
/// use neuralbo_lab::problems::wrappers::Noisy;
///
/// let problem = Noisy::new(SPHERE.of(2), 0.1, 7)?;
/// assert_eq!(problem.value(&[0.0, 0.0]), 0.0);
/// assert_ne!(problem.observe(&[0.0, 0.0], 0), problem.observe(&[0.0, 0.0], 1));
/// assert_eq!(problem.observe(&[0.0, 0.0], 1), problem.observe(&[0.0, 0.0], 1));
/// # Ok::<(), neuralbo_lab::problems::wrappers::WrapperError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Noisy<P> {
    inner: P,
    sd: f64,
    streams: Streams,
}

impl<P: Problem> Noisy<P> {
    /// Adds noise of standard deviation `sd`.
    pub fn new(inner: P, sd: f64, seed: u64) -> Result<Self, WrapperError> {
        if !(sd.is_finite() && sd >= 0.0) {
            return Err(WrapperError::Noise(sd));
        }
        Ok(Self {
            inner,
            sd,
            streams: Streams::new(seed),
        })
    }

    /// The problem without noise.
    pub fn inner(&self) -> &P {
        &self.inner
    }

    /// The noise's standard deviation.
    pub fn sd(&self) -> f64 {
        self.sd
    }

    /// What evaluation number `index` sees at `x`.
    pub fn observe(&self, x: &[f64], index: u64) -> f64 {
        let normal: f64 = self
            .streams
            .stream(index, Purpose::Noise)
            .sample(StandardNormal);
        self.inner.value(x) + self.sd * normal
    }
}

impl<P: Problem> Problem for Noisy<P> {
    fn name(&self) -> String {
        format!("{}-noisy", self.inner.name())
    }

    forward! {
        bounds() -> Vec<(f64, f64)>;
        direction() -> Direction;
        value(x) -> f64;
        constraints() -> Vec<OutcomeConstraint>;
        measured(x) -> Vec<f64>;
        optimum() -> Option<Optimum>;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::problems::SPHERE;

    #[test]
    fn noise_has_the_asked_size_and_no_bias() {
        let problem = Noisy::new(SPHERE.of(1), 0.5, 3).unwrap();
        let noise: Vec<f64> = (0..4000)
            .map(|i| problem.observe(&[1.0], i) - 1.0)
            .collect();
        let mean = noise.iter().sum::<f64>() / 4000.0;
        let sd = (noise.iter().map(|e| e * e).sum::<f64>() / 4000.0).sqrt();
        assert!(mean.abs() < 0.03 && (sd - 0.5).abs() < 0.03, "{mean} {sd}");
    }

    #[test]
    fn noise_does_not_depend_on_the_point_but_on_the_seed() {
        let a = Noisy::new(SPHERE.of(1), 1.0, 1).unwrap();
        let b = Noisy::new(SPHERE.of(1), 1.0, 2).unwrap();
        assert!((a.observe(&[0.0], 5) - (a.observe(&[2.0], 5) - 4.0)).abs() < 1e-12);
        assert_ne!(a.observe(&[0.0], 5), b.observe(&[0.0], 5));
    }

    #[test]
    fn impossible_noise_is_refused() {
        for sd in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Noisy::new(SPHERE.of(1), sd, 1).is_err());
        }
    }
}
