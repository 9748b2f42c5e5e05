//! The settings of Theorem 1, what it promises, the information gain it depends on, and the regret of a run.
//!
//! Glossary: `B` — bound on the RKHS norm of f; `R` — sub-Gaussian parameter of the noise; `α` — probability of failure; `λ` —
//! regularization, `1 + 1/T` in the theorem; `m` — width; `L` — layers; `T` — rounds; `γ_T` — maximum information gain; `|D_T|` —
//! size of the discretization; `a ≤ ‖x‖ ≤ b` — norms of the inputs; `C₁`, `C₂` — the theorem's absolute constants, which it does
//! not state.

use std::f64::consts::PI;

use faer::{Mat, MatRef};
use neuralbo::linalg::{Cholesky, SettingError, at_least_one, not_negative, positive, require};

/// The arguments of Theorem 1's bound.
///
/// ```
/// use neuralbo_paper::theory::RegretBound;
///
/// let bound = |rounds, gain| RegretBound {
///     norm_bound: 1.0, noise: 0.1, alpha: 0.1, lambda: 1.0, layers: 2, rounds, information_gain: gain,
///     log_discretization: 10.0, input_norms: (1.0, 2.0), constants: (1.0, 1.0),
/// };
/// assert!(bound(200, 5.0).value()? > bound(100, 5.0).value()?);
/// # Ok::<(), neuralbo::linalg::SettingError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegretBound {
    /// `B`.
    pub norm_bound: f64,
    /// `R`.
    pub noise: f64,
    /// `α`.
    pub alpha: f64,
    /// `λ`.
    pub lambda: f64,
    /// `L`.
    pub layers: usize,
    /// `T`.
    pub rounds: usize,
    /// `γ_T`.
    pub information_gain: f64,
    /// `log |D_T|`, see [`log_discretization_size`].
    pub log_discretization: f64,
    /// `(a, b)`.
    pub input_norms: (f64, f64),
    /// `(C₁, C₂)`.
    pub constants: (f64, f64),
}

impl RegretBound {
    /// `C₁(1+c_T) ν_T √L √(λBT/log(B+1) · (2γ_T+1)) + (4 + C₂(1+c_T) ν_T L) √(2 log(1/α) T) + (2B+1)π²/6 + b(a²+b²)/a³`
    /// (Theorem 1).
    pub fn value(&self) -> Result<f64, SettingError> {
        self.check()?;
        let (layers, rounds) = (self.layers as f64, self.rounds as f64);
        let width = confidence_width(self.norm_bound, self.noise, self.alpha, self.lambda)?;
        let spread = (1.0 + self.sampling_width()) * width;
        let ratio = self.norm_bound / self.norm_bound.ln_1p();
        let variances = (self.lambda * ratio * rounds * (2.0 * self.information_gain + 1.0)).sqrt();
        let learning = self.constants.0 * spread * layers.sqrt() * variances;
        let deviation =
            (4.0 + self.constants.1 * spread * layers) * (-2.0 * self.alpha.ln() * rounds).sqrt();
        let (a, b) = self.input_norms;
        Ok(learning
            + deviation
            + (2.0 * self.norm_bound + 1.0) * PI * PI / 6.0
            + b * (a * a + b * b) / a.powi(3))
    }

    /// `c_T = √(4 log T + 2 log |D_T|)` (the lemma on the sampled function's distance from the network).
    pub fn sampling_width(&self) -> f64 {
        (4.0 * (self.rounds as f64).ln() + 2.0 * self.log_discretization).sqrt()
    }

    /// What [`confidence_width`] does not check.
    fn check(&self) -> Result<(), SettingError> {
        positive("norm_bound", self.norm_bound)?;
        at_least_one("layers", self.layers)?;
        at_least_one("rounds", self.rounds)?;
        not_negative("information_gain", self.information_gain)?;
        not_negative("log_discretization", self.log_discretization)?;
        not_negative("constants.0", self.constants.0)?;
        not_negative("constants.1", self.constants.1)?;
        let (a, b) = self.input_norms;
        positive("input_norms.0", a)?;
        positive("input_norms.1", b)?;
        require("input_norms.0", a, a <= b, "at most input_norms.1")
    }
}

/// `I(y; f) = ½ log det(I + H/λ)` of points with kernel matrix `H` (section "Maximum Information Gain"), a lower bound on γ_t
/// (Chowdhury and Gopalan, 2017, Lemma 3).
///
/// ```
/// let gain = neuralbo_paper::theory::information_gain(faer::mat![[3.0]].as_ref(), 1.0)?;
/// assert!((gain - 0.5 * 4.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), neuralbo::linalg::SettingError>(())
/// ```
pub fn information_gain(kernel: MatRef<'_, f64>, lambda: f64) -> Result<f64, SettingError> {
    positive("lambda", lambda)?;
    let size = kernel.nrows();
    let shifted = Mat::<f64>::identity(size, size) + kernel * faer::Scale(1.0 / lambda);
    let factor = Cholesky::factor(shifted.as_ref()).map_err(|_| SettingError {
        field: "kernel",
        value: format!("{size} × {size} matrix"),
        allowed: "positive semidefinite",
    })?;
    Ok(0.5 * factor.log_det())
}

/// `log |D_t| = d log((b − a) B C_lip t²)` (proof of Theorem 1) for `norm_range` b − a, not below 0: a discretization holds a
/// point.
///
/// ```
/// let log_size = neuralbo_paper::theory::log_discretization_size(2.0, 1.0, 2.0, 5, 3);
/// assert!((log_size - 3.0 * 100.0_f64.ln()).abs() < 1e-12);
/// ```
pub fn log_discretization_size(
    norm_range: f64,
    norm_bound: f64,
    lipschitz: f64,
    round: usize,
    dim: usize,
) -> f64 {
    let steps = norm_range * norm_bound * lipschitz * (round as f64).powi(2);
    (dim as f64 * steps.ln()).max(0.0)
}

/// `R_t = Σ_{i ≤ t} (f(x*) − f(x_i))` for each t, from the largest noise-free reward and the noise-free rewards of a run.
///
/// ```
/// assert_eq!(neuralbo_paper::theory::cumulative_regret(3.0, &[1.0, 2.5, 3.0]), [2.0, 2.5, 2.5]);
/// ```
pub fn cumulative_regret(optimum: f64, rewards: &[f64]) -> Vec<f64> {
    let mut total = 0.0;
    let add = |reward: &f64| {
        total += optimum - reward;
        total
    };
    rewards.iter().map(add).collect()
}

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
