//! Functions of the prior in random Fourier features, and of the posterior.
//!
//! Frequencies `ω` follow the kernel's spectral density: normal for the squared exponential, Student's t with 5 degrees of
//! freedom for Matérn-5/2; the features are `cos ωᵀx` and `sin ωᵀx`.

use super::covariance::Stationary;
use super::kernel::{Kernel, ScaledRows};
use crate::linalg::{FastMath, Points, Rng};
use crate::surrogate::Function;
use crate::surrogate::gaussian::{Covariance, Gaussian, Inputs, dot, over_inputs};
use crate::surrogate::tiles::joined_values;
use faer::Mat;
use rand::RngExt;
use rand_distr::StandardNormal;

/// Frequencies of the prior, two features each.
const FREQUENCIES: usize = 512;

/// A function of the prior, of scaled rows: `Σ_j c_j cos ω_jᵀx + s_j sin ω_jᵀx`.
pub(super) struct FourierFunction {
    /// `dim × FREQUENCIES`.
    frequencies: Mat<f64>,
    cosines: Vec<f64>,
    sines: Vec<f64>,
}

impl FourierFunction {
    /// A function of the covariance's prior, times `factor`.
    pub fn draw(covariance: &Stationary, factor: f64, rng: &mut Rng) -> Self {
        let mut frequencies = Mat::zeros(covariance.inverse_scales.len(), FREQUENCIES);
        for column in frequencies.col_iter_mut() {
            let spread = frequency_factor(covariance.kernel, rng);
            column
                .iter_mut()
                .for_each(|w| *w = spread * rng.sample::<f64, _>(StandardNormal));
        }
        let unit = factor * (covariance.hyper.amplitude / FREQUENCIES as f64).sqrt();
        let mut weights = || {
            (0..FREQUENCIES)
                .map(|_| unit * rng.sample::<f64, _>(StandardNormal))
                .collect()
        };
        let cosines = weights();
        Self {
            frequencies,
            cosines,
            sines: weights(),
        }
    }

    pub fn values(&self, points: &ScaledRows) -> Vec<f64> {
        self.values_and_slopes(points).0
    }

    /// Values, and derivatives with respect to the phases.
    fn values_and_slopes(&self, points: &ScaledRows) -> (Vec<f64>, Mat<f64>) {
        let mut phases = self.frequencies.transpose() * points.rows.as_mat();
        let (mut sines, mut cosines) = (vec![0.0; FREQUENCIES], vec![0.0; FREQUENCIES]);
        let mut values = vec![0.0; points.len()];
        for (j, value) in values.iter_mut().enumerate() {
            let column = phases.col_as_slice_mut(j);
            f64::sin_slice(column, &mut sines);
            f64::cos_slice(column, &mut cosines);
            *value = dot(&self.cosines, &cosines) + dot(&self.sines, &sines);
            for (i, slope) in column.iter_mut().enumerate() {
                *slope = self.sines[i] * cosines[i] - self.cosines[i] * sines[i];
            }
        }
        (values, phases)
    }
}

/// A function of the posterior as the sum of a function of the prior and a weighted sum of covariances.
pub struct PathFunction {
    pub(super) gaussian: Gaussian<Stationary>,
    pub(super) prior: FourierFunction,
    pub(super) update: Vec<f64>,
}

impl PathFunction {
    fn values(&self, prior: Vec<f64>, cross: &Mat<f64>) -> Vec<f64> {
        let (mean, units) = (self.gaussian.mean, self.gaussian.units);
        let at = |(j, f): (usize, f64)| {
            units.backward(mean + f + dot(cross.col_as_slice(j), &self.update))
        };
        prior.into_iter().enumerate().map(at).collect()
    }

    fn tile_gradient(&self, points: &ScaledRows) -> (Vec<f64>, Points) {
        let (data, units) = (&self.gaussian.conditioned, self.gaussian.units);
        let Stationary {
            kernel,
            hyper,
            inverse_scales,
        } = &data.covariance;
        let (cross, slopes) = kernel.covariance_and_slope(hyper.amplitude, &data.inputs, points);
        let (prior, prior_slopes) = self.prior.values_and_slopes(points);
        let prior_slopes = &self.prior.frequencies * prior_slopes;
        let weight = |i: usize, _: usize| self.update[i];
        let mut gradient = data
            .covariance
            .gradient(&data.inputs, points, &slopes, weight);
        for j in 0..points.len() {
            let entries = gradient.row_mut(j).iter_mut().zip(inverse_scales);
            for (k, (g, inverse)) in entries.enumerate() {
                *g = units.backward_scale(*g + prior_slopes[(k, j)] * inverse);
            }
        }
        (self.values(prior, &cross), gradient)
    }
}

impl Function for PathFunction {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let data = &self.gaussian.conditioned;
        let tile = |points: &ScaledRows| {
            let cross = data.covariance.between(&data.inputs, points);
            self.values(self.prior.values(points), &cross)
        };
        over_inputs::<Stationary, _>(&data.covariance.inputs(rows), tile).concat()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let points = self.gaussian.conditioned.covariance.inputs(rows);
        let tiles = over_inputs::<Stationary, _>(&points, |tile| self.tile_gradient(tile));
        Some(joined_values(rows.dim(), tiles))
    }
}

/// What a normal vector is multiplied with to become a frequency: `√(5/χ²₅)` makes it Student's t.
fn frequency_factor(kernel: Kernel, rng: &mut Rng) -> f64 {
    match kernel {
        Kernel::SquaredExponential => 1.0,
        Kernel::Matern52 => {
            let chi_squared: f64 = (0..5)
                .map(|_| rng.sample::<f64, _>(StandardNormal).powi(2))
                .sum();
            (5.0 / chi_squared).sqrt()
        }
    }
}
