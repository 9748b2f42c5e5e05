//! The model of a pool and its fit.

use std::collections::HashMap;
use std::f64::consts::PI;
use std::sync::Arc;

use faer::Mat;

use super::posterior::PoolPosterior;
use super::rows::PoolRows;
use crate::linalg::{Cholesky, Points};
use crate::surrogate::{FitError, Standardizer};

/// Scales `s` and noises `ρ` among which the evidence chooses.
const SCALES: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
const NOISES: [f64; 6] = [1e-4, 1e-3, 1e-2, 0.05, 0.2, 0.5];
/// Most observations the evidence is computed from, evenly spaced.
const MOST_FOR_EVIDENCE: usize = 160;
/// Variance of the constant, relative to `a²`.
pub(super) const CONSTANT: f64 = 1.0;

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
    met: HashMap<usize, Arc<Vec<f64>>>,
}

/// An observed row: its place in the pool, and its products with all rows.
#[derive(Clone, Debug)]
pub(super) struct Observed {
    pub(super) index: usize,
    pub(super) products: Arc<Vec<f64>>,
}

/// `s` and `ρ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hyper {
    pub(super) scale: f64,
    pub(super) noise: f64,
}

impl PoolModel {
    /// The model of the pool of these rows.
    pub fn new(pool: &Points) -> Self {
        Self {
            rows: Arc::new(PoolRows::new(pool)),
            met: HashMap::new(),
        }
    }

    /// The posterior given the rewards at the rows `indices` of `pool`, the one the model was made for.
    pub fn fit(
        &mut self,
        pool: &Points,
        indices: &[usize],
        rewards: &[f64],
    ) -> Result<PoolPosterior, FitError> {
        if indices.is_empty() {
            return Err(FitError::TooFewObservations {
                needed: 1,
                found: 0,
            });
        }
        let observed = self.observed(pool, indices);
        let units = Standardizer::of(rewards);
        let y = units.forward_all(rewards);
        let hyper = best_hyper(&self.rows, &observed, &y);
        PoolPosterior::new(Arc::clone(&self.rows), observed, hyper, y, units)
    }

    /// The posterior if the rows `indices` had been observed at their predicted means.
    pub fn conditioned(
        &mut self,
        pool: &Points,
        posterior: &PoolPosterior,
        indices: &[usize],
    ) -> Result<PoolPosterior, FitError> {
        posterior.conditioned(self.observed(pool, indices))
    }

    fn observed(&mut self, pool: &Points, indices: &[usize]) -> Vec<Observed> {
        let Self { rows, met } = self;
        let mut of = |&index: &usize| {
            let products = met
                .entry(index)
                .or_insert_with(|| Arc::new(rows.products(pool.row(index)).0));
            Observed {
                index,
                products: Arc::clone(products),
            }
        };
        indices.iter().map(&mut of).collect()
    }
}

/// The hyper-parameters of the largest evidence.
fn best_hyper(rows: &PoolRows, observed: &[Observed], y: &[f64]) -> Hyper {
    let step = observed.len().div_ceil(MOST_FOR_EVIDENCE);
    let some: Vec<Observed> = observed.iter().step_by(step).cloned().collect();
    let y: Vec<f64> = y.iter().copied().step_by(step).collect();
    let mut best = (
        f64::NEG_INFINITY,
        Hyper {
            scale: 1.0,
            noise: NOISES[NOISES.len() - 1],
        },
    );
    for scale in SCALES {
        let k = correlations(rows, &some, scale);
        for noise in NOISES {
            let evidence = evidence(&k, noise, &y);
            if evidence > best.0 {
                best = (evidence, Hyper { scale, noise });
            }
        }
    }
    best.1
}

/// Log evidence with the amplitude at its best value.
fn evidence(k: &Mat<f64>, noise: f64, y: &[f64]) -> f64 {
    let Ok(factor) = Cholesky::factor(with_noise(k, noise).as_ref()) else {
        return f64::NEG_INFINITY;
    };
    let amplitude = amplitude(y, &factor.solve_vec(y));
    -0.5 * ((y.len() as f64 + 1.0) * (amplitude * amplitude).ln() + factor.log_det())
}

/// `â` from the targets and `C⁻¹y`; the ones are a prior worth one observation.
pub(super) fn amplitude(y: &[f64], weights: &[f64]) -> f64 {
    let explained: f64 = y.iter().zip(weights).map(|(y, w)| y * w).sum();
    ((explained.max(0.0) + 1.0) / (y.len() as f64 + 1.0)).sqrt()
}

/// `K/a²` of observed rows.
pub(super) fn correlations(rows: &PoolRows, observed: &[Observed], scale: f64) -> Mat<f64> {
    let at = |i: usize, j: usize| {
        let (a, b) = (&observed[i], &observed[j]);
        correlation(
            a.products[b.index],
            rows.square(a.index),
            rows.square(b.index),
            scale,
        )
    };
    Mat::from_fn(observed.len(), observed.len(), |i, j| {
        at(i.max(j), i.min(j))
    })
}

pub(super) fn with_noise(k: &Mat<f64>, noise: f64) -> Mat<f64> {
    Mat::from_fn(k.nrows(), k.ncols(), |i, j| {
        k[(i, j)] + if i == j { noise } else { 0.0 }
    })
}

/// `k/a²` with the constant, from the inner product and the squared lengths of two rows.
pub(super) fn correlation(product: f64, left: f64, right: f64, scale: f64) -> f64 {
    let square = scale * scale;
    let c = ((square * product + 1.0) / ((square * left + 1.0) * (square * right + 1.0)).sqrt())
        .clamp(-1.0, 1.0);
    let angle = PI - c.acos();
    CONSTANT + (2.0 * c * angle + (1.0 - c * c).sqrt()) / (2.0 * PI)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
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
            let expected =
                by_units([1.0, 0.0], [angle.cos(), angle.sin()]) / by_units([1.0, 0.0], [1.0, 0.0]);
            // Rows of any length whose extended rows are at this angle: a large scale leaves the angle of the rows.
            let found = correlation(angle.cos(), 1.0, 1.0, 1e6) - CONSTANT;
            assert!(
                (found - expected).abs() < 0.01,
                "{angle}: {found} and {expected}"
            );
        }
    }

    #[test]
    fn the_evidence_finds_noise() {
        let pool = Points::from_rows(1, (0..200).map(|i| [f64::from(i) / 100.0 - 1.0]));
        let mut rng = Streams::new(2).stream(0, Purpose::Noise);
        let indices: Vec<usize> = (0..200).step_by(3).collect();
        let rewards = |sd: f64, rng: &mut crate::linalg::Rng| -> Vec<f64> {
            indices
                .iter()
                .map(|&i| pool.row(i)[0] + sd * rng.sample::<f64, _>(StandardNormal))
                .collect()
        };
        let mut model = PoolModel::new(&pool);
        let mut noise = |sd: f64| {
            model
                .fit(&pool, &indices, &rewards(sd, &mut rng))
                .unwrap()
                .hyper()
                .noise
        };
        assert!(noise(0.0) < 0.01 && noise(0.5) > 0.01);
    }
}
