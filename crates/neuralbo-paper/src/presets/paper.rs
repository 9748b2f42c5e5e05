//! NeuralBO as the text of its paper has it, and the options that lead away from the text one step at a time.
//!
//! What the paper leaves open is chosen so that training is stable and the sampled function is really maximized:
//! * its learning rate is over the stability limit for the summed loss, so the loss is the mean over a batch;
//! * a training that diverges is repeated at half the rate;
//! * one function is drawn from the posterior, and its maximum is sought by gradient ascent from many starts.

use super::{conflict, network, option};
use crate::neural::covariance::CovarianceKind;
use crate::neural::{
    FeaturePoint, InputDomain, MeanRule, NeuralSettings, Restart, Shift, TargetUnits,
};
use crate::training::Trainer;
use neuralbo::acquisition::maximize::Maximizer;
use neuralbo::net::{Activation, Init};
use neuralbo::strategy::presets::parts;
use neuralbo::strategy::presets::{Method, MethodError, OptionInfo, Options};
use neuralbo::strategy::{AcquisitionRule, Setup, Strategy};

const REWARDS: OptionInfo = option(
    "rewards",
    "units the network is fitted in: raw (as told), standard (zero mean, unit spread), relative (zero at the best, unit spread) or \
     shuffled (raw, permuted before each fit: a control)",
);
const CONSTANT: OptionInfo = option(
    "constant",
    "whether a constant input is appended: yes or no",
);
const INPUTS: OptionInfo = option(
    "inputs",
    "domain of the network: box (-1 to 1 in each of d coordinates), ball (the same over the root of d) or unit (0 to 1)",
);
const INIT: OptionInfo = option(
    "init",
    "initial weights: section6 (all N(0, 1/m)) or section4 (N(0, 2/m), output layer zero)",
);
const SHIFT: OptionInfo = option(
    "shift",
    "output of the untrained network: none (as it is), subtract, or antisymmetric (two mirrored halves)",
);
const MEAN: OptionInfo = option(
    "mean",
    "trained (the network) or linear (the linearized network in closed form)",
);
const SAMPLING: OptionInfo = option(
    "sampling",
    "draws at the candidates: joint (one function) or independent (each its own normal number, line 4 of Algorithm 1)",
);
const REFINED: OptionInfo = option(
    "refined",
    "whether the best candidates are refined by gradient ascent: yes, or no for the best of a list",
);
const EPOCHS: OptionInfo = option(
    "epochs",
    "passes of training over the data, from 1 to 100000",
);
const RATE: OptionInfo = option("rate", "learning rate to begin with, from 1e-9 to 10");

/// The options of a method of this family.
pub(super) const OPTIONS: &[OptionInfo] = &[
    REWARDS,
    CONSTANT,
    INPUTS,
    INIT,
    SHIFT,
    MEAN,
    SAMPLING,
    REFINED,
    EPOCHS,
    RATE,
    network::NU,
    network::LAMBDA,
    parts::WIDTH,
    network::DEPTH,
    parts::INITIAL,
    parts::CANDIDATES,
    parts::OBSERVATIONS,
    network::COVARIANCE,
];

pub(super) const NEURALBO_PAPER: Method = Method {
    name: "neuralbo-paper",
    summary: "NeuralBO to the letter of its paper: 500 ReLU units trained anew for every suggestion, Thompson sampling",
    options: OPTIONS,
    objectives: false,
    outcome_constraints: false,
    build,
};

/// The network of Section 6 and its posterior; the grid of ν is {0.1, 1, 10}.
pub(super) fn settings() -> NeuralSettings {
    NeuralSettings {
        width: 500,
        depth: 2,
        activation: Activation::Relu,
        biases: false,
        inputs: InputDomain::Box,
        constant_input: false,
        init: Init::Standard,
        shift: Shift::None,
        lambda: 0.01,
        nu: 1.0,
        estimated_nu: false,
        features: FeaturePoint::Initial,
        mean: MeanRule::ClosedForm,
        covariance: CovarianceKind::Auto,
        targets: TargetUnits::Raw,
        skip_in_covariance: 0,
    }
}

