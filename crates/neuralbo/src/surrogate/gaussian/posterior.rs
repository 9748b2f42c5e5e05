//! The conditioned process as a posterior, and functions drawn from it by Matheron's rule.
//!
//! A function `f` drawn from the prior is corrected by the data exactly (Wilson et al. 2020, *Efficiently sampling functions
//! from Gaussian process posteriors*), its deviation from the mean widened `ν` times:
//! `ν f(x) + k(x)ᵀ C⁻¹ (z − ν ε − ν f(X))` with `ε_i ~ N(0, a²ρ_i)`.

use super::{Amplitude, Conditioned, Covariance, Inputs, dot};
use crate::linalg::{Points, Rng};
use crate::surrogate::dataset::best_and_recent;
use crate::surrogate::tiles::{joined, joined_gradients, over_ranges};
use crate::surrogate::{Function, Posterior, Prediction, PredictionGradient, Standardizer};
use faer::Mat;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

/// Observations whose leave-one-out errors calibrate predictions: the last ones, which lie where the search is.
const MOST_CALIBRATING: usize = 64;
/// Observations from which upper bounds of deviations are computed, and how many there must be for that.
const FEW: usize = 192;
const MANY: usize = 2 * FEW;

/// A Gaussian process conditioned on rewards. Copies share the factor and the inputs.
#[derive(Clone)]
pub struct Gaussian<K: Covariance> {
    pub(in crate::surrogate) conditioned: Conditioned<K>,
    /// `z`.
    pub(in crate::surrogate) targets: Vec<f64>,
    /// `w`.
    pub(in crate::surrogate) weights: Vec<f64>,
    pub(in crate::surrogate) mean: f64,
    pub(super) amplitude: Amplitude,
    pub(in crate::surrogate) units: Standardizer,
    /// The process conditioned on some of the observations, for upper bounds of deviations.
    few: Option<Arc<Conditioned<K>>>,
}

impl<K: Covariance> Gaussian<K> {
    /// The posterior given targets in standard units, with the amplitude as the covariance has it.
    pub fn new(
        conditioned: Conditioned<K>,
        targets: Vec<f64>,
        mean: f64,
        units: Standardizer,
    ) -> Self {
        let targets: Vec<f64> = targets.into_iter().map(|target| target - mean).collect();
        Self {
            weights: conditioned.factor.solve_vec(&targets),
            conditioned,
            targets,
            mean,
            amplitude: Amplitude::Given,
            units,
            few: None,
        }
    }

    /// The posterior of a process of mean zero whose amplitude is estimated from the targets.
    pub fn with_estimated_amplitude(
        conditioned: Conditioned<K>,
        targets: Vec<f64>,
        units: Standardizer,
    ) -> Self {
        let given = Self::new(conditioned, targets, 0.0, units);
        Self {
            amplitude: Amplitude::of(&given.targets, &given.weights),
            ..given
        }
    }

    /// The same with deviations as wide as the leave-one-out errors of the last observations, where these are wider.
    pub(in crate::surrogate) fn calibrated(self) -> Self {
        let count = self.targets.len().min(MOST_CALIBRATING);
        let weights = &self.weights[self.targets.len() - count..];
        let squares = self.conditioned.precisions(count).into_iter().zip(weights);
        let sum: f64 = squares
            .map(|(precision, weight)| weight * weight / precision)
            .sum();
        let error = (sum / count.max(1) as f64).sqrt() / self.amplitude.value();
        Self {
            amplitude: self.amplitude.widened(error.max(1.0)),
            ..self
        }
    }

    /// Factor of deviations by [`Gaussian::calibrated`].
    #[cfg(test)]
    pub(in crate::surrogate) fn widening(&self) -> f64 {
        match self.amplitude {
            Amplitude::Given => 1.0,
            Amplitude::Estimated { widening, .. } => widening,
        }
    }

    /// The leave-one-out errors `w_i / (C⁻¹)_ii` of the last `count` observations, in standard units (RW eq. 5.12).
    pub(in crate::surrogate) fn leave_one_out_errors(&self, count: usize) -> Vec<f64> {
        let weights = self.weights[self.targets.len() - count..].iter();
        let both = weights.zip(self.conditioned.precisions(count));
        both.map(|(w, precision)| w / precision).collect()
    }

    /// The posterior mean at the observations, in standard units: `y_i − ρ_i w_i`.
    pub fn smoothed_targets(&self) -> Vec<f64> {
        let observed = self.targets.iter().zip(&self.weights);
        let smoothed = |((z, w), noise): ((&f64, &f64), &f64)| self.mean + z - noise * w;
        observed
            .zip(&self.conditioned.noises)
            .map(smoothed)
            .collect()
    }

    /// The posterior if `rows` had been observed at their predicted means: the mean and all hyper-parameters stay. Rows whose
    /// values the data determine up to rounding are left out.
    pub fn conditioned(&self, rows: &Points) -> Self {
        if rows.is_empty() {
            return self.clone();
        }
        self.conditioned_on(&self.conditioned.covariance.inputs(rows))
    }

