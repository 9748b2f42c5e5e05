//! Predictions of the conditioned process.
//!
//! Symbols: `X` the observed rows, `L Lᵀ = K`, `k(x)` the covariances with the observations, `α = K⁻¹(z − μ)`;
//! mean `μ + k(x)ᵀα` and variance `σ² − ‖L⁻¹k(x)‖²` (RW eqs. 2.25 and 2.26), both of the function without its noise.

use super::condition::Conditioned;
use super::kernel::{Covariances, ScaledRows, weighted_gradient};
use super::sample::PathSample;
use crate::linalg::{Points, Rng};
use crate::surrogate::tiles::{joined, joined_gradients, over_ranges};
use crate::surrogate::{
    Dataset, Function, Posterior, Prediction, PredictionGradient, Standardizer,
};
use faer::Mat;

/// Rows predicted at once: enough for fast products, few enough to stay in cache and to share among threads.
pub(super) const TILE: usize = 128;

/// Observations from which deviations are computed where larger ones will do, and how many times as many there must be for that.
const FEW: usize = 512;
const MANY: usize = 2 * FEW;

/// A Gaussian process conditioned on standardized rewards.
#[derive(Clone, Debug)]
pub(super) struct GpPosterior {
    pub conditioned: Conditioned,
    /// Standardized rewards less the mean `μ`.
    pub residuals: Vec<f64>,
    pub alpha: Vec<f64>,
    pub units: Standardizer,
    /// The process conditioned on some of the observations, for deviations that are at least those given all of them.
    few: Option<Conditioned>,
}

impl GpPosterior {
    pub fn new(conditioned: Conditioned, rewards: &[f64], units: Standardizer) -> Self {
        let mean = conditioned.hyper.mean;
        let residuals: Vec<f64> = rewards.iter().map(|&y| units.forward(y) - mean).collect();
        let alpha = conditioned.factor.solve_vec(&residuals);
        Self {
            conditioned,
            residuals,
            alpha,
            units,
            few: None,
        }
    }

    fn predict_tile(&self, points: &ScaledRows) -> Prediction {
        let model = &self.conditioned;
        let mut cross = model
            .kernel
            .covariance(model.hyper.amplitude, &model.rows, points);
        let mean = self.means_from(&cross);
        if let Some(few) = &self.few {
            cross = few
                .kernel
                .covariance(few.hyper.amplitude, &few.rows, points);
        }
        self.known().factor.solve_lower(cross.as_mut());
        let sd = self.deviations(&cross);
        Prediction { mean, sd }
    }

    /// What deviations are computed from.
    fn known(&self) -> &Conditioned {
        self.few.as_ref().unwrap_or(&self.conditioned)
    }

    fn means_from(&self, cross: &Mat<f64>) -> Vec<f64> {
        let at = |j| {
            self.units
                .backward(self.conditioned.hyper.mean + dot(cross.col_as_slice(j), &self.alpha))
        };
        (0..cross.ncols()).map(at).collect()
    }

    /// From `L⁻¹k(x)`.
    fn deviations(&self, solved: &Mat<f64>) -> Vec<f64> {
        (0..solved.ncols())
            .map(|j| {
                self.units
                    .backward_scale(self.variance(solved.col_as_slice(j)).sqrt())
            })
            .collect()
    }

    fn variance(&self, solved: &[f64]) -> f64 {
        (self.conditioned.hyper.amplitude - dot(solved, solved)).max(0.0)
    }

    fn gradient_tile(&self, points: &ScaledRows) -> PredictionGradient {
        let covariances = |model: &Conditioned| {
            model
                .kernel
                .covariance_and_slope(model.hyper.amplitude, &model.rows, points)
        };
        let all = covariances(&self.conditioned);
        let mean = self.means_from(&all.covariance);
        let mean_gradient =
            self.in_units(gradient(&self.conditioned, points, &all.slope, |i, _| {
                self.alpha[i]
            }));
        let known = self.known();
        let Covariances {
            covariance: mut cross,
            slope,
        } = self.few.as_ref().map_or(all, covariances);
        known.factor.solve_lower(cross.as_mut());
        let variances: Vec<f64> = (0..cross.ncols())
            .map(|j| self.variance(cross.col_as_slice(j)))
            .collect();
        let sd = self.deviations(&cross);
        known.factor.solve_upper(cross.as_mut());
        let mut sd_gradient = gradient(known, points, &slope, |i, j| cross[(i, j)]);
        for (j, &variance) in variances.iter().enumerate() {
            let factor = deviation_factor(variance, known.hyper.amplitude);
            sd_gradient.row_mut(j).iter_mut().for_each(|g| *g *= factor);
        }
        PredictionGradient {
            prediction: Prediction { mean, sd },
            mean_gradient,
            sd_gradient: self.in_units(sd_gradient),
        }
    }

