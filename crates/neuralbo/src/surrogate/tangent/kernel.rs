//! The network's part of the kernel, `k_NTK/κ` on centred rows.

use super::{Hyper, Metric};
use crate::linalg::{Points, Rng, SettingError};
use crate::net::{Activation, Architecture, Features, Init, Mlp};
use faer::Mat;
use std::sync::Arc;

/// Where the rows are centred, what one unit of length is and in which metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The centre `x_c`.
    pub center: Vec<f64>,
    /// Length of a unit.
    pub unit: f64,
    /// The metric `W`; the identity where there is none.
    pub metric: Option<Arc<Metric>>,
}

impl Frame {
    /// The frame without a metric.
    pub fn new(center: Vec<f64>, unit: f64) -> Self {
        Self {
            center,
            unit,
            metric: None,
        }
    }

    /// `u = W (x − x_c) / unit` for every row, as a d×n matrix.
    pub fn local(&self, rows: &Points) -> Mat<f64> {
        let centred = Mat::from_fn(rows.dim(), rows.len(), |i, j| {
            (rows.row(j)[i] - self.center[i]) / self.unit
        });
        match &self.metric {
            None => centred,
            Some(metric) => metric.columns_to_local(&centred),
        }
    }

    /// The row `x_c + unit · W⁻¹u`.
    pub(super) fn row(&self, u: &[f64]) -> Vec<f64> {
        let step = match &self.metric {
            Some(metric) => metric.from_local(u),
            None => u.to_vec(),
        };
        let moved = self.center.iter().zip(step);
        moved
            .map(|(center, step)| center + self.unit * step)
            .collect()
    }

    /// A gradient with respect to `u` from one with respect to a row.
    pub(super) fn gradient_to_local(&self, gradient: &[f64]) -> Vec<f64> {
        let scaled: Vec<f64> = gradient.iter().map(|g| self.unit * g).collect();
        match &self.metric {
            Some(metric) => metric.gradient_to_local(&scaled),
            None => scaled,
        }
    }

    /// Gradients with respect to rows from those with respect to `u`.
    pub(super) fn pull_back(&self, gradients: Mat<f64>) -> Mat<f64> {
        let gradients = gradients * faer::Scale(1.0 / self.unit);
        match &self.metric {
            None => gradients,
            Some(metric) => metric.pull_back(&gradients),
        }
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
    pub fn new(dim: usize, width: usize, rng: &mut Rng) -> Result<Self, SettingError> {
        let shape = Architecture {
            inputs: dim + 1,
            width,
            depth: 2,
            activation: Activation::Gelu,
            biases: false,
        };
        Ok(Self {
            net: Arc::new(Mlp::new(shape, Init::Standard, rng)?),
        })
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
        Mat::from_fn(d + 1, local.ncols(), |i, j| {
            if i < d { scale * local[(i, j)] } else { factor }
        })
    }

    pub(super) fn input_factor(&self) -> f64 {
        (self.net.architecture().width as f64).sqrt()
    }

    /// Tangent features of local rows.
    pub(super) fn features(&self, local: &Mat<f64>, hyper: &Hyper) -> Features<f64> {
        Features::of(&self.net, self.inputs(local, hyper).as_ref())
    }
    /// The same, which can be pulled back to gradients.
    pub(super) fn differentiable_features(&self, local: &Mat<f64>, hyper: &Hyper) -> Features<f64> {
        Features::differentiable(&self.net, self.inputs(local, hyper).as_ref())
    }
}
