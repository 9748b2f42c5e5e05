//! The chance that all outcome constraints hold, as a logarithm.
//!
//! Symbols: `μ_j`, `σ_j` predicted mean and standard deviation of a slack, `z_j = μ_j/σ_j`, and `Σ_j ln Φ(z_j)`, with `(ln Φ)′ = φ/Φ = 1/R(−z)`
//! by the Mills ratio `R`.

use std::sync::Arc;

use super::analytic::{self, Partials};
use crate::linalg::{Points, log_normal_cdf, mills};
use crate::surrogate::{Function, Posterior};

/// Below this a standard deviation is rounding noise.
const SMALLEST_SD: f64 = 1e-150;
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

fn partials(mean: f64, sd: f64) -> Partials {
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
        let mut values = self
            .inner
            .as_ref()
            .map_or_else(|| vec![0.0; rows.len()], |inner| inner.value(rows));
        for slack in &self.slacks {
            let chances = analytic::values(&slack.predict(rows), partials);
            values
                .iter_mut()
                .zip(chances)
                .for_each(|(value, chance)| *value += chance);
        }
        values
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let (mut values, mut gradient) = match &self.inner {
            Some(inner) => inner.value_and_gradient(rows)?,
            None => (vec![0.0; rows.len()], Points::zeros(rows.dim(), rows.len())),
        };
        for slack in &self.slacks {
            let (chances, slopes) =
                analytic::values_and_gradients(slack.predict_with_gradient(rows)?, partials);
            values
                .iter_mut()
                .zip(chances)
                .for_each(|(value, chance)| *value += chance);
            gradient
                .as_mut_slice()
                .iter_mut()
                .zip(slopes.as_slice())
                .for_each(|(slot, slope)| *slot += slope);
        }
        Some((values, gradient))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::acquisition::testing::{Quadratic, assert_gradient, smooth};

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
    fn gradient_agrees_with_differences() {
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
            let at = partials(mean, sd);
            assert!(
                at.value.is_finite() && !at.by_mean.is_nan() && !at.by_sd.is_nan(),
                "{mean} {sd}: {at:?}"
            );
        }
    }
}
