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
//! The amplitude has a closed form: with `C` that of amplitude one, `â² = (zᵀC⁻¹z + 1)/(t + 1)`, where the ones are a prior worth one
//! observation, and the log evidence is `−½ ((t + 1) ln â² + ln det C)` up to a constant.
//!
//! What differs between models is behind [`Covariance`]; how hyper-parameters are fitted stays with each model.

mod conditioned;
mod posterior;
#[cfg(test)]
mod tests;

pub use conditioned::Conditioned;
pub(super) use posterior::over_inputs;
pub use posterior::{Gaussian, Path};

use crate::linalg::{Cholesky, Points, Rng};
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

/// Degrees of freedom of the prior of the amplitude.
const PRIOR_FREEDOM: f64 = 3.0;

/// How large the process is compared with its covariance function.
#[derive(Clone, Copy, Debug)]
enum Amplitude {
    /// As the covariance function says.
    Given,
    /// `â`, and a factor of all predicted standard deviations.
    Estimated { value: f64, widening: f64 },
}

impl Amplitude {
    fn of(targets: &[f64], weights: &[f64]) -> Self {
        Self::Estimated {
            value: estimate(targets, weights),
            widening: 1.0,
        }
    }

    /// The same with wider or narrower predictions.
    fn widened(self, widening: f64) -> Self {
        match self {
            Self::Given => self,
            Self::Estimated { value, .. } => Self::Estimated { value, widening },
        }
    }

    fn value(self) -> f64 {
        match self {
            Self::Given => 1.0,
            Self::Estimated { value, .. } => value,
        }
    }

    /// Factor of predicted standard deviations after `count` observations. With the estimated amplitude integrated out a
    /// prediction is Student's t with `ν = count + 3` degrees of freedom, `√(ν/(ν−2))` times as wide.
    fn predictive(self, count: usize) -> f64 {
        match self {
            Self::Given => 1.0,
            Self::Estimated { value, widening } => {
                let freedom = count as f64 + PRIOR_FREEDOM;
                widening * value * (freedom / (freedom - 2.0)).sqrt()
            }
        }
    }
}

/// `â` from the targets and `C⁻¹z`.
fn estimate(targets: &[f64], weights: &[f64]) -> f64 {
    ((dot(targets, weights).max(0.0) + 1.0) / (targets.len() as f64 + 1.0)).sqrt()
}

/// Log evidence of targets with the factor of `C`, the amplitude at its best value.
pub(super) fn log_evidence(targets: &[f64], factor: &Cholesky) -> f64 {
    let amplitude = estimate(targets, &factor.solve_vec(targets));
    let count = targets.len() as f64;
    -0.5 * ((count + 1.0) * (amplitude * amplitude).ln() + factor.log_det())
}

/// A target as predicted from the others, with noise, for an amplitude of one.
pub(super) struct Left {
    pub(super) mean: f64,
    pub(super) variance: f64,
}

/// Every target as predicted from the others (RW eq. 5.12), and the amplitude.
pub(super) fn leave_one_out(targets: &[f64], factor: &Cholesky) -> (Vec<Left>, f64) {
    let (weights, inverse) = (factor.solve_vec(targets), factor.inverse());
    let left = |(i, target): (usize, &f64)| Left {
        mean: target - weights[i] / inverse[(i, i)],
        variance: 1.0 / inverse[(i, i)],
    };
    let left = targets.iter().enumerate().map(left).collect();
    (left, estimate(targets, &weights))
}
