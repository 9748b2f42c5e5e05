//! A function of the tangent model's weight space: `g(u)ᵀ v + b + cᵀu + uᵀS u`, with its gradient.

use super::TangentModel;
use super::trend::Trend;
use crate::linalg::Points;
use crate::net::Features;
use crate::surrogate::tiles::{joined_values, over_tiles};
use crate::surrogate::{Function, Standardizer};
use faer::Mat;

/// Rows evaluated at once on one thread.
const TILE: usize = 128;

/// Weights of a sample or of the mean, with all factors folded in.
pub struct WeightFunction {
    pub(super) model: TangentModel,
    pub(super) units: Standardizer,
    /// `v`, p-long.
    pub(super) network: Vec<f64>,
    pub(super) trend: Trend,
}

impl WeightFunction {
    fn tile_value(&self, rows: &Points) -> Vec<f64> {
        let local = self.model.frame.local(rows);
        self.values(
            &local,
            &self.model.kernel.features(&local, &self.model.hyper),
        )
    }

    fn tile_gradient(&self, rows: &Points) -> (Vec<f64>, Points) {
        let (model, local) = (&self.model, self.model.frame.local(rows));
        let features = model.kernel.differentiable_features(&local, &model.hyper);
        let adjoints = features.adjoints_of_jvp(&self.network);
        let slopes = features.pullback(model.kernel.net(), adjoints);
        let factor = self.units.backward_scale(1.0);
        let gradient = model.to_rows(factor, &slopes, &self.trend.gradients(&local));
        (self.values(&local, &features), gradient)
    }

    fn values(&self, local: &Mat<f64>, features: &Features<f64>) -> Vec<f64> {
        let network = features.jvp(&self.network).into_iter();
        let parts = network.zip(self.trend.values(local));
        parts
            .map(|(network, trend)| self.units.backward(network + trend))
            .collect()
    }
}

impl Function for WeightFunction {
    fn value(&self, rows: &Points) -> Vec<f64> {
        over_tiles(rows, TILE, |tile| self.tile_value(tile)).concat()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let tiles = over_tiles(rows, TILE, |tile| self.tile_gradient(tile));
        Some(joined_values(rows.dim(), tiles))
    }
}
