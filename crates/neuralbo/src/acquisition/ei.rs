//! Expected improvement, in its log form.
//!
//! Symbols: `μ`, `σ` predicted mean and standard deviation, `f*` the reward to improve on, `z = (μ − f*)/σ`,
//! `h(z) = φ(z) + z Φ(z)`, so that `EI = σ h(z)` and `h′ = Φ`.

use std::sync::Arc;

use super::analytic::{self, Partials};
use crate::linalg::{Points, log_ei_unit, log_ei_unit_slope};
use crate::surrogate::{Function, Posterior};

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
        analytic::values(&self.posterior.predict(rows), |mean, sd| {
            self.partials(mean, sd)
        })
    }

    /// Improvement is to be expected the more, the larger the deviation.
    fn bound(&self) -> Option<Box<dyn Function>> {
        Some(Box::new(Self {
            posterior: Arc::from(self.posterior.optimistic()?),
            best: self.best,
        }))
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let at = self.posterior.predict_with_gradient(rows)?;
        Some(analytic::values_and_gradients(at, |mean, sd| {
            self.partials(mean, sd)
        }))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::acquisition::testing::{Quadratic, assert_gradient};
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
}
