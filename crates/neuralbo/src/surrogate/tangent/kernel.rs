//! The kernel `k_NTK/κ + τ₀ + τ₁ u·u′ + τ₂ (u·u′)²` on centred rows.

use super::Hyper;
use crate::linalg::{Points, Rng, product};
use crate::net::{Activation, Architecture, ArchitectureError, Features, Init, Mlp};
use faer::Mat;
use std::sync::Arc;

/// Weight `τ₀` of the constant: large against the unit variance of standardized rewards.
pub(super) const CONSTANT_WEIGHT: f64 = 4.0;

/// Where the rows are centred and what one unit of length is.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The centre `x_c`.
    pub center: Vec<f64>,
    /// Length of a unit.
    pub unit: f64,
}

impl Frame {
    /// `u = (x − x_c) / unit` for every row, as a d×n matrix.
    pub fn local(&self, rows: &Points) -> Mat<f64> {
        Mat::from_fn(rows.dim(), rows.len(), |i, j| (rows.row(j)[i] - self.center[i]) / self.unit)
    }
}

/// The network at θ₀ whose tangent features the kernel is made of.
#[derive(Clone, Debug)]
pub struct TangentKernel {
    net: Arc<Mlp<f64>>,
}

impl TangentKernel {
    /// A two-layer network of this width on rows of dimension `dim`, with a smooth activation: a kinked one has no curvature to
    /// offer to a gradient ascent.
    pub fn new(dim: usize, width: usize, rng: &mut Rng) -> Result<Self, ArchitectureError> {
        let shape = Architecture { inputs: dim + 1, width, depth: 2, activation: Activation::Gelu, biases: false };
        Ok(Self { net: Arc::new(Mlp::new(shape, Init::Standard, rng)?) })
    }

    /// The network.
    pub fn net(&self) -> &Mlp<f64> {
        &self.net
    }

    /// Network inputs of local rows: scaled, with a constant appended. Weights are `N(0, 1/m)`, so a factor `√m` makes the
    /// pre-activations of order one.
    pub(super) fn inputs(&self, local: &Mat<f64>, hyper: &Hyper) -> Mat<f64> {
        let d = local.nrows();
        let factor = self.input_factor();
        let scale = factor * hyper.log_scale.exp();
        Mat::from_fn(d + 1, local.ncols(), |i, j| if i < d { scale * local[(i, j)] } else { factor })
    }

    pub(super) fn input_factor(&self) -> f64 {
        (self.net.architecture().width as f64).sqrt()
    }

    /// Tangent features of local rows.
    pub(super) fn features(&self, local: &Mat<f64>, hyper: &Hyper) -> Features<f64> {
        Features::of(&self.net, self.inputs(local, hyper).as_ref())
    }
}

/// Adds `τ₀ + τ₁ u·u′ + τ₂ (u·u′)²` to `kernel`, given the inner products `u·u′`.
pub(super) fn add_trend(kernel: &mut Mat<f64>, inner: &Mat<f64>, hyper: &Hyper) {
    let (linear, quadratic) = (hyper.log_linear.exp(), hyper.log_quadratic.exp());
    for j in 0..kernel.ncols() {
        for (k, &i) in kernel.col_as_slice_mut(j).iter_mut().zip(inner.col_as_slice(j)) {
            *k += CONSTANT_WEIGHT + i * (linear + quadratic * i);
        }
    }
}

/// `u·u′` for all pairs of columns.
pub(super) fn inner_products(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    product(a.transpose(), b.as_ref())
}
