//! Acquisitions that are functions of the predicted mean and standard deviation: expected improvement in its log form, upper
//! confidence bounds, and the logarithm of the chance that all outcome constraints hold.
//!
//! Symbols: `μ`, `σ` predicted mean and standard deviation, `a(μ, σ)` the acquisition, `∇a = ∂a/∂μ ∇μ + ∂a/∂σ ∇σ`;
//! `f*` the reward to improve on, `z = (μ − f*)/σ`, `h(z) = φ(z) + z Φ(z)`, so that `EI = σ h(z)` and `h′ = Φ`;
//! `β_t` the confidence parameter at round `t`, `D` the number of points the guarantee covers, `d` the dimension, `δ` the probability
//! with which the guarantee may fail; `z_j = μ_j/σ_j` of a slack, and `Σ_j ln Φ(z_j)`, with `(ln Φ)′ = φ/Φ = 1/R(−z)` by the Mills
//! ratio `R`.

use std::sync::Arc;

use crate::linalg::{Points, add_scaled, log_ei_unit, log_ei_unit_slope, log_normal_cdf, mills};
use crate::surrogate::{Function, Posterior, Prediction, PredictionGradient};

/// An acquisition and its partial derivatives at one (mean, sd).
#[derive(Clone, Copy, Debug)]
struct Partials {
    pub value: f64,
    pub by_mean: f64,
    pub by_sd: f64,
}

/// The acquisition at each row of a prediction.
fn values_by(prediction: &Prediction, rule: impl Fn(f64, f64) -> Partials) -> Vec<f64> {
    let pairs = prediction.mean.iter().zip(&prediction.sd);
    pairs.map(|(&mean, &sd)| rule(mean, sd).value).collect()
}

/// The acquisition and its gradient at each row of a prediction.
fn gradients_by(at: PredictionGradient, rule: impl Fn(f64, f64) -> Partials) -> (Vec<f64>, Points) {
    let mut gradient = at.mean_gradient;
    let mut values = Vec::with_capacity(gradient.len());
    for (i, (&mean, &sd)) in at.prediction.mean.iter().zip(&at.prediction.sd).enumerate() {
        let partials = rule(mean, sd);
        for (slot, by_sd) in gradient.row_mut(i).iter_mut().zip(at.sd_gradient.row(i)) {
            *slot = partials.by_mean * *slot + partials.by_sd * by_sd;
        }
        values.push(partials.value);
    }
    (values, gradient)
}

/// Below this a standard deviation is rounding noise; the floor keeps `z` and its derivatives finite.
const SMALLEST_SD: f64 = 1e-150;

/// `ln E[max(f(x) − best, 0)]`, which keeps its slope where the improvement itself underflows (Ament et al. 2023).
pub struct LogExpectedImprovement {
    /// The model.
    pub posterior: Arc<dyn Posterior>,
    /// The reward to improve on.
    pub best: f64,
}

impl LogExpectedImprovement {
    fn partials(&self, mean: f64, sd: f64) -> Partials {
        let sd = sd.max(SMALLEST_SD);
        let z = (mean - self.best) / sd;
        let slope = log_ei_unit_slope(z);
        // ∂/∂σ of ln σ + ln h(z): 1/σ − (h′/h) z/σ.
        Partials {
            value: sd.ln() + log_ei_unit(z),
            by_mean: slope / sd,
            by_sd: (1.0 - slope * z) / sd,
        }
    }
}

impl Function for LogExpectedImprovement {
    fn value(&self, rows: &Points) -> Vec<f64> {
        values_by(&self.posterior.predict(rows), |mean, sd| {
            self.partials(mean, sd)
        })
    }

