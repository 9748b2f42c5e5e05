//! Analytic posteriors and checks shared by the tests of acquisitions and strategies.

use super::{Avoid, Penalty, Probability};
use crate::linalg::Points;
use crate::linalg::testing::differences;
use crate::space::Space;
use crate::surrogate::{Function, Posterior, Prediction, PredictionGradient};

/// The space of `dim` numbers from −1 to 1.
pub(crate) fn cube(dim: usize) -> Space {
    Space::from_bounds(&vec![(-1.0, 1.0); dim]).unwrap()
}

/// The space of some parameters.
pub(crate) fn parse(parameters: &[&str]) -> Space {
    Space::new(parameters.iter().map(|p| p.parse().unwrap()).collect()).unwrap()
}

/// A quadratic mean with its top at 0.2 in every coordinate, less certain away from the origin.
pub(crate) struct Quadratic;

impl Quadratic {
    pub(crate) fn mean(x: &[f64]) -> f64 {
        -x.iter().map(|v| (v - 0.2) * (v - 0.2)).sum::<f64>()
    }

    pub(crate) fn sd(x: &[f64]) -> f64 {
        0.1 + 0.5 * x.iter().map(|v| v * v).sum::<f64>()
    }
}

impl Posterior for Quadratic {
    fn predict(&self, rows: &Points) -> Prediction {
        Prediction {
            mean: rows.rows().map(Quadratic::mean).collect(),
            sd: rows.rows().map(Quadratic::sd).collect(),
        }
    }

    fn predict_with_gradient(&self, rows: &Points) -> Option<PredictionGradient> {
        let gradient = |by: fn(f64) -> f64| {
            Points::from_rows(
                rows.dim(),
                rows.rows()
                    .map(|x| x.iter().map(|&v| by(v)).collect::<Vec<_>>()),
            )
        };
        Some(PredictionGradient {
            prediction: self.predict(rows),
            mean_gradient: gradient(|v| -2.0 * (v - 0.2)),
            sd_gradient: gradient(|v| v),
        })
    }
}

/// A function given by a closure and, where known, its gradient.
pub(crate) struct Closure<F, G = fn(&[f64]) -> Vec<f64>> {
    pub value: F,
    pub gradient: Option<G>,
}

impl<F: Fn(&[f64]) -> f64 + Send + Sync, G: Fn(&[f64]) -> Vec<f64> + Send + Sync> Function
    for Closure<F, G>
{
    fn value(&self, rows: &Points) -> Vec<f64> {
        rows.rows().map(&self.value).collect()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let gradient = self.gradient.as_ref()?;
        Some((
            self.value(rows),
            Points::from_rows(rows.dim(), rows.rows().map(gradient)),
        ))
    }
}

/// A closure without a gradient.
pub(crate) fn plain<F: Fn(&[f64]) -> f64 + Send + Sync>(value: F) -> Closure<F> {
    Closure {
        value,
        gradient: None,
    }
}

/// A closure with its gradient.
pub(crate) fn smooth<F, G>(value: F, gradient: G) -> Closure<F, G>
where
    F: Fn(&[f64]) -> f64 + Send + Sync,
    G: Fn(&[f64]) -> Vec<f64> + Send + Sync,
{
    Closure {
        value,
        gradient: Some(gradient),
    }
}

/// Compares gradients of a function that avoids something with central differences.
pub(crate) fn assert_avoiding_gradient(what: impl Probability + 'static, tolerance: f64) {
    let avoiding = Avoid {
        inner: Box::new(smooth(|x| x[0] - 2.0 * x[1], |_| vec![1.0, -2.0])),
        probability: Box::new(what),
        penalty: Penalty {
            reference: 0.3,
            loss: 3.0,
            steepness: 2.0,
        },
    };
    for x in [[0.05, 0.3], [-0.2, -0.9], [0.6, 0.6]] {
        assert_gradient(&avoiding, &x, tolerance);
    }
}

/// Compares the gradient at `x` with central differences and the value with [`Function::value`].
pub(crate) fn assert_gradient(function: &dyn Function, x: &[f64], tolerance: f64) {
    let here = Points::from_rows(x.len(), [x]);
    let (value, gradient) = function.value_and_gradient(&here).unwrap();
    assert!((value[0] - function.value(&here)[0]).abs() <= 1e-12 * (1.0 + value[0].abs()));
    let value_at = |x: &[f64]| function.value(&Points::from_rows(x.len(), [x]))[0];
    for (found, expected) in gradient.row(0).iter().zip(differences(x, value_at)) {
        let error = (found - expected).abs();
        let context = format!("{found} against {expected} at {x:?}");
        assert!(error < tolerance * (1.0 + expected.abs()), "{context}");
    }
}
