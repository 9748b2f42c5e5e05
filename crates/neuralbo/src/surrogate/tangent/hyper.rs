//! Hyper-parameters of the tangent model; the amplitude is not among them, it has a closed form.

/// Scales, trend weights and noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyper {
    /// Natural logarithm of the scale `s` of each coordinate.
    pub log_scales: Vec<f64>,
    /// `ln τ₁`.
    pub log_linear: f64,
    /// `ln τ₂`.
    pub log_quadratic: f64,
    /// `ln ρ`.
    pub log_noise: f64,
}

impl Hyper {
    /// The same scale for every coordinate, trends as strong as the network, little noise.
    pub fn start(dim: usize) -> Self {
        let scale = 2.0 / (dim as f64).sqrt();
        Self { log_scales: vec![scale.ln(); dim], log_linear: 0.0, log_quadratic: 0.0, log_noise: (1e-4f64).ln() }
    }

    /// The same with every scale multiplied by `factor`.
    pub fn rescaled(&self, factor: f64) -> Self {
        let log_scales = self.log_scales.iter().map(|s| s + factor.ln()).collect();
        Self { log_scales, ..self.clone() }
    }
}
