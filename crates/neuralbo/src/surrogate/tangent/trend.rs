//! The trend's part of the kernel: `τ₀ + τ₁ u·u′ + τ₂ (u·u′)² + τ₃ Σ_i u_i² u_i′² + τ₄ |u|² |u′|²`.
//!
//! Constant and slopes; then all squares and products of coordinates, the squares alone, and their sum. The last two
//! have `d` coefficients and one: where the objective is such a quadratic they are learned from far fewer observations than all
//! `d(d+1)/2` coefficients, and where it is not the evidence turns them down.

use super::Hyper;
use crate::linalg::{add_product, add_scaled, product};
use faer::Mat;

/// Weight `τ₀` of the constant: large against the unit variance of standardized rewards.
pub(super) const CONSTANT_WEIGHT: f64 = 4.0;

/// The weights `τ₁` to `τ₄`.
#[derive(Clone, Copy)]
pub(super) struct TrendWeights {
    pub(super) linear: f64,
    pub(super) quadratic: f64,
    pub(super) diagonal: f64,
    pub(super) isotropic: f64,
}

impl TrendWeights {
    pub(super) fn of(hyper: &Hyper) -> Self {
        Self {
            linear: hyper.log_linear.exp(),
            quadratic: hyper.log_quadratic.exp(),
            diagonal: hyper.log_diagonal.exp(),
            isotropic: hyper.log_isotropic.exp(),
        }
    }

    /// The trend's variance at `u`.
    pub(super) fn variance(&self, u: &[f64]) -> f64 {
        let square: f64 = u.iter().map(|u| u * u).sum();
        let fourth: f64 = u.iter().map(|u| u.powi(4)).sum();
        CONSTANT_WEIGHT
            + square * (self.linear + (self.quadratic + self.isotropic) * square)
            + self.diagonal * fourth
    }

    /// Gradients by each column `u_j` of `right` of `Σ_i w_ij k(u_i, u_j)` for the columns `u_i` of `left`:
    /// `Σ_i w_ij ((τ₁ + 2τ₂ u_i·u_j) u_i + 2τ₃ u_i²∘u_j + 2τ₄ |u_i|² u_j)`.
    pub(super) fn gradients(&self, left: &Mat<f64>, right: &Mat<f64>, w: &Mat<f64>) -> Mat<f64> {
        let inner = product(left.transpose(), right.as_ref());
        let along = Mat::from_fn(w.nrows(), w.ncols(), |i, j| {
            w[(i, j)] * (self.linear + 2.0 * self.quadratic * inner[(i, j)])
        });
        let mut gradients = product(left.as_ref(), along.as_ref());
        let squares = product(squared(left).as_ref(), w.as_ref());
        for j in 0..right.ncols() {
            let isotropic = self.isotropic * squares.col_as_slice(j).iter().sum::<f64>();
            for (i, g) in gradients.col_as_slice_mut(j).iter_mut().enumerate() {
                *g += 2.0 * right[(i, j)] * (self.diagonal * squares[(i, j)] + isotropic);
            }
        }
        gradients
    }
}

/// What the trend of all pairs of columns is made of, whatever its weights.
#[derive(Clone)]
pub(super) struct TrendProducts {
    /// `u·u′`.
    inner: Mat<f64>,
    /// `Σ_i u_i² u_i′²`.
    squares: Mat<f64>,
    /// `|u|²` of each column on either side.
    left: Vec<f64>,
    right: Vec<f64>,
}

impl TrendProducts {
    pub(super) fn of(left: &Mat<f64>, right: &Mat<f64>) -> Self {
        let (left_squared, right_squared) = (squared(left), squared(right));
        Self {
            inner: product(left.transpose(), right.as_ref()),
            squares: product(left_squared.transpose(), right_squared.as_ref()),
            left: column_sums(&left_squared),
            right: column_sums(&right_squared),
        }
    }

