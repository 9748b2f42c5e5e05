//! The amplitude of a process, estimated from its targets in closed form.
//!
//! With `C` that of amplitude one, `â² = (zᵀC⁻¹z + 1)/(t + 1)`, where the ones are a prior worth one observation, and the
//! log evidence is `−½ ((t + 1) ln â² + ln det C)` up to a constant.

use super::dot;
use crate::linalg::Cholesky;

/// Degrees of freedom of the prior of the amplitude.
const PRIOR_FREEDOM: f64 = 3.0;

/// How large the process is compared with its covariance function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Amplitude {
    /// As the covariance function says.
    Given,
    /// `â`, and a factor of all predicted standard deviations.
    Estimated { value: f64, widening: f64 },
}

impl Amplitude {
    pub(super) fn of(targets: &[f64], weights: &[f64]) -> Self {
        Self::Estimated {
            value: estimate(targets, weights),
            widening: 1.0,
        }
    }

    /// The same with wider or narrower predictions.
    pub(super) fn widened(self, widening: f64) -> Self {
        match self {
            Self::Given => self,
            Self::Estimated { value, .. } => Self::Estimated { value, widening },
        }
    }

    pub(super) fn value(self) -> f64 {
        match self {
            Self::Given => 1.0,
            Self::Estimated { value, .. } => value,
        }
    }

    /// Factor of predicted standard deviations after `count` observations. With the estimated amplitude integrated out a
    /// prediction is Student's t with `ν = count + 3` degrees of freedom, `√(ν/(ν−2))` times as wide.
    pub(super) fn predictive(self, count: usize) -> f64 {
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
pub(in crate::surrogate) fn log_evidence(targets: &[f64], factor: &Cholesky) -> f64 {
    let amplitude = estimate(targets, &factor.solve_vec(targets));
    let count = targets.len() as f64;
    -0.5 * ((count + 1.0) * (amplitude * amplitude).ln() + factor.log_det())
}

/// A target as predicted from the others, with noise, for an amplitude of one.
pub(in crate::surrogate) struct Left {
    pub(in crate::surrogate) mean: f64,
    pub(in crate::surrogate) variance: f64,
}

/// Every target as predicted from the others (RW eq. 5.12), and the amplitude.
pub(in crate::surrogate) fn leave_one_out(targets: &[f64], factor: &Cholesky) -> (Vec<Left>, f64) {
    let (weights, inverse) = (factor.solve_vec(targets), factor.inverse());
    let left = |(i, target): (usize, &f64)| Left {
        mean: target - weights[i] / inverse[(i, i)],
        variance: 1.0 / inverse[(i, i)],
    };
    let left = targets.iter().enumerate().map(left).collect();
    (left, estimate(targets, &weights))
}