    pub(in crate::surrogate) fn conditioned_on(&self, more: &K::Inputs) -> Self {
        let mut all = Self {
            few: None,
            ..self.clone()
        };
        let data = &self.conditioned;
        let cross = data.covariance.between(&data.inputs, more);
        let mean = |j| dot(cross.col_as_slice(j), &self.weights);
        let means: Vec<f64> = (0..more.len()).map(mean).collect();
        let noise = |z: &f64| data.covariance.noise_at(self.mean + z);
        let noises: Vec<f64> = means.iter().map(noise).collect();
        if all.conditioned.append(more, &noises).is_ok() {
            all.targets.extend(means);
        } else {
            for (i, target) in means.into_iter().enumerate() {
                let one = more.slice(i..i + 1);
                if all.conditioned.append(&one, &noises[i..=i]).is_ok() {
                    all.targets.push(target);
                }
            }
        }
        // C [w; 0] reproduces both the data and the predicted means.
        all.weights.resize(all.targets.len(), 0.0);
        all
    }

    /// Means at inputs.
    pub(in crate::surrogate) fn means_at(&self, points: &K::Inputs) -> Vec<f64> {
        let data = &self.conditioned;
        let tile = |tile: &K::Inputs| self.means_from(&data.covariance.between(&data.inputs, tile));
        over_inputs::<K, _>(points, tile).concat()
    }

    /// Standard deviations at inputs.
    pub(in crate::surrogate) fn sds_at(&self, points: &K::Inputs) -> Vec<f64> {
        let data = self.known();
        let tile = |tile: &K::Inputs| {
            let mut cross = data.covariance.between(&data.inputs, tile);
            data.factor.solve_lower(cross.as_mut());
            self.deviations(&self.variances(&cross, tile))
        };
        over_inputs::<K, _>(points, tile).concat()
    }

    fn predict_tile(&self, points: &K::Inputs) -> Prediction {
        let data = &self.conditioned;
        let mut cross = data.covariance.between(&data.inputs, points);
        let mean = self.means_from(&cross);
        if let Some(few) = &self.few {
            cross = few.covariance.between(&few.inputs, points);
        }
        self.known().factor.solve_lower(cross.as_mut());
        Prediction {
            mean,
            sd: self.deviations(&self.variances(&cross, points)),
        }
    }

    fn gradient_tile(&self, points: &K::Inputs) -> Option<PredictionGradient> {
        let slopes =
            |data: &Conditioned<K>| data.covariance.between_with_slopes(&data.inputs, points);
        let gradient = |data: &Conditioned<K>, slopes: &K::Slopes, cross: Option<&Mat<f64>>| {
            let weight = |i: usize, j: usize| cross.map_or(self.weights[i], |cross| cross[(i, j)]);
            data.covariance
                .gradient(&data.inputs, points, slopes, weight)
        };
        let (cross, slope) = slopes(&self.conditioned)?;
        let mean = self.means_from(&cross);
        let mean_gradient = self.in_units(gradient(&self.conditioned, &slope, None));
        let known = self.known();
        let (mut cross, slope) = match &self.few {
            Some(few) => slopes(few)?,
            None => (cross, slope),
        };
        known.factor.solve_lower(cross.as_mut());
        let variances = self.variances(&cross, points);
        known.factor.solve_upper(cross.as_mut());
        let mut sd_gradient = gradient(known, &slope, Some(&cross));
        if let Some(own) = known.covariance.variance_gradient(points, &slope) {
            let entries = sd_gradient.as_mut_slice().iter_mut().zip(own.as_slice());
            entries.for_each(|(g, own)| *g -= 0.5 * own);
        }
        let scale = self.amplitude.predictive(self.targets.len());
        for (j, own) in known.covariance.variances(points).into_iter().enumerate() {
            let factor = scale * deviation_factor(variances[j], own);
            sd_gradient.row_mut(j).iter_mut().for_each(|g| *g *= factor);
        }
        Some(PredictionGradient {
            prediction: Prediction {
                mean,
                sd: self.deviations(&variances),
            },
            mean_gradient,
            sd_gradient: self.in_units(sd_gradient),
        })
    }

    /// What deviations are computed from.
    fn known(&self) -> &Conditioned<K> {
        self.few.as_deref().unwrap_or(&self.conditioned)
    }

    fn means_from(&self, cross: &Mat<f64>) -> Vec<f64> {
        let unit = |j| self.mean + dot(cross.col_as_slice(j), &self.weights);
        let means = (0..cross.ncols()).map(unit);
        means.map(|mean| self.units.backward(mean)).collect()
    }

    /// Variances of a process of amplitude one, from `L⁻¹k(x)`.
    fn variances(&self, solved: &Mat<f64>, points: &K::Inputs) -> Vec<f64> {
        let own = self.conditioned.covariance.variances(points);
        let own = own.into_iter().enumerate();
        let explained = |j: usize| dot(solved.col_as_slice(j), solved.col_as_slice(j));
        own.map(|(j, own)| (own - explained(j)).max(0.0)).collect()
    }

