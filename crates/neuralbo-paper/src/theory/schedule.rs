//! The settings of Theorem 1.
//!
//! Glossary: `B` — bound on the RKHS norm of f; `R` — sub-Gaussian parameter of the noise; `α` — probability of failure; `λ` —
//! regularization, `1 + 1/T` in the theorem; `m` — width; `L` — layers; `T` — rounds.

use neuralbo::linalg::{SettingError, at_least_one, not_negative, positive, require};

/// A probability strictly between 0 and 1.
fn probability(field: &'static str, value: f64) -> Result<(), SettingError> {
    let allowed = "between 0 and 1, both excluded";
    require(field, value, value > 0.0 && value < 1.0, allowed)
}

/// `ν = √2 B + (R/√λ) √(2 log(1/α))` (Theorem 1).
///
/// ```
/// let width = neuralbo_paper::theory::confidence_width(1.0, 0.0, 0.1, 1.0)?;
/// assert!((width - 2.0_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), neuralbo::linalg::SettingError>(())
/// ```
pub fn confidence_width(
    norm_bound: f64,
    noise: f64,
    alpha: f64,
    lambda: f64,
) -> Result<f64, SettingError> {
    not_negative("norm_bound", norm_bound)?;
    not_negative("noise", noise)?;
    probability("alpha", alpha)?;
    positive("lambda", lambda)?;
    Ok(2.0_f64.sqrt() * norm_bound + noise / lambda.sqrt() * (-2.0 * alpha.ln()).sqrt())
}

/// `η = (mλ + mLT)⁻¹` (Theorem 1).
///
/// ```
/// assert_eq!(neuralbo_paper::theory::learning_rate(10, 2, 4, 2.0)?, 0.01);
/// # Ok::<(), neuralbo::linalg::SettingError>(())
/// ```
pub fn learning_rate(
    width: usize,
    layers: usize,
    rounds: usize,
    lambda: f64,
) -> Result<f64, SettingError> {
    at_least_one("width", width)?;
    positive("lambda", lambda)?;
    Ok(1.0 / (width as f64 * (lambda + layers as f64 * rounds as f64)))
}

/// `J = (1 + LT/λ)(1 + log(T³ L λ⁻¹ log(1/α)))` (Theorem 1), to be rounded up; not positive when α is so near 1 that the theorem
/// promises next to nothing.
///
/// ```
/// let steps = neuralbo_paper::theory::descent_steps(1, 1, (-1.0_f64).exp(), 1.0)?;
/// assert!((steps - 2.0).abs() < 1e-12);
/// # Ok::<(), neuralbo::linalg::SettingError>(())
/// ```
pub fn descent_steps(
    layers: usize,
    rounds: usize,
    alpha: f64,
    lambda: f64,
) -> Result<f64, SettingError> {
    at_least_one("layers", layers)?;
    at_least_one("rounds", rounds)?;
    probability("alpha", alpha)?;
    positive("lambda", lambda)?;
    let (layers, rounds) = (layers as f64, rounds as f64);
    let accuracy = rounds.powi(3) * layers / lambda * -alpha.ln();
    Ok((1.0 + layers * rounds / lambda) * (1.0 + accuracy.ln()))
}
