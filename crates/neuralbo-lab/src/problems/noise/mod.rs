//! Gaussian noise on observations, and how much a problem's values vary, to choose it by.

mod range;
mod spread;

pub use range::range;
pub use spread::{Spread, median_deviation, spread};

use neuralbo::linalg::{Purpose, Streams};
use rand::RngExt;
use rand_distr::StandardNormal;

/// A standard deviation that is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("sd = {0} is not a noise level; it must be finite and not negative")]
pub struct NoiseError(f64);

/// Additive Gaussian noise of the observations of one run.
///
/// It depends on the seed and the evaluation's index only, so every method that is compared on the same run meets the same
/// noise.
///
/// ```
/// use neuralbo_lab::problems::noise::GaussianNoise;
///
/// let noise = GaussianNoise::new(0.1, 7)?;
/// assert_ne!(noise.at(0), noise.at(1));
/// assert_eq!(noise.at(1), noise.at(1));
/// assert!(GaussianNoise::new(-1.0, 7).is_err());
/// # Ok::<(), neuralbo_lab::problems::noise::NoiseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GaussianNoise {
    sd: f64,
    streams: Streams,
}

impl GaussianNoise {
    /// Noise of standard deviation `sd`.
    pub fn new(sd: f64, seed: u64) -> Result<Self, NoiseError> {
        if !(sd.is_finite() && sd >= 0.0) {
            return Err(NoiseError(sd));
        }
        let streams = Streams::new(seed);
        Ok(Self { sd, streams })
    }

    /// What evaluation number `index` adds to the value.
    pub fn at(&self, index: u64) -> f64 {
        let mut rng = self.streams.stream(index, Purpose::Noise);
        let normal: f64 = rng.sample(StandardNormal);
        self.sd * normal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_asked_size_and_no_bias_and_depends_on_the_seed() {
        let source = GaussianNoise::new(0.5, 3).unwrap();
        let noise: Vec<f64> = (0..4000).map(|i| source.at(i)).collect();
        let mean = noise.iter().sum::<f64>() / 4000.0;
        let sd = (noise.iter().map(|e| e * e).sum::<f64>() / 4000.0).sqrt();
        assert!(mean.abs() < 0.03 && (sd - 0.5).abs() < 0.03, "{mean} {sd}");
        assert_ne!(GaussianNoise::new(0.5, 2).unwrap().at(5), source.at(5));
    }

    #[test]
    fn impossible_noise_is_refused() {
        for sd in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(GaussianNoise::new(sd, 1).is_err());
        }
    }
}
