//! A function of the tangent model's weight space: `g(u)ᵀ v + b + cᵀu + uᵀS u`, with its gradient.

use super::Hyper;
use super::kernel::{Frame, TangentKernel};
use crate::linalg::{Points, product};
use crate::net::Features;
use crate::surrogate::{Function, Standardizer};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Rows evaluated at once on one thread.
const TILE: usize = 128;

/// Weights of a sample or of the mean, with all factors folded in.
pub struct WeightFunction {
    pub(super) kernel: TangentKernel,
    pub(super) hyper: Hyper,
    pub(super) frame: Frame,
    pub(super) units: Standardizer,
    /// `v`, p-long.
    pub(super) network: Vec<f64>,
    pub(super) constant: f64,
    pub(super) linear: Vec<f64>,
    /// `S`, d×d.
    pub(super) quadratic: Mat<f64>,
}

impl WeightFunction {
    fn tile(&self, rows: &Points, range: std::ops::Range<usize>, gradient: bool) -> (Vec<f64>, Vec<f64>) {
        let local = self.frame.local(&rows.slice(range));
        let inputs = self.kernel.inputs(&local, &self.hyper);
        let net = self.kernel.net();
        let features = if gradient { Features::differentiable(net, inputs.as_ref()) } else { Features::of(net, inputs.as_ref()) };
        let mut values = features.jvp(&self.network);
        let bent = product(self.quadratic.as_ref(), local.as_ref());
        for (j, value) in values.iter_mut().enumerate() {
            let u = local.col_as_slice(j);
            *value += self.constant + dot(&self.linear, u) + dot(bent.col_as_slice(j), u);
            *value = self.units.backward(*value);
        }
        if !gradient {
            return (values, Vec::new());
        }
        let slopes = features.pullback(net, features.adjoints_of_jvp(&self.network));
        (values, self.gradient(&local, bent, slopes.as_ref()))
    }

    /// Gradient in the rows: network, linear and quadratic part (`(S + Sᵀ) u`).
    fn gradient(&self, local: &Mat<f64>, bent: Mat<f64>, slopes: MatRef<'_, f64>) -> Vec<f64> {
        let d = local.nrows();
        let root_m = (self.kernel.net().architecture().width as f64).sqrt();
        let scales: Vec<f64> = self.hyper.log_scales.iter().map(|s| root_m * s.exp()).collect();
        let mirrored = product(self.quadratic.transpose(), local.as_ref());
        let factor = self.units.backward_scale(1.0) / self.frame.unit;
        let mut out = Vec::with_capacity(d * local.ncols());
        for j in 0..local.ncols() {
            for i in 0..d {
                let slope = slopes[(i, j)] * scales[i] + self.linear[i] + bent[(i, j)] + mirrored[(i, j)];
                out.push(factor * slope);
            }
        }
        out
    }

    fn tiles(rows: &Points) -> Vec<std::ops::Range<usize>> {
        (0..rows.len()).step_by(TILE).map(|start| start..(start + TILE).min(rows.len())).collect()
    }
}

impl Function for WeightFunction {
    fn value(&self, rows: &Points) -> Vec<f64> {
        Self::tiles(rows).into_par_iter().flat_map_iter(|range| self.tile(rows, range, false).0).collect()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let parts: Vec<_> = Self::tiles(rows).into_par_iter().map(|range| self.tile(rows, range, true)).collect();
        let (values, gradients): (Vec<Vec<f64>>, Vec<Vec<f64>>) = parts.into_iter().unzip();
        let gradients = gradients.concat();
        Some((values.concat(), Points::from_rows(rows.dim(), gradients.chunks_exact(rows.dim()))))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