    /// Adds the trend to `kernel`.
    pub(super) fn add_to(&self, kernel: &mut Mat<f64>, weights: &TrendWeights) {
        for j in 0..kernel.ncols() {
            let (inner, squares) = (self.inner.col_as_slice(j), self.squares.col_as_slice(j));
            let isotropic = weights.isotropic * self.right[j];
            for (i, k) in kernel.col_as_slice_mut(j).iter_mut().enumerate() {
                let bent = weights.diagonal * squares[i] + isotropic * self.left[i];
                *k += CONSTANT_WEIGHT
                    + inner[i] * (weights.linear + weights.quadratic * inner[i])
                    + bent;
            }
        }
    }
}

fn squared(columns: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(columns.nrows(), columns.ncols(), |i, j| {
        columns[(i, j)] * columns[(i, j)]
    })
}

fn column_sums(columns: &Mat<f64>) -> Vec<f64> {
    (0..columns.ncols())
        .map(|j| columns.col_as_slice(j).iter().sum())
        .collect()
}

/// A trend itself: `b + cᵀu + uᵀS u`.
#[derive(Clone)]
pub(super) struct Trend {
    pub(super) constant: f64,
    pub(super) linear: Vec<f64>,
    /// `S`, d×d.
    pub(super) quadratic: Mat<f64>,
}

impl Trend {
    pub(super) fn zero(dim: usize) -> Self {
        Self {
            constant: 0.0,
            linear: vec![0.0; dim],
            quadratic: Mat::zeros(dim, dim),
        }
    }

    /// A draw from the prior; `normal` draws with a given standard deviation.
    pub(super) fn draw(
        dim: usize,
        weights: &TrendWeights,
        mut normal: impl FnMut(f64) -> f64,
    ) -> Self {
        let constant = normal(CONSTANT_WEIGHT.sqrt());
        let linear = (0..dim).map(|_| normal(weights.linear.sqrt())).collect();
        let mut quadratic = Mat::from_fn(dim, dim, |_, _| normal(weights.quadratic.sqrt()));
        let isotropic = normal(weights.isotropic.sqrt());
        (0..dim).for_each(|i| quadratic[(i, i)] += isotropic + normal(weights.diagonal.sqrt()));
        Self {
            constant,
            linear,
            quadratic,
        }
    }

    /// Adds `Σ_j α_j k(u_j, ·)` for the columns `u_j`.
    pub(super) fn add_kernels(
        &mut self,
        columns: &Mat<f64>,
        alpha: &[f64],
        weights: &TrendWeights,
    ) {
        self.constant += CONSTANT_WEIGHT * alpha.iter().sum::<f64>();
        let mut weighted = columns.clone();
        for (j, a) in alpha.iter().enumerate() {
            let u = columns.col_as_slice(j);
            add_scaled(&mut self.linear, weights.linear * a, u);
            let column = weighted.col_as_slice_mut(j).iter_mut();
            column.for_each(|u| *u *= weights.quadratic * a);
            let isotropic = weights.isotropic * u.iter().map(|u| u * u).sum::<f64>();
            u.iter().enumerate().for_each(|(i, u)| {
                self.quadratic[(i, i)] += a * (isotropic + weights.diagonal * u * u)
            });
        }
        add_product(
            self.quadratic.as_mut(),
            1.0,
            weighted.as_ref(),
            columns.transpose(),
        );
    }

    /// Values at the columns.
    pub(super) fn values(&self, columns: &Mat<f64>) -> Vec<f64> {
        let bent = product(self.quadratic.as_ref(), columns.as_ref());
        let at = |j: usize| {
            let terms = columns
                .col_as_slice(j)
                .iter()
                .zip(&self.linear)
                .zip(bent.col_as_slice(j));
            self.constant + terms.map(|((u, l), b)| u * (l + b)).sum::<f64>()
        };
        (0..columns.ncols()).map(at).collect()
    }

    /// Gradients `c + (S + Sᵀ) u` at the columns.
    pub(super) fn gradients(&self, columns: &Mat<f64>) -> Mat<f64> {
        let mut gradients = product(self.quadratic.as_ref(), columns.as_ref());
        add_product(
            gradients.as_mut(),
            1.0,
            self.quadratic.transpose(),
            columns.as_ref(),
        );
        for j in 0..columns.ncols() {
            add_scaled(gradients.col_as_slice_mut(j), 1.0, &self.linear);
        }
        gradients
    }
}
