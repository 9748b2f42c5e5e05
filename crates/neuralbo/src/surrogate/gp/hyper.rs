//! Hyper-parameters, the vector they are searched as, their bounds and their priors.
//!
//! Symbols: `ℓ` length scales, `σ²` amplitude, `σₙ²` noise variance, `μ` constant mean;
//! `θ = (ln ℓ₁ … ln ℓ_s, ln σ², ln σₙ²)` with `s = 1` or `s = d`. The mean is not searched: the best one follows from `θ`.

use crate::linalg::Rng;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::f64::consts::{LN_2, SQRT_2};

/// Parameters of the covariance `σ² ρ(r²) + σₙ² [same observation]` and of the constant mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HyperParameters {
    /// One length scale for all coordinates, or one each; none where the kernel has none. Coordinates run from −1 to 1.
    pub length_scales: Vec<f64>,
    /// Variance of the function.
    pub amplitude: f64,
    /// Variance of the noise.
    pub noise: f64,
    /// The mean far from all data.
    pub mean: f64,
}

impl HyperParameters {
    pub(super) fn from_theta(theta: &[f64], mean: f64) -> Self {
        let scales = theta.len() - 2;
        Self {
            length_scales: theta[..scales].iter().map(|t| t.exp()).collect(),
            amplitude: theta[scales].exp(),
            noise: theta[scales + 1].exp(),
            mean,
        }
    }

    /// `1/ℓ` of each of `dim` coordinates, from one length scale or `dim`.
    pub(super) fn inverse_scales(&self, dim: usize) -> Vec<f64> {
        match self.length_scales.as_slice() {
            [one] => vec![1.0 / one; dim],
            all => all.iter().map(|l| 1.0 / l).collect(),
        }
    }
}

/// Where `θ` may lie. Narrow enough that a covariance of thousands of observations keeps its Cholesky factor, wide enough
/// never to bind for standardized rewards that hold any signal.
const LENGTH_SCALE: (f64, f64) = (5e-3, 1e3);
const AMPLITUDE: (f64, f64) = (1e-3, 1e3);
const NOISE: (f64, f64) = (1e-6, 1e1);

/// The mean of standardized rewards is standard normal a priori.
pub(super) const MEAN_PRECISION: f64 = 1.0;

/// The space searched for hyper-parameters of standardized rewards.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchSpace {
    /// Number of length scales, 0, 1 or `dim`.
    pub scales: usize,
    pub dim: usize,
}

impl SearchSpace {
    pub fn bounds(self) -> (Vec<f64>, Vec<f64>) {
        let mut bounds = vec![(LENGTH_SCALE.0.ln(), LENGTH_SCALE.1.ln()); self.scales];
        bounds.extend([
            (AMPLITUDE.0.ln(), AMPLITUDE.1.ln()),
            (NOISE.0.ln(), NOISE.1.ln()),
        ]);
        bounds.into_iter().unzip()
    }

    /// The start that is always tried: scales of half the typical distance between random points of the cube.
    pub fn first_start(self) -> Vec<f64> {
        let mut theta = vec![(0.4 * (self.dim as f64).sqrt()).ln(); self.scales];
        theta.extend([0.0, 1e-2f64.ln()]);
        theta
    }

    /// Further starts cover both explanations of rough data, short scales and much noise.
    pub fn random_start(self, rng: &mut Rng) -> Vec<f64> {
        let root = (self.dim as f64).sqrt();
        let mut uniform = |low: f64, high: f64| low.ln() + (high / low).ln() * rng.random::<f64>();
        let common = uniform(0.08 * root, 3.0 * root);
        let mut theta = vec![common; self.scales];
        if self.scales > 1 {
            theta.iter_mut().for_each(|t| *t += uniform(0.5, 2.0));
        }
        theta.extend([uniform(0.3, 10.0), uniform(1e-5, 0.3)]);
        theta
    }

    /// Log prior density (up to a constant) and its gradient in `θ`.
    ///
    /// Length scales: the dimension-scaled `LogNormal(√2 + ½ ln d, √3)` of Hvarfner, Hellsten and Nardi (2024) for the unit
    /// cube, its location moved by `ln 2` because this cube has side 2. Noise: `LogNormal(−4, 1)`. Amplitude, around
    /// the 1 that standardized rewards suggest: `LogNormal(0, √3)`. Densities are those of the parameters, not of their
    /// logarithms, as is the custom there. The mean has the prior of [`MEAN_PRECISION`].
    pub fn log_prior(self, theta: &[f64]) -> (f64, Vec<f64>) {
        let scale_location = SQRT_2 + 0.5 * (self.dim as f64).ln() + LN_2;
        let mut value = 0.0;
        let mut gradient = Vec::with_capacity(theta.len());
        let mut add = |t: f64, location: f64, variance: f64| {
            value -= t + (t - location).powi(2) / (2.0 * variance);
            gradient.push(-1.0 - (t - location) / variance);
        };
        theta[..self.scales]
            .iter()
            .for_each(|&t| add(t, scale_location, 3.0));
        add(theta[self.scales], 0.0, 3.0);
        add(theta[self.scales + 1], -4.0, 1.0);
        (value, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::{assert_near, differences};
    use crate::linalg::{Purpose, Streams};

    #[test]
    fn prior_gradient_is_the_derivative() {
        let space = SearchSpace { scales: 3, dim: 3 };
        let theta = [0.3, -0.4, 1.2, 0.5, -3.0];
        let gradient = space.log_prior(&theta).1;
        let expected = differences(&theta, |theta| space.log_prior(theta).0);
        assert_near(&gradient, &expected, 1e-8);
    }

    #[test]
    fn length_scale_prior_has_its_mode_where_the_density_of_the_unit_cube_has_it() {
        let space = SearchSpace { scales: 1, dim: 10 };
        let unit_mode = (SQRT_2 + 0.5 * 10.0f64.ln() - 3.0).exp();
        let gradient = space.log_prior(&[(2.0 * unit_mode).ln(), 0.0, 0.0]).1;
        assert!(gradient[0].abs() < 1e-12);
    }

    #[test]
    fn starts_lie_within_the_bounds() {
        for (scales, dim) in [(1, 1), (1, 100), (100, 100)] {
            let space = SearchSpace { scales, dim };
            let (lower, upper) = space.bounds();
            let mut rng = Streams::new(3).stream(0, Purpose::HyperParameters);
            let mut starts = vec![space.first_start()];
            starts.extend((0..50).map(|_| space.random_start(&mut rng)));
            for start in starts {
                assert_eq!(start.len(), scales + 2);
                let within = |k: usize| (lower[k]..=upper[k]).contains(&start[k]);
                assert!((0..start.len()).all(within), "{start:?}");
            }
        }
    }

    #[test]
    fn one_scale_serves_all_coordinates() {
        let hyper = |n: usize| HyperParameters {
            length_scales: vec![2.0; n],
            amplitude: 1.0,
            noise: 0.1,
            mean: 0.0,
        };
        assert_eq!(hyper(1).inverse_scales(3), vec![0.5; 3]);
        assert_eq!(hyper(3).inverse_scales(3), vec![0.5; 3]);
    }
}
