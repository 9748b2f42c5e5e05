//! The log marginal likelihood and its gradient in O(n³ + n²d).
//!
//! Symbols: `n` observations, `z` their values, `K = σ²ρ + σₙ²I` (plus the variances of values that are estimates), `α = K⁻¹(z − μ)`, and `M = ½(ααᵀ − K⁻¹)`, with which every
//! derivative is a sum over pairs, `∂ ln p / ∂θ = Σ_ij M_ij ∂K_ij/∂θ` (RW eq. 5.9). `h` is the slope of `kernel.rs`.

use super::arc_cosine;
use super::hyper::HyperParameters;
use super::kernel::{Correlation, Kernel, ScaledRows, squared_distances_within};
use crate::linalg::{Cholesky, NotPositiveDefinite, Points, add_scaled};
use crate::surrogate::Dataset;
use crate::surrogate::gaussian::Inputs;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::inverse::{inverse, inverse_scratch};
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, Mat, Par};
use std::f64::consts::PI;

/// The log marginal likelihood of rewards, with derivatives.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LikelihoodGradient {
    /// `ln p(rewards)`.
    pub value: f64,
    /// Derivatives by `ln ℓ` (one per length scale).
    pub length_scales: Vec<f64>,
    /// Derivative by `ln σ²`.
    pub amplitude: f64,
    /// Derivative by `ln σₙ²`.
    pub noise: f64,
    /// Derivative by `μ`.
    pub mean: f64,
}

impl LikelihoodGradient {
    pub(super) fn theta_gradient(&self) -> Vec<f64> {
        let mut gradient = self.length_scales.clone();
        gradient.extend([self.amplitude, self.noise]);
        gradient
    }
}

/// The likelihood at its best mean.
pub(super) struct Evaluation {
    pub mean: f64,
    pub likelihood: LikelihoodGradient,
}

/// `ln p(rewards)` under `hyper`, mean included, both in the units of the rewards, and its derivatives by the logarithms of the
/// hyper-parameters and by the mean.
#[cfg(test)]
pub(super) fn log_marginal_likelihood(
    kernel: Kernel,
    hyper: &HyperParameters,
    data: &Dataset,
) -> LikelihoodGradient {
    let centred = data.with_rewards(data.rewards().iter().map(|y| y - hyper.mean).collect());
    let mut likelihood = Likelihood::new(kernel, &centred, hyper.length_scales.len() < 2);
    // A mean that is zero for certain.
    let evaluation = likelihood.evaluate(hyper, f64::INFINITY);
    evaluation.unwrap().likelihood
}

/// The likelihood of one data set as a function of the hyper-parameters, with the buffers it is computed in.
pub(super) struct Likelihood<'a> {
    /// `None` where the kernel has no length scale and `correlation` is always the same.
    shape: Option<Correlation>,
    rows: &'a Points,
    values: &'a [f64],
    /// Standard deviations of values that are estimates; empty where none is.
    sds: &'a [f64],
    /// Squared distances at length scale 1 when one scale serves all coordinates: they only need dividing.
    unit_distances: Option<Mat<f64>>,
    /// Lower triangles of `ρ` and of `h`, later of `M h`.
    correlation: Mat<f64>,
    slope: Mat<f64>,
    /// Lower triangle of `K`, later of `K⁻¹`.
    work: Mat<f64>,
}

impl<'a> Likelihood<'a> {
    pub fn new(kernel: Kernel, data: &'a Dataset, isotropic: bool) -> Self {
        let (rows, n) = (data.rows(), data.len());
        let square = || Mat::zeros(n, n);
        let shape = kernel.correlation();
        let unit_distances = (isotropic && shape.is_some()).then(|| {
            let mut distances = square();
            squared_distances_within(
                &ScaledRows::new(rows, &vec![1.0; rows.dim()]),
                &mut distances,
            );
            distances
        });
        let correlation = match shape {
            Some(_) => square(),
            None => arc_cosine::within(rows),
        };
        Self {
            shape,
            rows,
            values: data.rewards(),
            sds: data.observation_sds(),
            unit_distances,
            correlation,
            slope: square(),
            work: square(),
        }
    }

    /// At the maximizer of `ln p − ½ precision μ²`, that is `zᵀK⁻¹1 / (1ᵀK⁻¹1 + precision)` (RW section 2.7 for one constant basis
    /// function); the mean within `hyper` is not looked at. At a maximizer the other derivatives are also those of the maximum
    /// (envelope theorem).
    pub fn evaluate(
        &mut self,
        hyper: &HyperParameters,
        precision: f64,
    ) -> Result<Evaluation, NotPositiveDefinite> {
        let scaled = self.fill_correlations(hyper);
        self.fill_covariance(hyper);
        let factor = Cholesky::factor(self.work.as_ref())?;
        let mean = self.best_mean(precision, &factor);
        let residual: Vec<f64> = self.values.iter().map(|z| z - mean).collect();
        let alpha = factor.solve_vec(&residual);
        let fit: f64 = residual.iter().zip(&alpha).map(|(r, a)| r * a).sum();
        let value = -0.5 * (fit + factor.log_det() + alpha.len() as f64 * (2.0 * PI).ln());
        invert(&factor, &mut self.work);
        let sums = self.fold_into_pair_weights(&alpha);
        let likelihood = LikelihoodGradient {
            value,
            length_scales: self.length_scale_gradient(hyper, scaled.as_ref()),
            amplitude: hyper.amplitude * sums.weighted_correlation,
            noise: hyper.noise * sums.trace,
            mean: alpha.iter().sum(),
        };
        Ok(Evaluation { mean, likelihood })
    }

