//! The tangent posterior's covariance `λ g(x)ᵀ U⁻¹ g(x′) / m` with `U = λI + G Gᵀ/m`, computed four ways.
//!
//! | way | state | a new observation | σ² of a point | a sample |
//! | --- | --- | --- | --- | --- |
//! | [`Dual`] | O(t²) | O(t² + tLm) | O(t² + tLm) | O(t² + tp) |
//! | [`Iterative`] | O(td + tr) | O(rLm + r³) | O(i·tp) | O(i·tp) |
//! | [`Dense`] | O(p²) | O(p²) | O(p²) | O(p²) |
//! | [`Diagonal`] | O(p) | O(p) | O(p) | O(p), approximate |
//!
//! Symbols: `t` observations, `p` parameters, `m` width, `L` layers, `r` landmarks and `i` iterations of the preconditioned
//! conjugate gradients, `G` the p×t matrix of tangent features, `K = GᵀG/m`.

mod dense;
mod diagonal;
mod dual;
mod iterative;
mod nystrom;
mod relu;

pub use dense::Dense;
pub use diagonal::Diagonal;
pub use dual::Dual;
pub use iterative::{Iterative, SolveSettings};

use crate::linalg::{NotPositiveDefinite, Real, Rng};
use crate::net::{Features, Mlp};
use serde::{Deserialize, Serialize};

/// Which of the four ways to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CovarianceKind {
    /// Chosen from `t`, `p` and the memory allowed, see [`CovarianceKind::resolve`].
    Auto,
    /// Exact, with a growing Cholesky factor of `K + λI`.
    Dual,
    /// Exact up to a tolerance, at a memory of O(td).
    Iterative,
    /// Exact, with a Cholesky factor of `U` under rank-one updates: the paper's own form.
    Dense,
    /// The diagonal of `U` only, as neural bandits do.
    Diagonal,
}

/// Memory a factor may take before the iterative way, which is twice as slow, is chosen.
pub const FACTOR_MEMORY: usize = 256 << 20;

impl CovarianceKind {
    /// The way to use for `t` observations and `p` parameters: the smaller of the two exact factors while it fits in
    /// [`FACTOR_MEMORY`], else the iterative one.
    pub fn resolve(self, t: usize, p: usize) -> Self {
        if self != Self::Auto {
            return self;
        }
        let fits = |numbers: usize| numbers.saturating_mul(size_of::<f64>()) <= FACTOR_MEMORY;
        let square = |n: usize| n.saturating_mul(n);
        match (t <= p, fits(square(t) / 2), fits(square(p))) {
            (true, true, _) => Self::Dual,
            (false, _, true) => Self::Dense,
            _ => Self::Iterative,
        }
    }
}

/// The covariance of the tangent posterior, by one of the four ways.
#[derive(Clone, Debug)]
pub enum Covariance<T> {
    /// See [`Dual`].
    Dual(Dual<T>),
    /// See [`Iterative`].
    Iterative(Iterative<T>),
    /// See [`Dense`].
    Dense(Dense),
    /// See [`Diagonal`].
    Diagonal(Diagonal),
}

impl<T: Real> Covariance<T> {
    /// The prior: no observations yet. `kind` must be resolved.
    pub fn new(
        kind: CovarianceKind,
        feature_net: &Mlp<T>,
        lambda: f64,
        solve: SolveSettings,
    ) -> Self {
        let p = feature_net.theta().len();
        match kind {
            CovarianceKind::Dense => Self::Dense(Dense::new(p, lambda)),
            CovarianceKind::Diagonal => Self::Diagonal(Diagonal::new(p, lambda)),
            CovarianceKind::Iterative => {
                Self::Iterative(Iterative::new(feature_net.clone(), lambda, solve))
            }
            CovarianceKind::Dual | CovarianceKind::Auto => Self::Dual(Dual::new(p, lambda)),
        }
    }

    /// Adds observations with these features.
    pub fn append(&mut self, features: &Features<T>) -> Result<(), NotPositiveDefinite> {
        match self {
            Self::Dual(dual) => dual.append(features),
            Self::Iterative(iterative) => iterative.append(features),
            Self::Dense(dense) => dense.append(features),
            Self::Diagonal(diagonal) => diagonal.append(features),
        }
    }

    /// `σ²(x) = λ g(x)ᵀ U⁻¹ g(x) / m` of every point (line 3 of Algorithm 1).
    pub fn variance(&self, features: &Features<T>) -> Vec<f64> {
        match self {
            Self::Dual(dual) => dual.variance(features),
            Self::Iterative(iterative) => iterative.variance(features),
            Self::Dense(dense) => dense.variance(features),
            Self::Diagonal(diagonal) => diagonal.variance(features),
        }
    }

    /// A draw of `w ~ N(0, λU⁻¹)`, so that `g(x)ᵀw/√m` has the posterior's covariance.
    pub fn sample(&self, rng: &mut Rng) -> Vec<f64> {
        match self {
            Self::Dual(dual) => dual.sample(rng),
            Self::Iterative(iterative) => iterative.sample(rng),
            Self::Dense(dense) => dense.sample(rng),
            Self::Diagonal(diagonal) => diagonal.sample(rng),
        }
    }

    /// `G (K + λI)⁻¹ r / m`: the parameters' move that fits residuals `r` in the linearized network, for the ways that keep the
    /// data; `None` for the others.
    pub fn ridge(&self, residuals: &[f64]) -> Option<Vec<f64>> {
        match self {
            Self::Dual(dual) => Some(dual.ridge(residuals)),
            Self::Iterative(iterative) => Some(iterative.ridge(residuals)),
            Self::Dense(_) | Self::Diagonal(_) => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
