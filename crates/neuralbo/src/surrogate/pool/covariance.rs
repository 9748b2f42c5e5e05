//! The covariance of a pool: that of an infinitely wide network, see the module.

use super::PoolPosterior;
use super::rows::{PoolPoint, PoolRows};
use crate::linalg::Points;
use crate::surrogate::gaussian::{Covariance, Inputs};
use faer::Mat;
use std::f64::consts::PI;
use std::ops::Range;
use std::sync::Arc;

/// Variance of the constant, relative to `a²`.
pub(super) const CONSTANT: f64 = 1.0;

/// The rows of the pool, `s` and `ρ`.
#[derive(Clone, Debug)]
pub struct PoolCovariance {
    pub(super) rows: Arc<PoolRows>,
    pub(super) scale: f64,
    pub(super) noise: f64,
}

/// Rows of the pool, or others.
#[derive(Clone, Debug)]
pub struct PoolPoints(pub(super) Vec<PoolPoint>);

impl Inputs for PoolPoints {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn slice(&self, range: Range<usize>) -> Self {
        Self(self.0[range].to_vec())
    }

    fn append(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }
}

impl PoolCovariance {
    /// Between an observed row, whose products are known, and any other.
    fn pair(&self, observed: &PoolPoint, other: &PoolPoint) -> f64 {
        let product = match (observed.place, other.place) {
            (_, Some(place)) => observed.known.products[place],
            (Some(place), None) => other.known.products[place],
            (None, None) => self.rows.product(&observed.known, &other.known),
        };
        correlation(product, observed.square, other.square, self.scale)
    }
}

impl Covariance for PoolCovariance {
    type Inputs = PoolPoints;
    type Slopes = ();

    const TILE: usize = 1024;

    fn inputs(&self, rows: &Points) -> PoolPoints {
        PoolPoints(rows.rows().map(|row| self.rows.point(row)).collect())
    }

    fn within(&self, data: &PoolPoints) -> Mat<f64> {
        let pair = |i: usize, j: usize| self.pair(&data.0[i.max(j)], &data.0[i.min(j)]);
        Mat::from_fn(data.len(), data.len(), pair)
    }

    fn between(&self, data: &PoolPoints, points: &PoolPoints) -> Mat<f64> {
        let pair = |i: usize, j: usize| self.pair(&data.0[i], &points.0[j]);
        Mat::from_fn(data.len(), points.len(), pair)
    }

    fn variances(&self, points: &PoolPoints) -> Vec<f64> {
        vec![CONSTANT + 1.0; points.len()]
    }

    fn noise_at(&self, _: f64) -> f64 {
        self.noise
    }

    fn noise_sd(&self) -> f64 {
        self.noise.sqrt()
    }

    /// A pool has no points between its rows, hence no gradients.
    fn gradient(
        &self,
        _: &PoolPoints,
        points: &PoolPoints,
        (): &(),
        _: impl Fn(usize, usize) -> f64,
    ) -> Points {
        Points::zeros(self.rows.dim(), points.len())
    }
}

impl PoolPosterior {
    /// Means at all rows of the pool.
    pub fn means(&self) -> Vec<f64> {
        let rows = &self.conditioned.covariance.rows;
        self.means_at(&PoolPoints(
            (0..rows.len()).map(|i| rows.place(i)).collect(),
        ))
    }

    /// Standard deviations at some rows of the pool.
    pub fn sds(&self, indices: &[usize]) -> Vec<f64> {
        let rows = &self.conditioned.covariance.rows;
        self.sds_at(&PoolPoints(
            indices.iter().map(|&i| rows.place(i)).collect(),
        ))
    }
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
mod tests {
    use super::super::{PoolModel, PoolPosterior};
    use super::*;
    use crate::linalg::testing::assert_near;
    use crate::surrogate::Posterior;

    fn pool() -> Points {
        let row = |i| [(0.7 * f64::from(i)).sin(), (1.3 * f64::from(i)).cos()];
        Points::from_rows(2, (0..50).map(row))
    }

    fn posterior() -> (PoolModel, PoolPosterior) {
        let (pool, indices) = (pool(), [3, 9, 14, 30, 41, 45]);
        let rewards = indices.map(|i| 5.0 + pool.row(i)[0] - pool.row(i)[1]);
        let mut model = PoolModel::new(&pool);
        let posterior = model.fit(&pool, &indices, &rewards).unwrap();
        (model, posterior)
    }

    #[test]
    fn rows_of_the_pool_and_the_same_rows_from_outside_are_predicted_alike() {
        let (pool, (_, posterior)) = (pool(), posterior());
        let outside = posterior.predict(&pool);
        let sds = posterior.sds(&(0..50).collect::<Vec<_>>());
        assert_near(&outside.mean, &posterior.means(), 1e-9);
        assert_near(&outside.sd, &sds, 1e-6);
    }

    #[test]
    fn running_rows_shrink_the_uncertainty_and_leave_the_mean() {
        let (pool, (mut model, posterior)) = (pool(), posterior());
        let informed = model.conditioned(&pool, &posterior, &[20, 21]);
        let outside = posterior.with_pending(&pool.select(&[20, 21])).unwrap();
        let at = pool.select(&[20]);
        assert_near(&outside.predict(&at).sd, &informed.sds(&[20]), 1e-6);
        assert_near(&informed.means(), &posterior.means(), 1e-6);
        assert!(informed.sds(&[20])[0] < 0.5 * posterior.sds(&[20])[0]);
    }

    #[test]
    fn observed_rows_are_known_best() {
        let (_, posterior) = posterior();
        let sds = posterior.sds(&(0..50).collect::<Vec<_>>());
        let observed = [3, 9, 14, 30, 41, 45].map(|i| sds[i]);
        let largest = observed.into_iter().fold(0.0, f64::max);
        let smaller = sds.iter().filter(|sd| **sd < largest).count();
        assert!(smaller < 15, "{sds:?}");
    }
}