    fn best_mean(&self, precision: f64, factor: &Cholesky) -> f64 {
        let weights = factor.solve_vec(&vec![1.0; self.values.len()]);
        let weighted: f64 = weights.iter().zip(self.values).map(|(w, z)| w * z).sum();
        weighted / (weights.iter().sum::<f64>() + precision)
    }

    /// Fills `ρ` and `h`; returns the scaled rows where each coordinate has its own length scale.
    fn fill_correlations(&mut self, hyper: &HyperParameters) -> Option<ScaledRows> {
        let shape = self.shape?;
        let (scaled, factor) = match &self.unit_distances {
            Some(unit) => {
                self.correlation.copy_from_triangular_lower(unit);
                (None, hyper.length_scales[0].powi(-2))
            }
            None => {
                let inverse: Vec<f64> = hyper.length_scales.iter().map(|l| 1.0 / l).collect();
                let scaled = ScaledRows::new(self.rows, &inverse);
                squared_distances_within(&scaled, &mut self.correlation);
                (Some(scaled), 1.0)
            }
        };
        for j in 0..self.rows.len() {
            let column = &mut self.correlation.col_as_slice_mut(j)[j..];
            column.iter_mut().for_each(|squared| *squared *= factor);
            shape.correlate(column, &mut self.slope.col_as_slice_mut(j)[j..]);
        }
        scaled
    }

    fn fill_covariance(&mut self, hyper: &HyperParameters) {
        for j in 0..self.rows.len() {
            let column = &mut self.work.col_as_slice_mut(j)[j..];
            for (k, rho) in column
                .iter_mut()
                .zip(&self.correlation.col_as_slice(j)[j..])
            {
                *k = hyper.amplitude * rho;
            }
            column[0] += hyper.noise + self.sds.get(j).map_or(0.0, |sd| sd * sd);
        }
    }

    /// Turns the slopes `h` into `M h` below the diagonal and sums what amplitude and noise need.
    fn fold_into_pair_weights(&mut self, alpha: &[f64]) -> PairSums {
        let mut sums = PairSums::default();
        for (j, &own) in alpha.iter().enumerate() {
            let diagonal = 0.5 * (own * own - self.work[(j, j)]);
            sums.trace += diagonal;
            let rest = j + 1..alpha.len();
            let inverse = &self.work.col_as_slice(j)[rest.clone()];
            let rho = &self.correlation.col_as_slice(j)[rest.clone()];
            let slope = &mut self.slope.col_as_slice_mut(j)[rest.clone()];
            let mut column_sum = 0.0;
            for (((h, rho), inverse), other) in
                slope.iter_mut().zip(rho).zip(inverse).zip(&alpha[rest])
            {
                let weight = 0.5 * (own * other - inverse);
                column_sum += weight * rho;
                *h *= weight;
            }
            sums.weighted_correlation += diagonal * self.correlation[(j, j)] + 2.0 * column_sum;
        }
        sums
    }

    /// `∂K/∂ ln ℓ_k = σ² h (x_ik − x_jk)²/ℓ_k²`, summed over pairs with weight `M`.
    fn length_scale_gradient(
        &self,
        hyper: &HyperParameters,
        scaled: Option<&ScaledRows>,
    ) -> Vec<f64> {
        match (&self.unit_distances, scaled) {
            (Some(unit), _) => {
                let factor = 2.0 * hyper.amplitude * hyper.length_scales[0].powi(-2);
                vec![factor * self.sum_below_diagonal(unit)]
            }
            (None, Some(scaled)) => self
                .weighted_square_differences(scaled)
                .iter()
                .map(|s| 2.0 * hyper.amplitude * s)
                .collect(),
            (None, None) => Vec::new(),
        }
    }

    fn sum_below_diagonal(&self, other: &Mat<f64>) -> f64 {
        let column = |j: usize| -> f64 {
            let (a, b) = (
                &self.slope.col_as_slice(j)[j + 1..],
                &other.col_as_slice(j)[j + 1..],
            );
            a.iter().zip(b).map(|(x, y)| x * y).sum()
        };
        (0..self.rows.len()).map(column).sum()
    }

    /// `Σ_{i>j} S_ij (x_ik − x_jk)²` for each `k`, expanded into row and column sums of `S = M h` and one product `S X`.
    fn weighted_square_differences(&self, scaled: &ScaledRows) -> Vec<f64> {
        let (n, dim) = (scaled.len(), scaled.rows.dim());
        let mut product = Mat::zeros(n, dim);
        triangular_matmul(
            product.as_mut(),
            BlockStructure::Rectangular,
            Accum::Replace,
            self.slope.as_ref(),
            BlockStructure::StrictTriangularLower,
            scaled.rows.as_mat().transpose(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        let mut totals = vec![0.0; n];
        for j in 0..n {
            let below = &self.slope.col_as_slice(j)[j + 1..];
            totals[j] += below.iter().sum::<f64>();
            add_scaled(&mut totals[j + 1..], 1.0, below);
        }
        let mut sums = vec![0.0; dim];
        for (i, (row, total)) in scaled.rows.rows().zip(&totals).enumerate() {
            for (k, x) in row.iter().enumerate() {
                sums[k] += x * (x * total - 2.0 * product[(i, k)]);
            }
        }
        sums
    }
}

#[derive(Default)]
struct PairSums {
    /// `Σ_ij M_ij ρ_ij`.
    weighted_correlation: f64,
    /// `Σ_i M_ii`.
    trace: f64,
}

/// The lower triangle of `K⁻¹`.
fn invert(factor: &Cholesky, out: &mut Mat<f64>) {
    let mut memory = MemBuffer::new(inverse_scratch::<f64>(factor.size(), Par::Seq));
    inverse(
        out.as_mut(),
        factor.lower(),
        Par::Seq,
        MemStack::new(&mut memory),
    );
}
