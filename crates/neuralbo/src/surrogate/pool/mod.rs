//! The tangent model of a pool: the kernel of an infinitely wide network, which needs inner products of rows alone.
//!
//! A pool is a list of rows, thousands of them in hundreds of coordinates, and only they exist: no gradient is needed, and a trust
//! region has no meaning. What is left of the network is a kernel that is a function of the angle between two rows:
//!
//! ```text
//! k(x, x′) = a² (κ₁(c) + c κ₀(c)) / 2,    c = (s² z·z′ + 1) / √((s²|z|² + 1)(s²|z′|² + 1))
//! κ₀(c) = (π − arccos c)/π,    κ₁(c) = (c (π − arccos c) + √(1 − c²))/π
//! ```
//!
//! the tangent kernel of two layers of ReLU units (Jacot, Gabriel & Hongler 2018; Cho & Saul 2009) with a constant input, scaled to
//! one on the diagonal. `z` are the standardized rows. A small scale `s` compares rows by their distance, a large one by their
//! direction alone, which is what suits counts of words; the evidence chooses.
//!
//! The products of an observed row with all others are computed once, with sparse rows in time of their non-zero entries.
//!
//! | symbol | meaning |
//! | --- | --- |
//! | `a` | amplitude, by its closed form |
//! | `s`, `ρ` | scale, and noise variance relative to `a²`: by the evidence, on a grid |
//! | `C` | correlation matrix of the data, `K/a² + ρI` |

mod covariance;
mod rows;

pub use covariance::{PoolCovariance, PoolPoints};

use std::collections::HashMap;
use std::sync::Arc;

use faer::Mat;

use crate::linalg::{Cholesky, Points};
use crate::surrogate::gaussian::{Conditioned, Covariance, Gaussian, Inputs, log_evidence};
use crate::surrogate::{Dataset, FitError, Standardizer};
use rows::{PoolPoint, PoolRows};

/// Scales `s` and noises `ρ` among which the evidence chooses.
const SCALES: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
const NOISES: [f64; 6] = [1e-4, 1e-3, 1e-2, 0.05, 0.2, 0.5];
/// Most observations the evidence is computed from, evenly spaced.
const MOST_FOR_EVIDENCE: usize = 160;

/// The posterior of the model of a pool.
pub type PoolPosterior = Gaussian<PoolCovariance>;

/// The model before it has seen rewards. It keeps the products of the rows it has met.
///
/// ```
/// use neuralbo::linalg::Points;
/// use neuralbo::surrogate::pool::PoolModel;
///
/// let pool = Points::from_rows(1, (0..100).map(|i| [f64::from(i) / 50.0 - 1.0]));
/// let observed = [0, 20, 40, 60, 80, 99];
/// let rewards = observed.map(|i| -(pool.row(i)[0] - 0.2).powi(2));
/// let means = PoolModel::new(&pool).fit(&pool, &observed, &rewards)?.means();
/// assert!(means[62] > means[10] && means[58] > means[95]);
/// # Ok::<(), neuralbo::surrogate::FitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PoolModel {
    rows: Arc<PoolRows>,
    known: HashMap<usize, PoolPoint>,
}

impl PoolModel {
    /// The model of the pool of these rows.
    pub fn new(pool: &Points) -> Self {
        Self {
            rows: Arc::new(PoolRows::new(pool)),
            known: HashMap::new(),
        }
    }

    /// The posterior given the rewards at the rows `indices` of `pool`, the one the model was made for.
    pub fn fit(
        &mut self,
        pool: &Points,
        indices: &[usize],
        rewards: &[f64],
    ) -> Result<PoolPosterior, FitError> {
        let data = Dataset::from_parts(pool.select(indices), rewards.to_vec());
        self.fit_data(indices, &data)
    }

    /// The posterior given observations at the rows `indices` of the pool; the standard deviations of rewards that are
    /// estimates are noise.
    pub fn fit_data(
        &mut self,
        indices: &[usize],
        data: &Dataset,
    ) -> Result<PoolPosterior, FitError> {
        data.check_finite()?;
        let observed = self.observed(data.rows(), indices);
        let units = Standardizer::of(data.rewards());
        let (y, extra) = (
            units.forward_all(data.rewards()),
            data.noise_variances(&units),
        );
        let covariance = self.best_covariance(&observed, &y, &extra);
        let noises: Vec<f64> = extra.iter().map(|extra| covariance.noise + extra).collect();
        let conditioned = Conditioned::new(covariance, &observed, &noises, observed.len())?;
        Ok(Gaussian::with_estimated_amplitude(conditioned, y, units))
    }

