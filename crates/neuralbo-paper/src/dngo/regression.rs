//! Bayesian linear regression on fixed features, for many hyper-parameters at once.
//!
//! | symbol | meaning |
//! | --- | --- |
//! | `n`, `D` | observations, features (the constant included) |
//! | `Φ` | `D × n` features, one column a point |
//! | `y` | targets, `y = Φᵀw + ε` |
//! | `α`, `β` | precisions of the prior `w ~ N(0, I/α)` and of the noise `ε ~ N(0, I/β)` |
//! | `A` | `αI + βΦΦᵀ`, the posterior precision of `w` |
//! | `V`, `λ` | `ΦΦᵀ = V diag(λ) Vᵀ` |
//! | `c` | `VᵀΦy` |
//!
//! `A` shares its eigenvectors with `ΦΦᵀ` whatever `α` and `β`: after one decomposition the evidence costs O(D).

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};
use neuralbo::linalg::product;
use std::f64::consts::PI;

/// The two hyper-parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precisions {
    /// Prior precision α of the weights.
    pub alpha: f64,
    /// Noise precision β.
    pub beta: f64,
}

/// Eigenvectors `V` and eigenvalues `λ` of a matrix of second moments `ΦΦᵀ`.
#[derive(Clone, Debug)]
pub(super) struct Spectrum {
    pub basis: Mat<f64>,
    pub values: Vec<f64>,
}

impl Spectrum {
    /// Decomposes `gram` on the calling thread; `None` when the iteration does not converge, which finite entries prevent.
    pub(super) fn of(gram: MatRef<'_, f64>) -> Option<Self> {
        let size = gram.nrows();
        let mut basis = Mat::zeros(size, size);
        let mut values = faer::diag::Diag::zeros(size);
        let scratch = self_adjoint_evd_scratch::<f64>(
            size,
            ComputeEigenvectors::Yes,
            Par::Seq,
            Default::default(),
        );
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        self_adjoint_evd(
            gram,
            values.as_mut(),
            Some(basis.as_mut()),
            Par::Seq,
            stack,
            Default::default(),
        )
        .ok()?;
        // Second moments have no negative eigenvalues; what rounding leaves below zero is zero.
        let values: Vec<f64> = values.column_vector().iter().map(|v| v.max(0.0)).collect();
        values
            .iter()
            .all(|v| v.is_finite())
            .then_some(Self { basis, values })
    }

    /// Eigenvalues of `A⁻¹`: `1 / (α + βλ_i)`.
    pub(super) fn posterior_variances(&self, at: Precisions) -> impl Iterator<Item = f64> + '_ {
        let variance = move |v: &f64| 1.0 / (at.alpha + at.beta * v);
        self.values.iter().map(variance)
    }

    /// `V z`.
    pub(super) fn rotate(&self, z: &[f64]) -> Vec<f64> {
        let z = MatRef::from_column_major_slice(z, z.len(), 1);
        product(self.basis.as_ref(), z).col_as_slice(0).to_vec()
    }
}

/// The regression of one data set, its hyper-parameters still open.
#[derive(Clone, Debug)]
pub(super) struct Regression {
    pub gram: Mat<f64>,
    pub spectrum: Spectrum,
    projections: Vec<f64>,
    target_norm: f64,
    count: usize,
}

impl Regression {
    /// Features `Φ` and their targets `y`; `None` when they are not finite.
    pub(super) fn new(features: MatRef<'_, f64>, targets: &[f64]) -> Option<Self> {
        let gram = product(features, features.transpose());
        let spectrum = Spectrum::of(gram.as_ref())?;
        let targets_of = MatRef::from_column_major_slice(targets, targets.len(), 1);
        let moments = product(features, targets_of);
        let projections = product(spectrum.basis.transpose(), moments.as_ref());
        let projections = projections.col_as_slice(0).to_vec();
        let target_norm = targets.iter().map(|y| y * y).sum();
        Some(Self {
            gram,
            spectrum,
            projections,
            target_norm,
            count: targets.len(),
        })
    }

    /// `ln p(y | α, β) = ½ [D ln α + n ln β − n ln 2π − β(yᵀy − βcᵀ(α + βλ)⁻¹c) − Σ ln(α + βλ_i)]`.
    pub(super) fn log_evidence(&self, at: Precisions) -> f64 {
        let (features, count) = (self.projections.len() as f64, self.count as f64);
        let (mut explained, mut log_det) = (0.0, 0.0);
        for (c, value) in self.projections.iter().zip(&self.spectrum.values) {
            let precision = at.alpha + at.beta * value;
            explained += at.beta * c * c / precision;
            log_det += precision.ln();
        }
        let misfit = at.beta * (self.target_norm - explained);
        0.5 * (features * at.alpha.ln() + count * (at.beta / (2.0 * PI)).ln() - misfit - log_det)
    }

    /// The posterior mean of the weights, `β A⁻¹ Φ y`.
    pub(super) fn mean(&self, at: Precisions) -> Vec<f64> {
        self.spectrum.rotate(&self.rotated_mean(at))
    }

    /// MacKay's re-estimates `α = γ/‖μ‖²` and `β = (n − γ)/‖y − Φᵀμ‖²` with `γ = Σ βλ_i/(α + βλ_i)` determined weights: their
    /// fixed points are the stationary points of the evidence.
    pub(super) fn re_estimate(&self, at: Precisions) -> Precisions {
        let mean = self.rotated_mean(at);
        let (mut determined, mut norm, mut fit) = (0.0, 0.0, 0.0);
        for ((m, c), value) in mean
            .iter()
            .zip(&self.projections)
            .zip(&self.spectrum.values)
        {
            determined += at.beta * value / (at.alpha + at.beta * value);
            norm += m * m;
            fit += m * (2.0 * c - value * m);
        }
        let residual = (self.target_norm - fit).max(0.0);
        Precisions {
            alpha: determined / norm,
            beta: (self.count as f64 - determined) / residual,
        }
    }

    fn rotated_mean(&self, at: Precisions) -> Vec<f64> {
        let variances = self.spectrum.posterior_variances(at);
        let pairs = self.projections.iter().zip(variances);
        pairs.map(|(c, variance)| at.beta * c * variance).collect()
    }
}
