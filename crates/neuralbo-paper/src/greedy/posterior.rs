//! The fitted network as a posterior without uncertainty.

use super::Learner;
use crate::neural::{InputDomain, InputMap, TangentFunction};
use crate::training::converted;
use neuralbo::linalg::{Points, Rng};
use neuralbo::surrogate::{FitError, Function, Posterior, Prediction, PredictionGradient};
use std::sync::Arc;

/// The network, and the standard deviation of the perturbation in reward units.
pub(super) struct GreedyPosterior {
    function: TangentFunction<f64>,
    sd: f64,
}

impl GreedyPosterior {
    /// Widens the network to double precision: the maximizer's line searches see the rounding of single precision.
    pub(super) fn new(learner: &Learner, perturbation: f64) -> Result<Self, FitError> {
        let net = Arc::new(converted(&learner.net)?);
        let inputs = InputMap::new(learner.net.architecture().inputs, InputDomain::Box, false);
        Ok(Self {
            function: TangentFunction::of_networks(
                Arc::new(inputs),
                vec![(net, 1.0)],
                learner.units,
            ),
            sd: learner.units.backward_scale(perturbation),
        })
    }

    fn with_sd(&self, mean: Vec<f64>) -> Prediction {
        Prediction {
            sd: vec![self.sd; mean.len()],
            mean,
        }
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
