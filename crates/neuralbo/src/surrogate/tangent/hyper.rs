//! Hyper-parameters of the tangent model; the amplitude is not among them, it has a closed form.

/// First noise `ρ` and first weight `γ` of the squared gap, without noise.
const NOISE: f64 = 1e-8;
const GAP: f64 = 1e-6;
/// First noise of an objective that has some.
const NOISY: f64 = 1e-3;
/// `ln ρ` from which an objective is noisy: half-way between the two.
pub(super) const LEAST_NOISE: f64 = -12.664;

/// Scale, trend weights and noise, as natural logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hyper {
    /// `ln s`.
    pub log_scale: f64,
    /// `ln τ₁`.
    pub log_linear: f64,
    /// `ln τ₂`.
    pub log_quadratic: f64,
    /// `ln τ₃`.
    pub log_diagonal: f64,
    /// `ln τ₄`.
    pub log_isotropic: f64,
    /// `ln ρ`.
    pub log_noise: f64,
    /// `ln γ`; minus infinity for a noisy objective.
    pub log_gap: f64,
}

impl Hyper {
    /// Whether they are those of a noisy objective, all of whose observations are equally precise.
    pub(super) fn is_noisy(&self) -> bool {
        self.log_gap == f64::NEG_INFINITY
    }

    /// The same with noise.
    pub(super) fn noisy(self) -> Self {
        Self {
            log_noise: NOISY.ln(),
            log_gap: f64::NEG_INFINITY,
            ..self
        }
    }

    /// Where the search for them starts and what the priors are centred at: pre-activations of order one whatever the
    /// dimension, slopes and a general quadratic as strong as the network, the quadratics of few coefficients weaker, no noise
    /// but what rounding needs.
    pub fn start(dim: usize) -> Self {
        let scale = 2.0 / (dim.max(1) as f64).sqrt();
        Self {
            log_scale: scale.ln(),
            log_linear: 0.0,
            log_quadratic: 0.0,
            log_diagonal: -2.0,
            log_isotropic: -2.0,
            log_noise: NOISE.ln(),
            log_gap: GAP.ln(),
        }
    }
}
