//! The posterior of the model of a pool.

use std::ops::Range;
use std::sync::Arc;

use faer::Mat;

use super::model::{CONSTANT, Hyper, Observed, amplitude, correlation, correlations, with_noise};
use super::rows::PoolRows;
use crate::linalg::{Cholesky, Points};
use crate::surrogate::tiles::over_ranges;
use crate::surrogate::{FitError, Posterior, Prediction, Standardizer};

/// Rows predicted at once on one thread.
const TILE: usize = 1024;

/// The posterior of the model of a pool.
#[derive(Clone)]
pub struct PoolPosterior {
    rows: Arc<PoolRows>,
    observed: Vec<Observed>,
    hyper: Hyper,
    factor: Cholesky,
    /// `C⁻¹y`.
    weights: Vec<f64>,
    y: Vec<f64>,
    amplitude: f64,
    units: Standardizer,
}

impl PoolPosterior {
    pub(super) fn new(
        rows: Arc<PoolRows>,
        observed: Vec<Observed>,
        hyper: Hyper,
        y: Vec<f64>,
        units: Standardizer,
    ) -> Result<Self, FitError> {
        let c = with_noise(&correlations(&rows, &observed, hyper.scale), hyper.noise);
        let size = observed.len();
        let factor =
            Cholesky::factor(c.as_ref()).map_err(|_| FitError::NotPositiveDefinite { size })?;
        let weights = factor.solve_vec(&y);
        let amplitude = amplitude(&y, &weights);
        Ok(Self {
            rows,
            observed,
            hyper,
            factor,
            weights,
            y,
            amplitude,
            units,
        })
    }

    /// With more rows observed at their predicted means the mean and all hyper-parameters stay.
    pub(super) fn conditioned(&self, more: Vec<Observed>) -> Result<Self, FitError> {
        let means: Vec<f64> = more.iter().map(|row| self.mean(row.index)).collect();
        let observed = [&self.observed[..], &more].concat();
        let extended = Self::new(
            Arc::clone(&self.rows),
            observed,
            self.hyper,
            [&self.y[..], &means].concat(),
            self.units,
        )?;
        Ok(Self {
            amplitude: self.amplitude,
            ..extended
        })
    }

    #[cfg(test)]
    pub(super) fn hyper(&self) -> Hyper {
        self.hyper
    }

    /// Means at all rows of the pool.
    pub fn means(&self) -> Vec<f64> {
        let tile = |range: Range<usize>| {
            range
                .map(|j| self.units.backward(self.mean(j)))
                .collect::<Vec<f64>>()
        };
        over_ranges(self.rows.len(), TILE, tile).concat()
    }

    /// Standard deviations at some rows of the pool.
    pub fn sds(&self, indices: &[usize]) -> Vec<f64> {
        let tile = |range: Range<usize>| {
            let some = &indices[range];
            self.deviations(Mat::from_fn(self.observed.len(), some.len(), |i, j| {
                self.correlation(i, some[j])
            }))
        };
        over_ranges(indices.len(), TILE, tile).concat()
    }

    /// The mean at row `j`, in standard units.
    fn mean(&self, j: usize) -> f64 {
        self.weights
            .iter()
            .enumerate()
            .map(|(i, weight)| weight * self.correlation(i, j))
            .sum()
    }

    fn correlation(&self, i: usize, j: usize) -> f64 {
        let observed = &self.observed[i];
        correlation(
            observed.products[j],
            self.rows.square(observed.index),
            self.rows.square(j),
            self.hyper.scale,
        )
    }

    /// Standard deviations where the correlations with the data are these columns: of Student's t, the amplitude integrated out.
    fn deviations(&self, mut cross: Mat<f64>) -> Vec<f64> {
        self.factor.solve_lower(cross.as_mut());
        let freedom = self.y.len() as f64 + 3.0;
        let wider = self.amplitude * (freedom / (freedom - 2.0)).sqrt();
        let explained = |j: usize| cross.col_as_slice(j).iter().map(|c| c * c).sum::<f64>();
        let sd = |j: usize| {
            self.units
                .backward_scale(wider * (CONSTANT + 1.0 - explained(j)).max(0.0).sqrt())
        };
        (0..cross.ncols()).map(sd).collect()
    }
}

impl Posterior for PoolPosterior {
    fn predict(&self, rows: &Points) -> Prediction {
        let mut cross = Mat::zeros(self.observed.len(), rows.len());
        for (j, row) in rows.rows().enumerate() {
            let (products, square) = self.rows.products(row);
            for (i, observed) in self.observed.iter().enumerate() {
                let own = self.rows.square(observed.index);
                cross[(i, j)] =
                    correlation(products[observed.index], own, square, self.hyper.scale);
            }
        }
        let mean = |j: usize| {
            cross
                .col_as_slice(j)
                .iter()
                .zip(&self.weights)
                .map(|(k, w)| k * w)
                .sum::<f64>()
        };
        let mean = (0..rows.len())
            .map(|j| self.units.backward(mean(j)))
            .collect();
        Prediction {
            mean,
            sd: self.deviations(cross),
        }
    }

    fn noise_sd(&self) -> Option<f64> {
        Some(
            self.units
                .backward_scale(self.amplitude * self.hyper.noise.sqrt()),
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::PoolModel;
    use super::*;

    fn pool() -> Points {
        Points::from_rows(
            2,
            (0..50).map(|i| [(0.7 * f64::from(i)).sin(), (1.3 * f64::from(i)).cos()]),
        )
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
        assert!(
            outside
                .mean
                .iter()
                .zip(posterior.means())
                .all(|(a, b)| (a - b).abs() < 1e-9)
        );
        assert!(
            outside
                .sd
                .iter()
                .zip(sds)
                .all(|(a, b)| (a - b).abs() < 1e-6)
        );
    }

    #[test]
    fn running_rows_shrink_the_uncertainty_and_leave_the_mean() {
        let (pool, (mut model, posterior)) = (pool(), posterior());
        let informed = model.conditioned(&pool, &posterior, &[20, 21]).unwrap();
        assert!(
            informed
                .means()
                .iter()
                .zip(posterior.means())
                .all(|(a, b)| (a - b).abs() < 1e-6)
        );
        assert!(informed.sds(&[20])[0] < 0.5 * posterior.sds(&[20])[0]);
    }

    #[test]
    fn observed_rows_are_known_best() {
        let (_, posterior) = posterior();
        let sds = posterior.sds(&(0..50).collect::<Vec<_>>());
        let largest = [3, 9, 14, 30, 41, 45]
            .map(|i| sds[i])
            .into_iter()
            .fold(0.0, f64::max);
        assert!(
            sds.iter().filter(|sd| **sd < largest).count() < 15,
            "{sds:?}"
        );
    }
}
