//! Functions drawn from the posterior, by Matheron's rule.
//!
//! A prior function `f` is drawn in random Fourier features and corrected by the data exactly (Wilson et al. 2020,
//! *Efficiently sampling functions from Gaussian process posteriors*):
//! `f(x) + k(x)ᵀ K⁻¹ (z − f(X) − ε)`, `ε` a draw of the noise. Frequencies `ω` follow the kernel's spectral density: normal for
//! the squared exponential, Student's t with 5 degrees of freedom for Matérn-5/2; the features are `cos ωᵀx` and `sin ωᵀx`.

use super::condition::Conditioned;
use super::kernel::{Kernel, ScaledRows, weighted_gradient};
use super::posterior::{GpPosterior, TILE, dot};
use crate::linalg::{FastMath, Points, Rng};
use crate::surrogate::tiles::{joined_values, over_ranges};
use crate::surrogate::{Function, Standardizer};
use faer::Mat;
use rand::RngExt;
use rand_distr::StandardNormal;

/// Frequencies of the prior, two features each.
const FREQUENCIES: usize = 512;

/// One function of the posterior.
pub(super) struct PathSample {
    conditioned: Conditioned,
    units: Standardizer,
    prior: PriorSample,
    /// `K⁻¹ (z − f(X) − ε)`.
    update: Vec<f64>,
}

impl PathSample {
    pub fn draw(posterior: &GpPosterior, rng: &mut Rng) -> Self {
        let conditioned = posterior.conditioned.clone();
        let prior = PriorSample::draw(
            conditioned.kernel,
            conditioned.hyper.amplitude,
            conditioned.rows.rows.dim(),
            rng,
        );
        let noise_sd = conditioned.noise().sqrt();
        let mut residuals = prior.values(&conditioned.rows);
        for (f, z) in residuals.iter_mut().zip(&posterior.residuals) {
            *f = z - *f - noise_sd * rng.sample::<f64, _>(StandardNormal);
        }
        let update = conditioned.factor.solve_vec(&residuals);
        Self {
            conditioned,
            units: posterior.units,
            prior,
            update,
        }
    }

    fn value_tile(&self, points: &ScaledRows) -> Vec<f64> {
        let model = &self.conditioned;
        let cross = model
            .kernel
            .covariance(model.hyper.amplitude, &model.rows, points);
        let prior = self.prior.values(points);
        let at = |(j, f): (usize, f64)| {
            self.units
                .backward(model.hyper.mean + f + dot(cross.col_as_slice(j), &self.update))
        };
        prior.into_iter().enumerate().map(at).collect()
    }

    fn gradient_tile(&self, points: &ScaledRows) -> (Vec<f64>, Points) {
        let model = &self.conditioned;
        let both = model
            .kernel
            .covariance_and_slope(model.hyper.amplitude, &model.rows, points);
        let weights = Mat::from_fn(model.rows.len(), points.len(), |i, j| {
            both.slope[(i, j)] * self.update[i]
        });
        let mut gradient =
            weighted_gradient(weights.as_ref(), &model.rows, points, &model.inverse_scales);
        let (prior, prior_gradient) = self.prior.values_and_gradients(points);
        for j in 0..points.len() {
            for (k, g) in gradient.row_mut(j).iter_mut().enumerate() {
                let slope = *g + prior_gradient[(k, j)] * model.inverse_scales[k];
                *g = self.units.backward_scale(slope).clamp(-f64::MAX, f64::MAX);
            }
        }
        let at = |(j, f): (usize, f64)| {
            self.units
                .backward(model.hyper.mean + f + dot(both.covariance.col_as_slice(j), &self.update))
        };
        (prior.into_iter().enumerate().map(at).collect(), gradient)
    }
}

impl Function for PathSample {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let points = ScaledRows::new(rows, &self.conditioned.inverse_scales);
        over_ranges(rows.len(), TILE, |range| {
            self.value_tile(&points.slice(range))
        })
        .concat()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let points = ScaledRows::new(rows, &self.conditioned.inverse_scales);
        let tiles = over_ranges(rows.len(), TILE, |range| {
            self.gradient_tile(&points.slice(range))
        });
        Some(joined_values(rows.dim(), tiles))
    }
}

/// A function of the prior, of scaled rows: `Σ_j c_j cos ω_jᵀx + s_j sin ω_jᵀx`.
struct PriorSample {
    /// `dim × FREQUENCIES`.
    frequencies: Mat<f64>,
    cosines: Vec<f64>,
    sines: Vec<f64>,
}

impl PriorSample {
    fn draw(kernel: Kernel, amplitude: f64, dim: usize, rng: &mut Rng) -> Self {
        let mut frequencies = Mat::zeros(dim, FREQUENCIES);
        for column in frequencies.col_iter_mut() {
            let factor = frequency_factor(kernel, rng);
            column
                .iter_mut()
                .for_each(|w| *w = factor * rng.sample::<f64, _>(StandardNormal));
        }
        let unit = (amplitude / FREQUENCIES as f64).sqrt();
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

    fn phases(&self, points: &ScaledRows) -> Mat<f64> {
        self.frequencies.transpose() * points.rows.as_mat()
    }

    fn values(&self, points: &ScaledRows) -> Vec<f64> {
        self.values_and_slopes(points).0
    }

    /// Values, and gradients with respect to the scaled rows as columns.
    fn values_and_gradients(&self, points: &ScaledRows) -> (Vec<f64>, Mat<f64>) {
        let (values, slopes) = self.values_and_slopes(points);
        (values, &self.frequencies * slopes)
    }

    /// Values, and derivatives with respect to the phases.
    fn values_and_slopes(&self, points: &ScaledRows) -> (Vec<f64>, Mat<f64>) {
        let mut phases = self.phases(points);
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
