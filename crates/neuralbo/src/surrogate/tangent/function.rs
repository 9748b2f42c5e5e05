//! A function of the tangent model's weight space: `g(u)ᵀ v + b + cᵀu + uᵀS u`, with its gradient.

use super::Hyper;
use super::kernel::{Frame, TangentKernel};
use super::trend::Trend;
use crate::linalg::Points;
use crate::net::Features;
use crate::surrogate::tiles::over_tiles;
use crate::surrogate::{Function, Standardizer};
use faer::Mat;

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
    pub(super) trend: Trend,
}

impl WeightFunction {
    fn tile_value(&self, rows: &Points) -> Vec<f64> {
        let local = self.frame.local(rows);
        let features = Features::of(
            self.kernel.net(),
            self.kernel.inputs(&local, &self.hyper).as_ref(),
        );
        self.values(&local, &features)
    }

    /// Values and gradients in the rows, point after point.
    fn tile_gradient(&self, rows: &Points) -> (Vec<f64>, Vec<f64>) {
        let local = self.frame.local(rows);
        let features = Features::differentiable(
            self.kernel.net(),
            self.kernel.inputs(&local, &self.hyper).as_ref(),
        );
        let slopes = features.pullback(self.kernel.net(), features.adjoints_of_jvp(&self.network));
        (
            self.values(&local, &features),
            self.gradient(&local, &slopes),
        )
    }

    fn values(&self, local: &Mat<f64>, features: &Features<f64>) -> Vec<f64> {
        let network = features.jvp(&self.network);
        network
            .into_iter()
            .zip(self.trend.values(local))
            .map(|(network, trend)| self.units.backward(network + trend))
            .collect()
    }

    /// The network's slopes and the trend's.
    fn gradient(&self, local: &Mat<f64>, slopes: &Mat<f64>) -> Vec<f64> {
        let scale = self.kernel.input_factor() * self.hyper.log_scale.exp();
        let factor = self.units.backward_scale(1.0);
        let trend = self.trend.gradients(local);
        let slopes = Mat::from_fn(local.nrows(), local.ncols(), |i, j| {
            factor * (scale * slopes[(i, j)] + trend[(i, j)])
        });
        let gradient = self.frame.pull_back(slopes);
        (0..gradient.ncols())
            .flat_map(|j| gradient.col_as_slice(j).to_vec())
            .collect()
    }
}

impl Function for WeightFunction {
    fn value(&self, rows: &Points) -> Vec<f64> {
        over_tiles(rows, TILE, |tile| self.tile_value(tile)).concat()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let (values, gradients): (Vec<_>, Vec<_>) =
            over_tiles(rows, TILE, |tile| self.tile_gradient(tile))
                .into_iter()
                .unzip();
        let mut gradient = Points::zeros(rows.dim(), rows.len());
        gradient.as_mut_slice().copy_from_slice(&gradients.concat());
        Some((values.concat(), gradient))
    }
}
