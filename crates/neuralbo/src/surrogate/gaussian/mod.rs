//! A Gaussian process conditioned on observations, for any covariance function.
//!
//! The mean at a row is `μ + k(x)ᵀw`, its variance `a² (k(x, x) − ‖L⁻¹k(x)‖²)`, both without noise
//! (Rasmussen and Williams, *Gaussian Processes for Machine Learning*, 2006, eqs. 2.25 and 2.26; cited as RW).
//!
//! | symbol | meaning |
//! | --- | --- |
//! | `X`, `t` | observed rows and their number |
//! | `z`, `μ` | targets, i.e. rewards in standard units less the constant mean `μ` |
//! | `K`, `ρ_i` | covariances of the observations, and the noise variance of each |
//! | `C`, `L` | `C = K + diag(ρ_i) = L Lᵀ` |
//! | `w` | weights `C⁻¹z` |
//! | `k(x)` | covariances between a row and the observations |
//! | `a` | amplitude: 1 where `k` contains it, else estimated from the targets |
//!
//! What differs between models is behind [`Covariance`]; how hyper-parameters are fitted stays with each model.

mod amplitude;
mod conditioned;
mod path;
mod posterior;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use conditioned::Conditioned;
pub use path::{Path, PathFunction, PriorFunction};
pub use posterior::Gaussian;

pub(super) use amplitude::{Left, leave_one_out, log_evidence};

use crate::linalg::{Points, Rng};
use crate::surrogate::Function;
use faer::Mat;
use std::ops::Range;

/// Rows in the form that covariances are computed from.
pub trait Inputs: Clone + Send + Sync {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Consecutive rows.
    fn slice(&self, range: Range<usize>) -> Self;

    /// Adds rows at the end.
    fn append(&mut self, other: &Self);
}

/// A covariance function and the noise of observations, with all hyper-parameters given.
pub trait Covariance: Clone + Send + Sync + 'static {
    /// Rows in the form that covariances are computed from.
    type Inputs: Inputs;
    /// What the derivatives of covariances are computed from.
    type Slopes;

    /// Rows predicted at once on one thread.
    const TILE: usize = 128;

    /// The inputs of rows.
    fn inputs(&self, rows: &Points) -> Self::Inputs;

    /// `K`, of which the lower triangle is read.
    fn within(&self, data: &Self::Inputs) -> Mat<f64>;

    /// `k(x)` as one column per point.
    fn between(&self, data: &Self::Inputs, points: &Self::Inputs) -> Mat<f64>;

    /// `k(x, x)` of every point.
    fn variances(&self, points: &Self::Inputs) -> Vec<f64>;

    /// The noise variance of a further observation with this target.
    fn noise_at(&self, target: f64) -> f64;

    /// The standard deviation of the noise of a precise observation.
    fn noise_sd(&self) -> f64;

    /// [`Covariance::between`] with what its derivatives are computed from; `None` without gradients.
    fn between_with_slopes(
        &self,
        data: &Self::Inputs,
        points: &Self::Inputs,
    ) -> Option<(Mat<f64>, Self::Slopes)> {
        let _ = (data, points);
        None
    }

    /// The gradient of `Σ_i w_ij k(x_i, x_j)` in the row of each point `x_j`.
    fn gradient(
        &self,
        data: &Self::Inputs,
        points: &Self::Inputs,
        slopes: &Self::Slopes,
        weight: impl Fn(usize, usize) -> f64,
    ) -> Points;

    /// The gradient of `k(x, x)` in the row of each point; `None` where it is zero.
    fn variance_gradient(&self, points: &Self::Inputs, slopes: &Self::Slopes) -> Option<Points> {
        let _ = (points, slopes);
        None
    }

    /// A function drawn from the posterior; `None` when the covariance cannot. See [`Path`].
    fn sample(gaussian: &Gaussian<Self>, rng: &mut Rng) -> Option<Box<dyn Function>> {
        let _ = (gaussian, rng);
        None
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Mean of the diagonal, one where it is not positive.
pub(super) fn mean_diagonal(k: &Mat<f64>) -> f64 {
    let sum: f64 = (0..k.nrows()).map(|i| k[(i, i)]).sum();
    if sum > 0.0 {
        sum / k.nrows() as f64
    } else {
        1.0
    }
}
