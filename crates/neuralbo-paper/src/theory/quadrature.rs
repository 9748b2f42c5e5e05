//! Gauss–Hermite quadrature for the standard normal distribution.

use faer::{Mat, Side};

/// Nodes and weights with `E f(z) ≈ Σ wᵢ f(zᵢ)` for z ~ N(0, 1), exact for polynomials of degree below `2 · len`.
#[derive(Clone, Debug)]
pub(super) struct NormalQuadrature {
    nodes: Vec<(f64, f64)>,
}

impl NormalQuadrature {
    /// Golub and Welsch (1969): the nodes are the eigenvalues of the recurrence matrix of the Hermite polynomials, with √k
    /// beside its zero diagonal, and the weights the squared first components of its eigenvectors. `None` if the
    /// eigenvalue iteration does not converge.
    pub(super) fn new(len: usize) -> Option<Self> {
        let recurrence = Mat::from_fn(len, len, |i, j| {
            if i.abs_diff(j) == 1 {
                (i.max(j) as f64).sqrt()
            } else {
                0.0
            }
        });
        let eigen = recurrence.self_adjoint_eigen(Side::Lower).ok()?;
        let (values, vectors) = (eigen.S().column_vector(), eigen.U());
        Some(Self {
            nodes: (0..len)
                .map(|i| (values[i], vectors[(0, i)] * vectors[(0, i)]))
                .collect(),
        })
    }

    /// `E f(s, t)` for independent standard normal `s` and `t`.
    pub(super) fn expect_pair(&self, f: impl Fn(f64, f64) -> f64) -> f64 {
        let inner = |s: f64| {
            self.nodes
                .iter()
                .map(|&(t, weight)| weight * f(s, t))
                .sum::<f64>()
        };
        self.nodes
            .iter()
            .map(|&(s, weight)| weight * inner(s))
            .sum()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn normal_moments_are_exact() {
        let rule = NormalQuadrature::new(8).unwrap();
        for (power, moment) in [
            (0, 1.0),
            (1, 0.0),
            (2, 1.0),
            (4, 3.0),
            (6, 15.0),
            (8, 105.0),
        ] {
            assert!(
                (rule.expect_pair(|s, _| s.powi(power)) - moment).abs()
                    < 1e-10 * f64::max(1.0, moment)
            );
        }
        assert!((rule.expect_pair(|s, t| s * s * t.powi(4)) - 3.0).abs() < 1e-11);
    }
}
