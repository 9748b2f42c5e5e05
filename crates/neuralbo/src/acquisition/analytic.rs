//! The chain rule shared by acquisitions that are functions of the predicted mean and standard deviation.
//!
//! Symbols: `a(μ, σ)` the acquisition, `∇a = ∂a/∂μ ∇μ + ∂a/∂σ ∇σ`.

use crate::linalg::Points;
use crate::surrogate::{Prediction, PredictionGradient};

/// An acquisition and its partial derivatives at one (mean, sd).
#[derive(Clone, Copy, Debug)]
pub(super) struct Partials {
    pub value: f64,
    pub by_mean: f64,
    pub by_sd: f64,
}

/// The acquisition at each row of a prediction.
pub(super) fn values(prediction: &Prediction, rule: impl Fn(f64, f64) -> Partials) -> Vec<f64> {
    prediction
        .mean
        .iter()
        .zip(&prediction.sd)
        .map(|(&mean, &sd)| rule(mean, sd).value)
        .collect()
}

/// The acquisition and its gradient at each row of a prediction.
pub(super) fn values_and_gradients(
    at: PredictionGradient,
    rule: impl Fn(f64, f64) -> Partials,
) -> (Vec<f64>, Points) {
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
