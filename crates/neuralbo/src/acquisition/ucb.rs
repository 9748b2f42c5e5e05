//! Upper confidence bounds.
//!
//! Symbols: `μ`, `σ` predicted mean and standard deviation, `β_t` the confidence parameter at round `t`, `D` the number of points
//! the guarantee covers, `d` the dimension, `δ` the probability with which the guarantee may fail.

use std::sync::Arc;

use super::analytic::{self, Partials};
use crate::linalg::Points;
use crate::surrogate::{Function, Posterior};

/// `μ(x) + width · σ(x)`; with width 0 the predicted mean, i.e. the greedy rule.
///
/// ```
/// use std::sync::Arc;
/// use neuralbo::acquisition::UpperConfidence;
/// use neuralbo::linalg::Points;
/// use neuralbo::surrogate::{Function, Posterior, Prediction};
///
/// struct Flat;
/// impl Posterior for Flat {
///     fn predict(&self, rows: &Points) -> Prediction {
///         Prediction { mean: vec![1.0; rows.len()], sd: vec![0.5; rows.len()] }
///     }
/// }
/// let bound = UpperConfidence { posterior: Arc::new(Flat), width: 2.0 };
/// assert_eq!(bound.value(&Points::zeros(3, 1)), vec![2.0]);
/// ```
pub struct UpperConfidence {
    /// The model.
    pub posterior: Arc<dyn Posterior>,
    /// How many standard deviations above the mean.
    pub width: f64,
}

impl UpperConfidence {
    fn partials(&self, mean: f64, sd: f64) -> Partials {
        Partials {
            value: mean + self.width * sd,
            by_mean: 1.0,
            by_sd: self.width,
        }
    }
}

impl Function for UpperConfidence {
    fn value(&self, rows: &Points) -> Vec<f64> {
        analytic::values(&self.posterior.predict(rows), |mean, sd| {
            self.partials(mean, sd)
        })
    }

    fn bound(&self) -> Option<Box<dyn Function>> {
        // With width 0 deviations do not matter, and there is nothing to save.
        let posterior = if self.width > 0.0 {
            self.posterior.optimistic()
        } else {
            None
        };
        Some(Box::new(Self {
            posterior: Arc::from(posterior?),
            width: self.width,
        }))
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let at = self.posterior.predict_with_gradient(rows)?;
        Some(analytic::values_and_gradients(at, |mean, sd| {
            self.partials(mean, sd)
        }))
    }
}

/// How wide the confidence band is at round `t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConfidenceWidth {
    /// The same number of standard deviations in every round.
    Constant(f64),
    /// `√β_t` of Srinivas et al. with failure probability `delta`.
    Srinivas {
        /// Probability with which the guarantee may fail, in (0, 1).
        delta: f64,
    },
}

impl ConfidenceWidth {
    /// The width at round `t` (counted from 1) in `d` dimensions.
    pub fn at(self, t: usize, d: usize) -> f64 {
        match self {
            Self::Constant(width) => width,
            Self::Srinivas { delta } => srinivas_beta(t, d, delta).sqrt(),
        }
    }
}

/// `β_t = 2 ln(|D| t² π² / 6δ)` with `|D| = t²ᵈ` (Srinivas et al. 2010, Theorem 1, on the discretization of the proof of their
/// Theorem 2), the form used in practice for a box: `2 ln(t^{2d+2} π² / 6δ)`.
///
/// ```
/// use neuralbo::acquisition::srinivas_beta;
///
/// let first = srinivas_beta(1, 4, 0.1);
/// assert!((first - 2.0 * (std::f64::consts::PI.powi(2) / 0.6).ln()).abs() < 1e-12);
/// assert!(srinivas_beta(10, 4, 0.1) > first);
/// ```
pub fn srinivas_beta(t: usize, d: usize, delta: f64) -> f64 {
    let log_points_and_rounds = (2.0 * d as f64 + 2.0) * (t.max(1) as f64).ln();
    2.0 * (log_points_and_rounds + (std::f64::consts::PI.powi(2) / (6.0 * delta)).ln())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::acquisition::testing::{Quadratic, assert_gradient};
    use crate::linalg::testing::assert_near;

    #[test]
    fn bound_is_mean_plus_width_times_sd_with_its_gradient() {
        let posterior = Arc::new(Quadratic);
        let bound = UpperConfidence {
            posterior,
            width: 3.0,
        };
        let row = [0.5, -0.25];
        let expected = Quadratic::mean(&row) + 3.0 * Quadratic::sd(&row);
        let found = bound.value(&Points::from_rows(2, [row]));
        assert_near(&found, &[expected], 1e-14);
        assert_gradient(&bound, &[0.3, -0.6], 1e-7);
    }

    #[test]
    fn schedule_grows_like_the_logarithm() {
        let step = srinivas_beta(100, 3, 0.05) - srinivas_beta(10, 3, 0.05);
        assert!((step - 2.0 * 8.0 * 10f64.ln()).abs() < 1e-10);
        assert_eq!(ConfidenceWidth::Constant(2.0).at(9, 3), 2.0);
        let width = ConfidenceWidth::Srinivas { delta: 0.1 }.at(5, 2);
        assert_near(&[width * width], &[srinivas_beta(5, 2, 0.1)], 1e-12);
    }
}
