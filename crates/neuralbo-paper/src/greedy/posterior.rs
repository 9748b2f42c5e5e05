//! The fitted network as a posterior without uncertainty.

use super::training::Learner;
use crate::training::converted;
use neuralbo::linalg::{Points, Rng};
use neuralbo::net::Mlp;
use neuralbo::surrogate::tiles::over_tiles;
use neuralbo::surrogate::{FitError, Standardizer};
use neuralbo::surrogate::{Function, Posterior, Prediction, PredictionGradient};
use std::sync::Arc;

/// Rows handled at once: their hidden activations stay in cache.
const TILE: usize = 128;

/// The network in the units of the rewards.
#[derive(Clone)]
struct NetworkFunction {
    net: Arc<Mlp<f64>>,
    units: Standardizer,
}

/// The network, and the standard deviation of the perturbation in reward units.
pub(super) struct GreedyPosterior {
    function: NetworkFunction,
    sd: f64,
}

impl GreedyPosterior {
    /// Widens the network to double precision: the maximizer's line searches see the rounding of single precision.
    pub(super) fn new(learner: &Learner, perturbation: f64) -> Result<Self, FitError> {
        let net = converted(&learner.net)?;
        let sd = learner.units.backward_scale(perturbation);
        Ok(Self {
            function: NetworkFunction {
                net: Arc::new(net),
                units: learner.units,
            },
            sd,
        })
    }

    fn with_sd(&self, mean: Vec<f64>) -> Prediction {
        Prediction {
            sd: vec![self.sd; mean.len()],
            mean,
        }
    }
}

impl Function for NetworkFunction {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let tiles = over_tiles(rows, TILE, |tile| self.net.forward(tile.as_mat()));
        tiles
            .concat()
            .into_iter()
            .map(|h| self.units.backward(h))
            .collect()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let (mut values, mut gradients) = (Vec::with_capacity(rows.len()), Points::new(rows.dim()));
        let unit = self.units.backward_scale(1.0);
        for (tile_values, gradient) in over_tiles(rows, TILE, |tile| {
            self.net.forward_with_input_gradient(tile.as_mat())
        }) {
            values.extend(tile_values.into_iter().map(|h| self.units.backward(h)));
            (0..gradient.ncols()).for_each(|j| gradients.push(gradient.col_as_slice(j)));
        }
        gradients.as_mut_slice().iter_mut().for_each(|g| *g *= unit);
        Some((values, gradients))
    }
}

impl Posterior for GreedyPosterior {
    fn predict(&self, rows: &Points) -> Prediction {
        self.with_sd(self.function.value(rows))
    }

    fn predict_with_gradient(&self, rows: &Points) -> Option<PredictionGradient> {
        let (mean, mean_gradient) = self.function.value_and_gradient(rows)?;
        let sd_gradient = Points::zeros(rows.dim(), rows.len());
        Some(PredictionGradient {
            prediction: self.with_sd(mean),
            mean_gradient,
            sd_gradient,
        })
    }

    /// The network, whatever the draws: its randomness lies in the targets it was fitted to.
    fn sample_function(&self, _rng: &mut Rng) -> Option<Box<dyn Function>> {
        Some(Box::new(self.function.clone()))
    }
}