    fn deviations(&self, variances: &[f64]) -> Vec<f64> {
        let scale = self.amplitude.predictive(self.targets.len());
        let sd = |variance: &f64| self.units.backward_scale(scale * variance.sqrt());
        variances.iter().map(sd).collect()
    }

    /// A gradient in the units of the rewards.
    fn in_units(&self, mut gradient: Points) -> Points {
        let entries = gradient.as_mut_slice().iter_mut();
        entries.for_each(|g| *g = self.units.backward_scale(*g));
        gradient
    }
}

/// `∂sd = (½ ∂k(x, x) − (C⁻¹k)ᵀ∂k) / sd`; where the variance is nothing but rounding its slope is taken as zero.
fn deviation_factor(variance: f64, own: f64) -> f64 {
    if variance > 1e-14 * own {
        -1.0 / variance.sqrt()
    } else {
        0.0
    }
}

/// Answers of `f` for tiles of the inputs, in their order.
pub(in crate::surrogate) fn over_inputs<K: Covariance, R: Send>(
    points: &K::Inputs,
    f: impl Fn(&K::Inputs) -> R + Sync,
) -> Vec<R> {
    over_ranges(points.len(), K::TILE, |range| {
        match range.len() == points.len() {
            true => f(points),
            false => f(&points.slice(range)),
        }
    })
}

impl<K: Covariance> Posterior for Gaussian<K> {
    fn predict(&self, rows: &Points) -> Prediction {
        let points = self.conditioned.covariance.inputs(rows);
        joined(over_inputs::<K, _>(&points, |tile| self.predict_tile(tile)))
    }

    fn means(&self, rows: &Points) -> Vec<f64> {
        self.means_at(&self.conditioned.covariance.inputs(rows))
    }

    fn left_out(&self) -> Option<Vec<f64>> {
        let errors = self.leave_one_out_errors(self.targets.len());
        let predicted = self.targets.iter().zip(errors);
        let predicted = predicted.map(|(z, error)| self.mean + z - error);
        Some(predicted.map(|z| self.units.backward(z)).collect())
    }

    fn predict_with_gradient(&self, rows: &Points) -> Option<PredictionGradient> {
        let points = self.conditioned.covariance.inputs(rows);
        let tiles = over_inputs::<K, _>(&points, |tile| self.gradient_tile(tile));
        let tiles: Option<Vec<PredictionGradient>> = tiles.into_iter().collect();
        Some(joined_gradients(rows.dim(), tiles?))
    }

    fn noise_sd(&self) -> Option<f64> {
        let scale = self.amplitude.predictive(self.targets.len());
        let sd = scale * self.conditioned.covariance.noise_sd();
        Some(self.units.backward_scale(sd))
    }

    /// Conditioning on more never adds uncertainty: the deviations given some observations are bounds.
    fn preview(&self) -> Option<Box<dyn Posterior>> {
        if self.targets.len() < MANY {
            return None;
        }
        let few = self.conditioned.on(&best_and_recent(&self.targets, FEW))?;
        Some(Box::new(Self {
            few: Some(Arc::new(few)),
            ..self.clone()
        }))
    }

    fn sample_function(&self, rng: &mut Rng) -> Option<Box<dyn Function>> {
        K::sample(self, rng)
    }

    fn with_pending(&self, rows: &Points) -> Option<Box<dyn Posterior>> {
        Some(Box::new(self.conditioned(rows)))
    }
}

/// A covariance whose prior functions can be drawn.
pub trait Path: Covariance {
    /// A function of the prior.
    type Prior;
    /// A function of the posterior.
    type Function: Function + 'static;

    /// A function drawn from the prior, times `amplitude`.
    fn draw_prior(&self, amplitude: f64, rng: &mut Rng) -> Self::Prior;

    /// Values of a function of the prior.
    fn prior_values(prior: &Self::Prior, points: &Self::Inputs) -> Vec<f64>;

    /// `prior(x) + k(x)ᵀ update` as a function of rows.
    fn function(gaussian: &Gaussian<Self>, prior: Self::Prior, update: Vec<f64>) -> Self::Function;
}

impl<K: Path> Gaussian<K> {
    /// A function drawn from the posterior, its deviation from the mean widened `nu` times.
    pub fn sample(&self, nu: f64, rng: &mut Rng) -> K::Function {
        let (data, amplitude) = (&self.conditioned, self.amplitude.value());
        let prior = data.covariance.draw_prior(nu * amplitude, rng);
        let mut noise =
            |rho: &f64| nu * amplitude * rho.sqrt() * rng.sample::<f64, _>(StandardNormal);
        let noisy = self.targets.iter().zip(&data.noises);
        let noisy = noisy.map(|(z, rho)| z - noise(rho));
        let misfit = noisy.zip(K::prior_values(&prior, &data.inputs));
        let misfit: Vec<f64> = misfit.map(|(z, f)| z - f).collect();
        K::function(self, prior, data.factor.solve_vec(&misfit))
    }
}
