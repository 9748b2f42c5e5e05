//! What a fitted DNGO answers.

use super::extractor::Extractor;
use super::regression::{Weights, linear, repeat};
use neuralbo::linalg::{Points, Rng};
use neuralbo::surrogate::tiles::{joined, joined_gradients, joined_values, over_tiles};
use neuralbo::surrogate::{Function, Posterior, Prediction, PredictionGradient, Standardizer};
use std::sync::Arc;

/// Rows handled at once: their features stay in cache.
const TILE: usize = 256;

/// The features, the posterior of the weights on them, and the units of the rewards.
#[derive(Clone, Debug)]
pub(super) struct DngoPosterior {
    pub extractor: Arc<Extractor>,
    pub weights: Weights,
    pub units: Standardizer,
}

impl DngoPosterior {
    fn in_rewards(&self, mean: &[f64], sd: &[f64]) -> Prediction {
        Prediction {
            mean: mean.iter().map(|&m| self.units.backward(m)).collect(),
            sd: sd.iter().map(|&s| self.units.backward_scale(s)).collect(),
        }
    }

    fn predict_tile(&self, rows: &Points) -> Prediction {
        let found = self.weights.predict(self.extractor.apply(rows).as_ref());
        self.in_rewards(&found.mean, &found.sd)
    }

    fn gradient_tile(&self, rows: &Points) -> PredictionGradient {
        let features = self.extractor.differentiable(rows);
        let found = self.weights.predict(features.values.as_ref());
        let unit = self.units.backward_scale(1.0);
        PredictionGradient {
            mean_gradient: features.pullback(self.weights.mean_adjoints(rows.len()).as_ref(), unit),
            sd_gradient: features.pullback(self.weights.sd_adjoints(&found).as_ref(), unit),
            prediction: self.in_rewards(&found.mean, &found.sd),
        }
    }
}

impl Posterior for DngoPosterior {
    fn predict(&self, rows: &Points) -> Prediction {
        joined(over_tiles(rows, TILE, |tile| self.predict_tile(tile)))
    }

    fn predict_with_gradient(&self, rows: &Points) -> Option<PredictionGradient> {
        Some(joined_gradients(
            rows.dim(),
            over_tiles(rows, TILE, |tile| self.gradient_tile(tile)),
        ))
    }

    fn sample_function(&self, rng: &mut Rng) -> Option<Box<dyn Function>> {
        let weights = self.weights.sample(rng);
        Some(Box::new(LinearSample {
            extractor: Arc::clone(&self.extractor),
            weights,
            units: self.units,
        }))
    }

    fn with_pending(&self, rows: &Points) -> Option<Box<dyn Posterior>> {
        let weights = self
            .weights
            .with_observed(self.extractor.apply(rows).as_ref())?;
        Some(Box::new(Self {
            extractor: Arc::clone(&self.extractor),
            weights,
            units: self.units,
        }))
    }
}

/// A function linear in the features.
struct LinearSample {
    extractor: Arc<Extractor>,
    weights: Vec<f64>,
    units: Standardizer,
}

impl LinearSample {
    fn in_rewards(&self, values: Vec<f64>) -> Vec<f64> {
        values
            .into_iter()
            .map(|value| self.units.backward(value))
            .collect()
    }
}

impl Function for LinearSample {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let tiles = over_tiles(rows, TILE, |tile| {
            linear(&self.weights, self.extractor.apply(tile).as_ref())
        });
        self.in_rewards(tiles.concat())
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let tiles = over_tiles(rows, TILE, |tile| {
            let features = self.extractor.differentiable(tile);
            let adjoints = repeat(&self.weights, tile.len());
            let gradient = features.pullback(adjoints.as_ref(), self.units.backward_scale(1.0));
            (linear(&self.weights, features.values.as_ref()), gradient)
        });
        let (values, gradients) = joined_values(rows.dim(), tiles);
        Some((self.in_rewards(values), gradients))
    }
}
