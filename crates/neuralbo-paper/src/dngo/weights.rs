//! The posterior of the regression's weights, averaged over hyper-parameters.
//!
//! Symbols as in [`super::regression`]; `S` pairs of precisions with posterior means `μ_s` and covariances `A_s⁻¹`. The mixture of
//! the `N(μ_s, A_s⁻¹)` has mean `μ̄ = Σ μ_s/S` and covariance `Σ A_s⁻¹/S + Σ (μ_s − μ̄)(μ_s − μ̄)ᵀ/S = F Fᵀ`.

use super::regression::{Precisions, Spectrum};
use faer::{Mat, MatRef};
use neuralbo::linalg::{Rng, add_product, product};
use rand::RngExt;
use rand_distr::StandardNormal;

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
        rotated
            .iter()
            .zip(&member.mean)
            .map(|(z, m)| z + m)
            .collect()
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
