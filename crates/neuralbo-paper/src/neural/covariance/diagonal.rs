//! Only the diagonal of `U`, as neural-bandit code does: cheap at any size, and an approximation.

use neuralbo::linalg::{NotPositiveDefinite, Real, Rng};
use neuralbo::net::Features;
use rand::RngExt;
use rand_distr::StandardNormal;

/// `diag U = λ + Σ g²/m`.
#[derive(Clone, Debug)]
pub struct Diagonal {
    lambda: f64,
    diagonal: Vec<f64>,
}

impl Diagonal {
    /// `U = λI` with `p` parameters.
    pub fn new(p: usize, lambda: f64) -> Self {
        Self {
            lambda,
            diagonal: vec![lambda; p],
        }
    }

    pub(super) fn append<T: Real>(
        &mut self,
        features: &Features<T>,
    ) -> Result<(), NotPositiveDefinite> {
        let m = features.architecture().width as f64;
        let mut squares = vec![T::zero(); self.diagonal.len()];
        let ones = vec![T::one(); features.len()];
        features.squared().vjp(&ones, &mut squares);
        let pairs = self.diagonal.iter_mut().zip(squares);
        pairs.for_each(|(u, s)| *u += s.widen() / m);
        Ok(())
    }

    pub(super) fn variance<T: Real>(&self, features: &Features<T>) -> Vec<f64> {
        let m = features.architecture().width as f64;
        let weight = |u: &f64| T::from_f64(self.lambda / (u * m));
        let weights: Vec<T> = self.diagonal.iter().map(weight).collect();
        let variances = features.squared().jvp(&weights).into_iter();
        variances.map(Real::widen).collect()
    }

    pub(super) fn sample(&self, rng: &mut Rng) -> Vec<f64> {
        self.diagonal
            .iter()
            .map(|u| (self.lambda / u).sqrt() * rng.sample::<f64, _>(StandardNormal))
            .collect()
    }
}