    /// The posterior if the rows `indices` had been observed at their predicted means.
    pub fn conditioned(
        &mut self,
        pool: &Points,
        posterior: &PoolPosterior,
        indices: &[usize],
    ) -> PoolPosterior {
        posterior.conditioned_on(&self.observed(&pool.select(indices), indices))
    }

    fn observed(&mut self, rows: &Points, indices: &[usize]) -> PoolPoints {
        let Self { rows: pool, known } = self;
        let mut point = |(row, &index): (&[f64], &usize)| {
            let new = || PoolPoint {
                place: Some(index),
                ..pool.point(row)
            };
            known.entry(index).or_insert_with(new).clone()
        };
        PoolPoints(rows.rows().zip(indices).map(&mut point).collect())
    }

    /// The hyper-parameters of the largest evidence.
    fn best_covariance(&self, observed: &PoolPoints, y: &[f64], extra: &[f64]) -> PoolCovariance {
        let step = observed.len().div_ceil(MOST_FOR_EVIDENCE);
        let some = PoolPoints(observed.0.iter().step_by(step).cloned().collect());
        let targets: Vec<f64> = y.iter().copied().step_by(step).collect();
        let extra: Vec<f64> = extra.iter().copied().step_by(step).collect();
        let of = |scale: f64, noise: f64| PoolCovariance {
            rows: Arc::clone(&self.rows),
            scale,
            noise,
        };
        let mut best = (f64::NEG_INFINITY, of(1.0, NOISES[NOISES.len() - 1]));
        for scale in SCALES {
            let k = of(scale, 0.0).within(&some);
            for noise in NOISES {
                let evidence = evidence(&k, noise, &extra, &targets);
                if evidence > best.0 {
                    best = (evidence, of(scale, noise));
                }
            }
        }
        best.1
    }
}

fn evidence(k: &Mat<f64>, noise: f64, extra: &[f64], targets: &[f64]) -> f64 {
    let mut c = k.clone();
    (0..extra.len()).for_each(|i| c[(i, i)] += noise + extra[i]);
    Cholesky::factor(c.as_ref()).map_or(f64::NEG_INFINITY, |factor| log_evidence(targets, &factor))
}

#[cfg(test)]
mod tests {
    use super::covariance::{CONSTANT, correlation};
    use super::*;
    use crate::linalg::testing::assert_near;
    use crate::linalg::{Purpose, Streams};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    /// `∇h(x)·∇h(x′)` of a wide network `h(x) = √(2/m) Σ v_k max(w_k·x, 0)`, by its sum over the units.
    fn by_units(a: [f64; 2], b: [f64; 2]) -> f64 {
        let mut rng = Streams::new(1).stream(0, Purpose::NetworkInit);
        let units = 400_000;
        let mut total = 0.0;
        for _ in 0..units {
            let w: [f64; 2] = [rng.sample(StandardNormal), rng.sample(StandardNormal)];
            let (at_a, at_b) = (w[0] * a[0] + w[1] * a[1], w[0] * b[0] + w[1] * b[1]);
            let both = f64::from(u8::from(at_a > 0.0 && at_b > 0.0));
            total += at_a.max(0.0) * at_b.max(0.0) + both * (a[0] * b[0] + a[1] * b[1]);
        }
        2.0 * total / f64::from(units)
    }

    #[test]
    fn the_kernel_is_that_of_a_wide_network() {
        for angle in [0.0f64, 0.4, 1.2, 2.0, 3.0] {
            let to = |angle: f64| by_units([1.0, 0.0], [angle.cos(), angle.sin()]);
            let expected = to(angle) / to(0.0);
            // Rows of any length whose extended rows are at this angle: a large scale leaves the angle of the rows.
            let found = correlation(angle.cos(), 1.0, 1.0, 1e6) - CONSTANT;
            assert_near(&[found], &[expected], 0.01);
        }
    }

    #[test]
    fn the_evidence_finds_noise() {
        let pool = Points::from_rows(1, (0..200).map(|i| [f64::from(i) / 100.0 - 1.0]));
        let mut rng = Streams::new(2).stream(0, Purpose::Noise);
        let indices: Vec<usize> = (0..200).step_by(3).collect();
        let mut model = PoolModel::new(&pool);
        let mut noise = |sd: f64| {
            let mut reward =
                |i: &usize| pool.row(*i)[0] + sd * rng.sample::<f64, _>(StandardNormal);
            let rewards: Vec<f64> = indices.iter().map(&mut reward).collect();
            let posterior = model.fit(&pool, &indices, &rewards).unwrap();
            posterior.conditioned.covariance.noise
        };
        assert!(noise(0.0) < 0.01 && noise(0.5) > 0.01);
    }
}