    /// The gradient in the units of the rewards, as far as numbers go.
    fn in_units(&self, mut gradient: Points) -> Points {
        gradient
            .as_mut_slice()
            .iter_mut()
            .for_each(|g| *g = self.units.backward_scale(*g).clamp(-f64::MAX, f64::MAX));
        gradient
    }
}

/// The gradient of `Σ_i w_ij k(x_i, x_j)` at the points `x_j`.
fn gradient(
    model: &Conditioned,
    points: &ScaledRows,
    slope: &Mat<f64>,
    w: impl Fn(usize, usize) -> f64,
) -> Points {
    let weights = Mat::from_fn(slope.nrows(), slope.ncols(), |i, j| slope[(i, j)] * w(i, j));
    weighted_gradient(weights.as_ref(), &model.rows, points, &model.inverse_scales)
}

/// `∂sd = −(K⁻¹k)ᵀ∂k / sd`; where the variance is nothing but rounding its slope has no meaning and is taken as zero.
fn deviation_factor(variance: f64, amplitude: f64) -> f64 {
    if variance > 1e-14 * amplitude {
        -1.0 / variance.sqrt()
    } else {
        0.0
    }
}

impl Posterior for GpPosterior {
    fn predict(&self, rows: &Points) -> Prediction {
        let points = ScaledRows::new(rows, &self.conditioned.inverse_scales);
        joined(over_ranges(rows.len(), TILE, |range| {
            self.predict_tile(&points.slice(range))
        }))
    }

    fn means(&self, rows: &Points) -> Vec<f64> {
        let (model, points) = (
            &self.conditioned,
            ScaledRows::new(rows, &self.conditioned.inverse_scales),
        );
        let tile = |range| {
            model
                .kernel
                .covariance(model.hyper.amplitude, &model.rows, &points.slice(range))
        };
        over_ranges(rows.len(), TILE, |range| self.means_from(&tile(range))).concat()
    }

    /// `y_i − α_i / (K⁻¹)_ii` (RW eq. 5.12), where `(K⁻¹)_ii` is the squared length of the i-th column of `L⁻¹`.
    fn left_out(&self) -> Option<Vec<f64>> {
        let size = self.alpha.len();
        let mut inverse = Mat::<f64>::identity(size, size);
        self.conditioned.factor.solve_lower(inverse.as_mut());
        let precision = |i: usize| dot(inverse.col_as_slice(i), inverse.col_as_slice(i));
        let without = |i: usize| {
            self.conditioned.hyper.mean + self.residuals[i] - self.alpha[i] / precision(i)
        };
        Some((0..size).map(|i| self.units.backward(without(i))).collect())
    }

    fn predict_with_gradient(&self, rows: &Points) -> Option<PredictionGradient> {
        let points = ScaledRows::new(rows, &self.conditioned.inverse_scales);
        let tiles = over_ranges(rows.len(), TILE, |range| {
            self.gradient_tile(&points.slice(range))
        });
        Some(joined_gradients(rows.dim(), tiles))
    }

    fn noise_sd(&self) -> Option<f64> {
        Some(
            self.units
                .backward_scale(self.conditioned.hyper.noise.sqrt()),
        )
    }

    /// Conditioning on more never adds uncertainty: the deviations given the most telling observations are bounds.
    fn optimistic(&self) -> Option<Box<dyn Posterior>> {
        if self.alpha.len() < MANY {
            return None;
        }
        let told = Dataset::from_parts(self.conditioned.rows.rows.clone(), self.residuals.clone());
        let few = self.conditioned.on(&told.most_telling(FEW)).ok()?;
        Some(Box::new(Self {
            few: Some(few),
            ..self.clone()
        }))
    }

    fn sample_function(&self, rng: &mut Rng) -> Option<Box<dyn Function>> {
        Some(Box::new(PathSample::draw(self, rng)))
    }

    /// Rows whose values the data already determine to rounding cannot shrink anything further and are left out.
    fn with_pending(&self, rows: &Points) -> Option<Box<dyn Posterior>> {
        let means = self.predict(rows).mean;
        let mut extended = Self {
            few: None,
            ..self.clone()
        };
        for (i, mean) in means.into_iter().enumerate() {
            if extended.conditioned.append(&rows.slice(i..i + 1)).is_ok() {
                extended
                    .residuals
                    .push(self.units.forward(mean) - self.conditioned.hyper.mean);
                // K [α; 0] reproduces both the data and the predicted means, so the weights of fantasies are zero.
                extended.alpha.push(0.0);
            }
        }
        Some(Box::new(extended))
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
