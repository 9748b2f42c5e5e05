//! Functions drawn from the posterior, by Matheron's rule.
//!
//! A function `f` drawn from the prior is corrected by the data exactly (Wilson et al. 2020, *Efficiently sampling functions
//! from Gaussian process posteriors*), its deviation from the mean widened `ν` times:
//! `ν f(x) + k(x)ᵀ C⁻¹ (z − ν ε − ν f(X))` with `ε_i ~ N(0, a²ρ_i)`.

use super::posterior::over_inputs;
use super::{Covariance, Gaussian, dot};
use crate::linalg::{Points, Rng};
use crate::surrogate::Function;
use crate::surrogate::tiles::joined_values;
use faer::Mat;
use rand::RngExt;
use rand_distr::StandardNormal;

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

/// A function of the prior that has gradients.
pub trait PriorFunction<K: Covariance>: Send + Sync + 'static {
    /// Values, and gradients in the rows.
    fn values_and_gradients(&self, covariance: &K, points: &K::Inputs) -> (Vec<f64>, Points);
}

impl<K: Path> Gaussian<K> {
    /// A function drawn from the posterior, its deviation from the mean widened `nu` times.
    pub fn sample(&self, nu: f64, rng: &mut Rng) -> K::Function {
        let (data, amplitude) = (&self.conditioned, self.amplitude.value());
        let prior = data.covariance.draw_prior(nu * amplitude, rng);
        let mut noise =
            |rho: &f64| nu * amplitude * rho.sqrt() * rng.sample::<f64, _>(StandardNormal);
        let noisy = self
            .targets
            .iter()
            .zip(&data.noises)
            .map(|(z, rho)| z - noise(rho));
        let misfit: Vec<f64> = noisy
            .zip(K::prior_values(&prior, &data.inputs))
            .map(|(z, f)| z - f)
            .collect();
        K::function(self, prior, data.factor.solve_vec(&misfit))
    }
}

/// A function of the posterior as the sum of a function of the prior and a weighted sum of covariances.
pub struct PathFunction<K: Path> {
    pub(in crate::surrogate) gaussian: Gaussian<K>,
    pub(in crate::surrogate) prior: K::Prior,
    pub(in crate::surrogate) update: Vec<f64>,
}

impl<K: Path> PathFunction<K> {
    fn values(&self, prior: Vec<f64>, cross: &Mat<f64>) -> Vec<f64> {
        let (mean, units) = (self.gaussian.mean, self.gaussian.units);
        let at = |(j, f): (usize, f64)| {
            units.backward(mean + f + dot(cross.col_as_slice(j), &self.update))
        };
        prior.into_iter().enumerate().map(at).collect()
    }
}

impl<K: Path> Function for PathFunction<K>
where
    K::Prior: PriorFunction<K>,
{
    fn value(&self, rows: &Points) -> Vec<f64> {
        let data = &self.gaussian.conditioned;
        let tile = |points: &K::Inputs| {
            let cross = data.covariance.between(&data.inputs, points);
            self.values(K::prior_values(&self.prior, points), &cross)
        };
        over_inputs::<K, _>(&data.covariance.inputs(rows), tile).concat()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let (data, units) = (&self.gaussian.conditioned, self.gaussian.units);
        let tile = |points: &K::Inputs| {
            let (cross, slopes) = data.covariance.between_with_slopes(&data.inputs, points)?;
            let (prior, prior_gradient) = self.prior.values_and_gradients(&data.covariance, points);
            let weight = |i: usize, _: usize| self.update[i];
            let mut gradient = data
                .covariance
                .gradient(&data.inputs, points, &slopes, weight);
            let entries = gradient
                .as_mut_slice()
                .iter_mut()
                .zip(prior_gradient.as_slice());
            entries.for_each(|(g, prior)| *g = units.backward_scale(*g + prior));
            Some((self.values(prior, &cross), gradient))
        };
        let tiles = over_inputs::<K, _>(&data.covariance.inputs(rows), tile);
        let tiles: Option<Vec<(Vec<f64>, Points)>> = tiles.into_iter().collect();
        Some(joined_values(rows.dim(), tiles?))
    }
}
