//! Gaussian moments of an activation.
//!
//! Glossary: `(u, v) ~ N(0, [[p, k], [k, q]])`; `θ` — the angle with cos θ = k/√(pq); ρ = cos θ.

use super::quadrature::NormalQuadrature;
use neuralbo::net::Activation;
use std::f64::consts::PI;

/// `E φ(u)φ(v)` and `E φ′(u)φ′(v)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// `E φ(u)φ(v)`.
    pub value: f64,
    /// `E φ′(u)φ′(v)`.
    pub slope: f64,
}

/// The covariance of `(u, v)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairCovariance {
    pub(super) p: f64,
    pub(super) q: f64,
    pub(super) k: f64,
}

impl PairCovariance {
    /// ρ within [−1, 1] in spite of rounding; 0 when a variance vanishes, where it does not matter.
    fn correlation(&self) -> f64 {
        let scale = self.p.sqrt() * self.q.sqrt();
        if scale > 0.0 {
            (self.k / scale).clamp(-1.0, 1.0)
        } else {
            0.0
        }
    }
}

/// Arc-cosine kernels of degree 1 and 0 (Cho and Saul, 2009), halved.
pub(super) fn relu(covariance: PairCovariance) -> Moments {
    let cosine = covariance.correlation();
    let angle = cosine.acos();
    let scale = covariance.p.sqrt() * covariance.q.sqrt();
    let value = scale * (angle.sin() + (PI - angle) * cosine) / (2.0 * PI);
    Moments {
        value,
        slope: (PI - angle) / (2.0 * PI),
    }
}

/// Both moments by quadrature, with `u = √p s` and `v = √q (ρ s + √(1 − ρ²) t)`.
pub(super) fn by_quadrature(
    rule: &NormalQuadrature,
    phi: Activation,
    covariance: PairCovariance,
) -> Moments {
    let rho = covariance.correlation();
    let rest = (1.0 - rho * rho).sqrt();
    let (left, right) = (covariance.p.sqrt(), covariance.q.sqrt());
    let pair = |s: f64, t: f64| (left * s, right * (rho * s + rest * t));
    let product = |derivative: usize| {
        rule.expect_pair(|s, t| {
            let (u, v) = pair(s, t);
            phi.evaluate(u)[derivative] * phi.evaluate(v)[derivative]
        })
    };
    Moments {
        value: product(0),
        slope: product(1),
    }
}
