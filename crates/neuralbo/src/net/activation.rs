//! Activations φ with two derivatives.

use crate::linalg::Real;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The activation φ of the hidden layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// `max(z, 0)`, the paper's.
    Relu,
    /// `z Φ(z)` with the normal distribution function Φ.
    Gelu,
    /// `tanh z`.
    Tanh,
    /// `ln(1 + eᶻ)`.
    Softplus,
    /// `sin z`.
    Sine,
    /// `erf z`.
    Erf,
}

impl Activation {
    /// All activations.
    pub const ALL: [Self; 6] = [Self::Relu, Self::Gelu, Self::Tanh, Self::Softplus, Self::Sine, Self::Erf];

    /// φ, φ′ and φ″ at `z`.
    pub fn evaluate(self, z: f64) -> [f64; 3] {
        match self {
            Self::Relu => [z.max(0.0), if z > 0.0 { 1.0 } else { 0.0 }, 0.0],
            Self::Gelu => gelu(z),
            Self::Tanh => {
                let t = z.tanh();
                let slope = 1.0 - t * t;
                [t, slope, -2.0 * t * slope]
            }
            Self::Softplus => {
                let s = 1.0 / (1.0 + (-z).exp());
                [z.max(0.0) + (-z.abs()).exp().ln_1p(), s, s * (1.0 - s)]
            }
            Self::Sine => [z.sin(), z.cos(), -z.sin()],
            Self::Erf => {
                let slope = 2.0 / PI.sqrt() * (-z * z).exp();
                [libm::erf(z), slope, -2.0 * z * slope]
            }
        }
    }

    /// Replaces each `z` by `φ(z)`.
    pub(crate) fn apply<T: Real>(self, z: &mut [T]) {
        match self {
            Self::Relu => z.iter_mut().for_each(|z| *z = z.max(T::zero())),
            _ => z.iter_mut().for_each(|z| *z = T::from_f64(self.evaluate(z.widen())[0])),
        }
    }

    /// Replaces each `z` by `φ(z)` and writes `φ′(z)`, and `φ″(z)` where asked for.
    pub(crate) fn apply_with_derivatives<T: Real>(self, z: &mut [T], slope: &mut [T], curvature: Option<&mut [T]>) {
        if self == Self::Relu {
            for (z, slope) in z.iter_mut().zip(slope) {
                *slope = if *z > T::zero() { T::one() } else { T::zero() };
                *z = z.max(T::zero());
            }
            return;
        }
        let mut no_curvature = Vec::new();
        let curvature = curvature.unwrap_or_else(|| {
            no_curvature.resize(z.len(), T::zero());
            &mut no_curvature
        });
        for ((z, slope), curvature) in z.iter_mut().zip(slope).zip(curvature) {
            let [value, first, second] = self.evaluate(z.widen());
            (*z, *slope, *curvature) = (T::from_f64(value), T::from_f64(first), T::from_f64(second));
        }
    }
}

fn gelu(z: f64) -> [f64; 3] {
    let cdf = 0.5 * libm::erfc(-z * FRAC_1_SQRT_2);
    let pdf = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    [z * cdf, cdf + z * pdf, (2.0 - z * z) * pdf]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_match_finite_differences() {
        for activation in Activation::ALL {
            for z in [-3.1, -0.7, 0.2, 1.9, 4.4] {
                let h = 1e-5;
                let (up, down) = (activation.evaluate(z + h), activation.evaluate(z - h));
                let [_, slope, curvature] = activation.evaluate(z);
                assert!(((up[0] - down[0]) / (2.0 * h) - slope).abs() < 1e-8, "{activation:?} at {z}");
                assert!(((up[1] - down[1]) / (2.0 * h) - curvature).abs() < 1e-8, "{activation:?} at {z}");
            }
        }
    }
}
