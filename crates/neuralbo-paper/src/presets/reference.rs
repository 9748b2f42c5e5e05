//! The authors' released code, as far as its settings are known.
//!
//! A network with biases, trained further by Adam after every evaluation; features at the parameters of the moment; one
//! independent normal draw for each of 50,000 candidates; the initial points train the network but never enter `U`. The dual
//! covariance is the same posterior as that code's dense `U⁻¹`: every observation keeps the features it had when it was made.

use super::{network, option, paper};
use crate::neural::covariance::CovarianceKind;
use crate::neural::{FeaturePoint, MeanRule, NeuralSettings, Restart};
use crate::training::{Optimizer, Trainer};
use neuralbo::acquisition::maximize::Maximizer;
use neuralbo::net::Init;
use neuralbo::strategy::presets::parts;
use neuralbo::strategy::presets::{Method, MethodError, OptionInfo, Options};
use neuralbo::strategy::{AcquisitionRule, Setup, Strategy};

const COVARIANCE: OptionInfo = option(
    "covariance",
    "how the uncertainty is computed: dual, dense, diagonal",
);

/// Points scored for a suggestion.
const SOBOL_CANDIDATES: usize = 50_000;

pub(super) const NEURALBO_REFERENCE: Method = Method {
    name: "neuralbo-reference",
    summary: "NeuralBO as its authors' released code does it: a warm network, features that move, 50,000 independent draws",
    options: &[
        parts::NU,
        network::LAMBDA,
        parts::WIDTH,
        network::DEPTH,
        parts::INITIAL,
        parts::CANDIDATES,
        parts::OBSERVATIONS,
        COVARIANCE,
    ],
    objectives: false,
    outcome_constraints: false,
    build,
};

fn settings() -> NeuralSettings {
    NeuralSettings {
        width: 200,
        biases: true,
        init: Init::Reference,
        lambda: 0.005,
        nu: 2.0,
        features: FeaturePoint::Current,
        covariance: CovarianceKind::Dual,
        ..paper::settings()
    }
}

/// 100 full-batch epochs of Adam from where the last training ended, λ being the weight decay too.
fn training(lambda: f64) -> MeanRule {
    MeanRule::Trained {
        trainer: Trainer {
            optimizer: Optimizer::Adam {
                weight_decay: lambda,
            },
            ..Trainer::adam(2e-3, 100, usize::MAX)
        },
        restart: Restart::Warm,
    }
}

fn build(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let mut settings = settings();
    options.word(COVARIANCE.key, &["dual", "dense", "diagonal"])?;
    network::override_settings(&mut settings, options)?;
    settings.mean = training(settings.lambda);
    settings.skip_in_covariance = parts::initial_size(&setup.space, options)?;
    let surrogate = network::neural(NEURALBO_REFERENCE.name, settings, &setup.space)?;
    let rule = AcquisitionRule::IndependentThompson { nu: 1.0 };
    let mut parts = parts::model_based(setup, options, surrogate, rule)?;
    let candidates = parts::count(options, parts::CANDIDATES, 10_000_000)?;
    parts.maximizer =
        Maximizer::best_of(candidates.unwrap_or(SOBOL_CANDIDATES)).unwrap_or_default();
    Ok(parts.strategy(setup))
}
