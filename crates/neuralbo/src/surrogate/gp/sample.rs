//! Functions of the prior in random features, and of the posterior.
//!
//! Frequencies `ω` follow the kernel's spectral density: normal for the squared exponential, Student's t with 5 degrees of
//! freedom for Matérn-5/2; the features are `cos ωᵀx` and `sin ωᵀx`.

use super::arc_cosine::RectifiedFunction;
use super::covariance::KernelCovariance;
use super::kernel::{Correlation, ScaledRows};
use crate::linalg::{FastMath, Points, Rng};
use crate::surrogate::Function;
use crate::surrogate::gaussian::{Covariance, Gaussian, Inputs, dot, over_inputs};
use crate::surrogate::tiles::joined_values;
use faer::Mat;
use rand::RngExt;
use rand_distr::StandardNormal;

/// Frequencies of the prior, two features each.
const FREQUENCIES: usize = 512;

/// A function of the prior, of scaled rows.
pub(super) enum PriorFunction {
    /// Of a stationary kernel.
    Fourier(FourierFunction),
    /// Of the arc-cosine kernel.
    Rectified(RectifiedFunction),
}

impl PriorFunction {
    /// A function of the covariance's prior, times `factor`.
    pub fn draw(covariance: &KernelCovariance, factor: f64, rng: &mut Rng) -> Self {
        let dim = covariance.inverse_scales.len();
        let variance = covariance.hyper.amplitude;
        match covariance.kernel.correlation() {
            Some(correlation) => {
                let unit = factor * (variance / FREQUENCIES as f64).sqrt();
                Self::Fourier(FourierFunction::draw(correlation, dim, unit, rng))
            }
            None => Self::Rectified(RectifiedFunction::draw(dim, factor * variance.sqrt(), rng)),
        }
    }

    pub fn values(&self, points: &ScaledRows) -> Vec<f64> {
        match self {
            Self::Fourier(function) => function.values_and_slopes(points).0,
            Self::Rectified(function) => function.values_and_slopes(points).0,
        }
    }

    /// Values, and gradients in the scaled rows as columns.
    fn values_and_gradient(&self, points: &ScaledRows) -> (Vec<f64>, Mat<f64>) {
        match self {
            Self::Fourier(function) => {
                let (values, slopes) = function.values_and_slopes(points);
                (values, &function.frequencies * slopes)
            }
            Self::Rectified(function) => {
                let (values, slopes) = function.values_and_slopes(points);
                (values, &function.directions * slopes)
            }
        }
    }
}

/// A sum of waves: `Σ_j c_j cos ω_jᵀx + s_j sin ω_jᵀx`.
pub(super) struct FourierFunction {
    /// `dim × FREQUENCIES`.
    frequencies: Mat<f64>,
    cosines: Vec<f64>,
    sines: Vec<f64>,
}

impl FourierFunction {
    /// A function for rows of `dim` coordinates whose weights have the standard deviation `unit`.
    fn draw(correlation: Correlation, dim: usize, unit: f64, rng: &mut Rng) -> Self {
        let mut frequencies = Mat::zeros(dim, FREQUENCIES);
        for column in frequencies.col_iter_mut() {
            let spread = frequency_factor(correlation, rng);
            column
                .iter_mut()
                .for_each(|w| *w = spread * rng.sample::<f64, _>(StandardNormal));
        }
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
    pub(super) gaussian: Gaussian<KernelCovariance>,
    pub(super) prior: PriorFunction,
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
        let inverse_scales = &data.covariance.inverse_scales;
        let (cross, slopes) = data.covariance.with_slopes(&data.inputs, points);
        let (prior, prior_slopes) = self.prior.values_and_gradient(points);
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
        over_inputs::<KernelCovariance, _>(&data.covariance.inputs(rows), tile).concat()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let points = self.gaussian.conditioned.covariance.inputs(rows);
        let tiles = over_inputs::<KernelCovariance, _>(&points, |tile| self.tile_gradient(tile));
        Some(joined_values(rows.dim(), tiles))
    }
}

/// What a normal vector is multiplied with to become a frequency: `√(5/χ²₅)` makes it Student's t.
fn frequency_factor(correlation: Correlation, rng: &mut Rng) -> f64 {
    match correlation {
        Correlation::SquaredExponential => 1.0,
        Correlation::Matern52 => {
            let chi_squared: f64 = (0..5)
                .map(|_| rng.sample::<f64, _>(StandardNormal).powi(2))
                .sum();
            (5.0 / chi_squared).sqrt()
        }
    }
}