/// How the mean is found where the options do not say it.
#[derive(Clone, Copy)]
pub(super) struct MeanChoice {
    pub kind: MeanKind,
    /// Half of the largest stable rate where there is none.
    pub rate: Option<f64>,
    pub epochs: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum MeanKind {
    Trained,
    Linear,
}

/// Section 6: 50 epochs of SGD with rate 10⁻³ in batches of 50.
const MEAN_OF_SECTION_6: MeanChoice = MeanChoice {
    kind: MeanKind::Trained,
    rate: Some(1e-3),
    epochs: 50,
};
const BATCH: usize = 50;

fn build(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let (name, settings) = (NEURALBO_PAPER.name, settings());
    strategy(name, settings, MEAN_OF_SECTION_6, setup, options)
}

/// The strategy of a method of this family: its own settings and mean, and the options in their place.
pub(super) fn strategy(
    method: &'static str,
    mut settings: NeuralSettings,
    mean: MeanChoice,
    setup: &Setup,
    options: &Options,
) -> Result<Box<dyn Strategy>, MethodError> {
    network::override_settings(&mut settings, options)?;
    override_inputs(&mut settings, options)?;
    settings.mean = mean_rule(&settings, mean, setup.space.encoded_dim(), options)?;
    let surrogate = network::neural(method, settings, &setup.space)?;
    let independent = AcquisitionRule::IndependentThompson { nu: 1.0 };
    let samplings = [
        ("joint", AcquisitionRule::Thompson { nu: 1.0 }),
        ("independent", independent),
    ];
    let rule = parts::choice(options, SAMPLING, samplings)?.unwrap_or(samplings[0].1);
    let mut parts = parts::model_based(setup, options, surrogate, rule)?;
    if options.flag(REFINED.key)? == Some(false) {
        let candidates = parts.maximizer.settings().candidates;
        parts.maximizer = Maximizer::best_of(candidates).map_err(conflict(method))?;
    }
    Ok(parts.strategy(setup))
}

/// Puts what the options say of the data and the untrained network in the place of the preset's own values.
fn override_inputs(settings: &mut NeuralSettings, options: &Options) -> Result<(), MethodError> {
    let rewards = [
        ("raw", TargetUnits::Raw),
        ("standard", TargetUnits::Standard),
        ("relative", TargetUnits::Relative),
        ("shuffled", TargetUnits::Shuffled),
    ];
    let inputs = [
        ("box", InputDomain::Box),
        ("ball", InputDomain::Ball),
        ("unit", InputDomain::Unit),
    ];
    let inits = [("section6", Init::Standard), ("section4", Init::HeZeroLast)];
    let shifts = [
        ("none", Shift::None),
        ("subtract", Shift::Subtract),
        ("antisymmetric", Shift::Antisymmetric),
    ];
    settings.targets = parts::choice(options, REWARDS, rewards)?.unwrap_or(settings.targets);
    settings.constant_input = options
        .flag(CONSTANT.key)?
        .unwrap_or(settings.constant_input);
    settings.inputs = parts::choice(options, INPUTS, inputs)?.unwrap_or(settings.inputs);
    settings.init = parts::choice(options, INIT, inits)?.unwrap_or(settings.init);
    settings.shift = parts::choice(options, SHIFT, shifts)?.unwrap_or(settings.shift);
    Ok(())
}

/// The linearized network in closed form, or SGD from θ₀ with decay toward θ₀ of weight `mλ` (Algorithm 2).
fn mean_rule(
    settings: &NeuralSettings,
    mean: MeanChoice,
    dim: usize,
    options: &Options,
) -> Result<MeanRule, MethodError> {
    let kinds = [("trained", MeanKind::Trained), ("linear", MeanKind::Linear)];
    let epochs = parts::count(options, EPOCHS, 100_000)?.unwrap_or(mean.epochs);
    let rate = options.number(RATE.key, 1e-9..=10.0)?.or(mean.rate);
    if parts::choice(options, MEAN, kinds)?.unwrap_or(mean.kind) == MeanKind::Linear {
        return Ok(MeanRule::ClosedForm);
    }
    let proximal = settings.width as f64 * settings.lambda;
    let trainer = |rate| Trainer::descent(rate, epochs, BATCH, proximal);
    // `k(x, x) ≈ ‖x‖²` for the weights of Section 6 and of Section 4.
    let stable =
        || trainer(0.0).stable_rate(settings.width, settings.largest_input(dim).powi(2), BATCH);
    Ok(MeanRule::Trained {
        trainer: trainer(rate.unwrap_or_else(|| stable() / 2.0)),
        restart: Restart::Initial,
    })
}
