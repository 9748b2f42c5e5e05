//! The tangent posterior's covariance `λ g(x)ᵀ U⁻¹ g(x′) / m` with `U = λI + G Gᵀ/m` (line 3 of Algorithm 1), computed three ways.
//!
//! | way | state | a new observation | σ² of a point | a sample |
//! | --- | --- | --- | --- | --- |
//! | [`Dual`] | O(t²) | O(t² + tLm) | O(t² + tLm) | O(t² + tp) |
//! | [`Dense`] | O(p²) | O(p²) | O(p²) | O(p²) |
//! | [`Diagonal`] | O(p) | O(p) | O(p) | O(p), approximate |
//!
//! Symbols: `t` observations, `p` parameters, `m` width, `L` layers, `G` the p×t matrix of tangent features, `K = GᵀG/m`.

mod dense;
mod diagonal;
mod dual;

pub use dense::Dense;
pub use diagonal::Diagonal;
pub use dual::{Dual, MOST_OBSERVATIONS};

use neuralbo::linalg::{NotPositiveDefinite, Real, Rng};
use neuralbo::net::Features;

/// Which of the three ways to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CovarianceKind {
    /// Chosen from `t` and `p`, see [`CovarianceKind::resolve`].
    Auto,
    /// Exact, with a growing Cholesky factor of `K + λI`.
    Dual,
    /// Exact, with a Cholesky factor of `U` under rank-one updates: the paper's own form.
    Dense,
    /// The diagonal of `U` only, as neural bandits do.
    Diagonal,
}

/// Memory that the dense factor may take where the choice is automatic.
const DENSE_MEMORY: usize = 256 << 20;

impl CovarianceKind {
    /// The way to use for `t` observations and `p` parameters: the smaller of the two exact factors, the dense one only where it
    /// takes at most 256 MiB (about 5,800 parameters).
    pub fn resolve(self, t: usize, p: usize) -> Self {
        let dense = p.saturating_mul(p).saturating_mul(size_of::<f64>());
        match self {
            Self::Auto if t > p && dense <= DENSE_MEMORY => Self::Dense,
            Self::Auto => Self::Dual,
            kind => kind,
        }
    }
}

/// The covariance of the tangent posterior, by one of the three ways.
#[derive(Clone, Debug)]
pub enum FeatureCovariance<T> {
    /// See [`Dual`].
    Dual(Dual<T>),
    /// See [`Dense`].
    Dense(Dense),
    /// See [`Diagonal`].
    Diagonal(Diagonal),
}

impl<T: Real> FeatureCovariance<T> {
    /// The prior of `p` parameters: no observations yet. `kind` must be resolved.
    pub fn new(kind: CovarianceKind, p: usize, lambda: f64) -> Self {
        match kind {
            CovarianceKind::Dense => Self::Dense(Dense::new(p, lambda)),
            CovarianceKind::Diagonal => Self::Diagonal(Diagonal::new(p, lambda)),
            CovarianceKind::Dual | CovarianceKind::Auto => Self::Dual(Dual::new(p, lambda)),
        }
    }

    /// Adds observations with these features.
    pub fn append(&mut self, features: &Features<T>) -> Result<(), NotPositiveDefinite> {
        match self {
            Self::Dual(dual) => dual.append(features),
            Self::Dense(dense) => dense.append(features),
            Self::Diagonal(diagonal) => diagonal.append(features),
        }
    }

    /// `σ²(x) = λ g(x)ᵀ U⁻¹ g(x) / m` of every point (line 3 of Algorithm 1).
    pub fn variance(&self, features: &Features<T>) -> Vec<f64> {
        match self {
            Self::Dual(dual) => dual.variance(features),
            Self::Dense(dense) => dense.variance(features),
            Self::Diagonal(diagonal) => diagonal.variance(features),
        }
    }

    /// A draw of `w ~ N(0, λU⁻¹)`, so that `g(x)ᵀw/√m` has the posterior's covariance.
    pub fn sample(&self, rng: &mut Rng) -> Vec<f64> {
        match self {
            Self::Dual(dual) => dual.sample(rng),
            Self::Dense(dense) => dense.sample(rng),
            Self::Diagonal(diagonal) => diagonal.sample(rng),
        }
    }

    /// `rᵀ(K + λI)⁻¹r`, where the way keeps the data.
    pub fn quadratic_form(&self, r: &[f64]) -> Option<f64> {
        match self {
            Self::Dual(dual) => Some(dual.quadratic_form(r)),
            Self::Dense(_) | Self::Diagonal(_) => None,
        }
    }

    /// `G (K + λI)⁻¹ r / m`: the parameters' move that fits residuals `r` in the linearized network, where the way keeps the data;
    /// `None` for the others.
    pub fn ridge(&self, residuals: &[f64]) -> Option<Vec<f64>> {
        match self {
            Self::Dual(dual) => Some(dual.ridge(residuals)),
            Self::Dense(_) | Self::Diagonal(_) => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
