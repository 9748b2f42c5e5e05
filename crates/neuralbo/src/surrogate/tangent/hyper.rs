//! Hyper-parameters of the tangent model; the amplitude is not among them, it has a closed form.

use super::evidence::NOISY;

/// First noise `ρ` and first weight `γ` of the squared gap.
const NOISE: f64 = 1e-8;
const GAP: f64 = 1e-6;

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
    /// `ln γ`.
    pub log_gap: f64,
}

impl Hyper {
    /// Whether the noise is nearer to that of a noisy objective than to what rounding needs, as logarithms.
    pub(super) fn is_noisy(&self) -> bool {
        self.log_noise > 0.5 * (NOISE.ln() + NOISY.ln())
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
