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
//! The posterior of the weights is averaged over `S` pairs of precisions with posterior means `μ_s` and covariances `A_s⁻¹`. The
//! mixture of the `N(μ_s, A_s⁻¹)` has mean `μ̄ = Σ μ_s/S` and covariance `Σ A_s⁻¹/S + Σ (μ_s − μ̄)(μ_s − μ̄)ᵀ/S = F Fᵀ`.
//!
//! `A` shares its eigenvectors with `ΦΦᵀ` whatever `α` and `β`: after one decomposition the evidence costs O(D).

use std::f64::consts::PI;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};
use neuralbo::linalg::{Rng, add_product, product};
use rand::RngExt;
use rand_distr::StandardNormal;

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

/// One member of the mixture: its precisions and its mean.
#[derive(Clone, Debug)]
pub(super) struct MixtureComponent {
    pub precisions: Precisions,
    pub mean: Vec<f64>,
}

/// The mixture.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    members: Vec<MixtureComponent>,
    gram: Mat<f64>,
    spectrum: Spectrum,
    mean: Vec<f64>,
    factor: Mat<f64>,
}

/// Predictions in standard units, and `Fᵀφ` of each point for gradients.
pub(super) struct LinearPrediction {
    pub mean: Vec<f64>,
    pub sd: Vec<f64>,
    spread: Mat<f64>,
}

impl Weights {
    /// The mixture of `members`, at least one, given `ΦΦᵀ` and its spectrum.
    pub(super) fn new(members: Vec<MixtureComponent>, gram: Mat<f64>, spectrum: Spectrum) -> Self {
        let count = members.len() as f64;
        let mut mean = vec![0.0; gram.nrows()];
        for member in &members {
            let pairs = mean.iter_mut().zip(&member.mean);
            pairs.for_each(|(total, m)| *total += m / count);
        }
        let factor = factor(&members, &spectrum, &mean);
        Self {
            members,
            gram,
            spectrum,
            mean,
            factor,
        }
    }

    /// The mixture if points with these features had been observed at each member's own mean: the means stay, `ΦΦᵀ` grows.
    pub(super) fn with_observed(&self, features: MatRef<'_, f64>) -> Option<Self> {
        let mut gram = self.gram.clone();
        add_product(gram.as_mut(), 1.0, features, features.transpose());
        let spectrum = Spectrum::of(gram.as_ref())?;
        Some(Self::new(self.members.clone(), gram, spectrum))
    }

    /// Mean `φᵀμ̄` and standard deviation `‖Fᵀφ‖` of each column of features.
    pub(super) fn predict(&self, features: MatRef<'_, f64>) -> LinearPrediction {
        let spread = product(self.factor.transpose(), features);
        let square = |j: usize| spread.col_as_slice(j).iter().map(|u| u * u).sum::<f64>();
        let norm = |j: usize| square(j).sqrt();
        let sd = (0..features.ncols()).map(norm).collect();
        LinearPrediction {
            mean: linear(&self.mean, features),
            sd,
            spread,
        }
    }

    /// Derivatives of each mean with respect to the features.
    pub(super) fn mean_adjoints(&self, points: usize) -> Mat<f64> {
        repeat(&self.mean, points)
    }

    /// Derivatives `F Fᵀφ/‖Fᵀφ‖` of each standard deviation with respect to the features; zero where there is no uncertainty.
    pub(super) fn sd_adjoints(&self, prediction: &LinearPrediction) -> Mat<f64> {
        let mut direction = prediction.spread.clone();
        for (j, &sd) in prediction.sd.iter().enumerate() {
            let scale = if sd > 0.0 { 1.0 / sd } else { 0.0 };
            let column = direction.col_as_slice_mut(j);
            column.iter_mut().for_each(|u| *u *= scale);
        }
        product(self.factor.as_ref(), direction.as_ref())
    }

    /// Weights drawn from one member, itself drawn: `μ_s + V (α + βλ)^{−½} z`.
    pub(super) fn sample(&self, rng: &mut Rng) -> Vec<f64> {
        let member = &self.members[rng.random_range(0..self.members.len())];
        let variances = self.spectrum.posterior_variances(member.precisions);
        let z: Vec<f64> = variances
            .map(|v| v.sqrt() * rng.sample::<f64, _>(StandardNormal))
            .collect();
        let rotated = self.spectrum.rotate(&z);
        let pairs = rotated.iter().zip(&member.mean);
        pairs.map(|(z, m)| z + m).collect()
    }
}

/// `F = [V diag(√v̄), (μ_s − μ̄)/√S]` with `v̄_i = Σ_s 1/(α_s + β_s λ_i) / S`.
fn factor(members: &[MixtureComponent], spectrum: &Spectrum, mean: &[f64]) -> Mat<f64> {
    let (size, count) = (mean.len(), members.len() as f64);
    let mut variances = vec![0.0; size];
    for member in members {
        variances
            .iter_mut()
            .zip(spectrum.posterior_variances(member.precisions))
            .for_each(|(total, v)| *total += v / count);
    }
    Mat::from_fn(size, size + members.len(), |i, j| {
        match j.checked_sub(size) {
            None => spectrum.basis[(i, j)] * variances[j].sqrt(),
            Some(s) => (members[s].mean[i] - mean[i]) / count.sqrt(),
        }
    })
}

/// `wᵀφ` of each column.
pub(super) fn linear(weights: &[f64], features: MatRef<'_, f64>) -> Vec<f64> {
    let row = MatRef::from_row_major_slice(weights, 1, weights.len());
    let out = product(row, features);
    (0..features.ncols()).map(|j| out[(0, j)]).collect()
}

/// `weights` as every one of `points` columns.
pub(super) fn repeat(weights: &[f64], points: usize) -> Mat<f64> {
    Mat::from_fn(weights.len(), points, |i, _| weights[i])
}
