//! Functions of the prior in random Fourier features.
//!
//! Frequencies `ω` follow the kernel's spectral density: normal for the squared exponential, Student's t with 5 degrees of
//! freedom for Matérn-5/2; the features are `cos ωᵀx` and `sin ωᵀx`.

use super::covariance::Stationary;
use super::kernel::{Kernel, ScaledRows};
use crate::linalg::{FastMath, Points, Rng};
use crate::surrogate::gaussian::{Inputs, PriorFunction, dot};
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

impl PriorFunction<Stationary> for FourierFunction {
    fn values_and_gradients(
        &self,
        covariance: &Stationary,
        points: &ScaledRows,
    ) -> (Vec<f64>, Points) {
        let (values, slopes) = self.values_and_slopes(points);
        let scaled = &self.frequencies * slopes;
        let mut gradient = Points::zeros(points.rows.dim(), points.len());
        for j in 0..points.len() {
            let entries = gradient
                .row_mut(j)
                .iter_mut()
                .zip(&covariance.inverse_scales);
            entries
                .enumerate()
                .for_each(|(k, (g, inverse))| *g = scaled[(k, j)] * inverse);
        }
        (values, gradient)
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
