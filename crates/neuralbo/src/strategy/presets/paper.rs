//! Section 6 of the paper to the letter.
//!
//! What the paper leaves open is chosen so that training is stable and the sampled function is really maximized:
//! * its learning rate is over the stability limit for the summed loss, so the loss is the mean over a batch;
//! * rewards are standardized, and a constant input keeps ‖x‖ away from 0, as the theory wants it;
//! * one function is drawn from the posterior, and its maximum is sought by gradient ascent from many starts.

use super::parts::{self, Choices};
use super::{Method, MethodError, Options};
use crate::net::{Activation, Init, LossScale, Optimizer, Trainer};
use crate::strategy::{AcquisitionRule, Setup, Strategy};
use crate::surrogate::neural::covariance::{CovarianceKind, SolveSettings};
use crate::surrogate::neural::{FeaturePoint, MeanRule, NeuralSettings, Restart, TargetUnits};

pub(super) const NEURALBO_PAPER: Method = Method {
    name: "neuralbo-paper",
    summary: "NeuralBO as in Section 6 of its paper: 500 ReLU units trained anew for every suggestion, Thompson sampling",
    options: &[parts::NU, parts::LAMBDA, parts::WIDTH, parts::DEPTH, parts::INITIAL, parts::CANDIDATES, parts::COVARIANCE],
    objectives: false,
    outcomes: false,
    build,
};

/// The network of Section 6 and its posterior; the grid of ν is {0.1, 1, 10}.
pub(super) fn settings() -> NeuralSettings {
    NeuralSettings {
        width: 500,
        depth: 2,
        activation: Activation::Relu,
        biases: false,
        constant_input: true,
        init: Init::Standard,
        lambda: 0.01,
        nu: 1.0,
        features: FeaturePoint::Initial,
        mean: MeanRule::ClosedForm,
        covariance: CovarianceKind::Auto,
        solve: SolveSettings::default(),
        targets: TargetUnits::Standard,
        skip_in_covariance: 0,
    }
}

/// 50 epochs of SGD in batches of 50 from θ₀, with decay toward θ₀ of weight `mλ`.
fn training(settings: &NeuralSettings) -> MeanRule {
    let trainer = Trainer {
        optimizer: Optimizer::Sgd { rate: 1e-3, epochs: 50, batch: 50 },
        loss: LossScale::Mean,
        proximal: settings.width as f64 * settings.lambda,
    };
    MeanRule::Trained { trainer, restart: Restart::Initial }
}

fn build(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let mut settings = settings();
    parts::override_settings(&mut settings, options)?;
    settings.mean = training(&settings);
    let choices = Choices {
        initial: parts::initial_size(&setup.space, options)?,
        rule: AcquisitionRule::Thompson { nu: 1.0 },
        maximizer: parts::maximizer(options)?,
    };
    Ok(parts::model_based(setup, parts::neural(NEURALBO_PAPER.name, settings, &setup.space)?, choices))
}