    /// Improvement is to be expected the more, the larger the deviation: of larger deviations it is a bound.
    fn preview(&self) -> Option<Box<dyn Function>> {
        Some(Box::new(Self {
            posterior: Arc::from(self.posterior.preview()?),
            best: self.best,
        }))
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let at = self.posterior.predict_with_gradient(rows)?;
        Some(gradients_by(at, |mean, sd| self.partials(mean, sd)))
    }
}

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
        values_by(&self.posterior.predict(rows), |mean, sd| {
            self.partials(mean, sd)
        })
    }

    fn preview(&self) -> Option<Box<dyn Function>> {
        // With width 0 deviations do not matter, and there is nothing to save.
        let posterior = if self.width > 0.0 {
            self.posterior.preview()
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
        Some(gradients_by(at, |mean, sd| self.partials(mean, sd)))
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

/// Beyond so many standard deviations the logarithm is a parabola; the limit keeps it finite.
const FARTHEST: f64 = 1e6;

/// A function plus the logarithm of the chance that no slack is negative: with the log of the expected improvement this is the
/// expected feasible improvement (Schonlau et al. 1998, Gardner et al. 2014).
pub struct ProbabilityOfFeasibility {
    /// The function; none where the chance alone counts.
    pub inner: Option<Box<dyn Function>>,
    /// The models of the slacks.
    pub slacks: Vec<Arc<dyn Posterior>>,
}

fn feasibility(mean: f64, sd: f64) -> Partials {
    let sd = sd.max(SMALLEST_SD);
    let z = (mean / sd).clamp(-FARTHEST, FARTHEST);
    let slope = if z > 30.0 { 0.0 } else { mills(-z).recip() };
    Partials {
        value: log_normal_cdf(z),
        by_mean: slope / sd,
        by_sd: -slope * z / sd,
    }
}

impl Function for ProbabilityOfFeasibility {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let mut values = match &self.inner {
            Some(inner) => inner.value(rows),
            None => vec![0.0; rows.len()],
        };
        for slack in &self.slacks {
            let chances = values_by(&slack.predict(rows), feasibility);
            add_scaled(&mut values, 1.0, &chances);
        }
        values
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let (mut values, mut gradient) = match &self.inner {
            Some(inner) => inner.value_and_gradient(rows)?,
            None => (vec![0.0; rows.len()], Points::zeros(rows.dim(), rows.len())),
        };
        for slack in &self.slacks {
            let (chances, slopes) = gradients_by(slack.predict_with_gradient(rows)?, feasibility);
            add_scaled(&mut values, 1.0, &chances);
            add_scaled(gradient.as_mut_slice(), 1.0, slopes.as_slice());
        }
        Some((values, gradient))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::testing::{Quadratic, assert_gradient, smooth};
    use crate::linalg::testing::assert_near;

    /// `E[max(f − best, 0)]` by the trapezoidal rule on ±12 standard deviations.
    fn improvement_by_quadrature(mean: f64, sd: f64, best: f64) -> f64 {
        let steps = 200_000;
        let h = 24.0 / steps as f64;
        let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
        (0..=steps)
            .map(|i| -12.0 + i as f64 * h)
            .map(|z| (mean + sd * z - best).max(0.0) * density(z) * h)
            .sum()
    }

    fn improving_on(best: f64) -> LogExpectedImprovement {
        let posterior = Arc::new(Quadratic);
        LogExpectedImprovement { posterior, best }
    }

    #[test]
    fn value_is_the_integral() {
        let row = [0.4, -0.3];
        for best in [-0.9, -0.2, 0.3] {
            let (mean, sd) = (Quadratic::mean(&row), Quadratic::sd(&row));
            let found = improving_on(best).value(&Points::from_rows(2, [row]));
            assert_near(
                &found,
                &[improvement_by_quadrature(mean, sd, best).ln()],
                1e-6,
            );
        }
    }

    #[test]
    fn gradient_agrees_with_differences_even_where_improvement_is_hopeless() {
        for best in [-1.0, 0.0, 2.0, 40.0] {
            assert_gradient(&improving_on(best), &[0.3, -0.6], 1e-6);
        }
    }

    #[test]
    fn a_certain_loss_is_worse_than_any_chance_and_never_nan() {
        let value = improving_on(1.0).partials(0.0, 0.0).value;
        assert!(!value.is_nan() && value < -1e6);
    }

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

    #[test]
    fn it_is_the_log_of_the_product_of_the_chances() {
        let row = [0.4, -0.3];
        let (mean, sd) = (Quadratic::mean(&row), Quadratic::sd(&row));
        let slacks: Vec<Arc<dyn Posterior>> = vec![Arc::new(Quadratic), Arc::new(Quadratic)];
        let chance = ProbabilityOfFeasibility {
            inner: None,
            slacks,
        };
        // P(both) of independent slacks, by the error function of libm.
        let single = 0.5 * libm::erfc(-mean / sd / std::f64::consts::SQRT_2);
        assert!((chance.value(&Points::from_rows(2, [row]))[0] - 2.0 * single.ln()).abs() < 1e-9);
    }

    #[test]
    fn the_gradient_of_the_chance_agrees_with_differences() {
        let inner = smooth(|x| x[0] * x[1], |x| vec![x[1], x[0]]);
        let chance = ProbabilityOfFeasibility {
            inner: Some(Box::new(inner)),
            slacks: vec![Arc::new(Quadratic)],
        };
        for x in [[0.4, -0.3], [0.9, 0.8], [0.0, 0.1]] {
            assert_gradient(&chance, &x, 1e-5);
        }
    }

    #[test]
    fn hopeless_and_certain_slacks_stay_finite() {
        for (mean, sd) in [(-1e300, 0.0), (1e300, 0.0), (-50.0, 1.0), (0.0, 0.0)] {
            let at = feasibility(mean, sd);
            assert!(
                at.value.is_finite() && !at.by_mean.is_nan() && !at.by_sd.is_nan(),
                "{mean} {sd}: {at:?}"
            );
        }
    }
}
