//! The settings of Theorem 1.
//!
//! # Training
//! The theorem asks for `J = (1 + LT/λ)(1 + log(T³L λ⁻¹ log(1/α)))` steps of full-batch descent from θ₀: 10⁵ of them at
//! T = 2000. They are taken while their arithmetic, about `6·J·t·p` operations, is within [`STEP_BUDGET`]. Beyond it the mean is the
//! point those steps converge to in the linearized network, `θ₀ + G(K + λI)⁻¹(y − h₀)/m`: descent on the linearized objective
//! contracts the distance to it by `1 − ηmλ` a step, and the trained parameters stay within
//! `(1 − ηmλ)^{J/2} √(t/mλ)` of it up to terms that vanish with the width (Zhou, Li and Gu 2020, Lemma B.2, on which the paper's
//! analysis of TrainNN rests).
//!
//! # Units
//! Rewards are standardized, so `B` and `R` are in units of their standard deviation; with `rewards=raw` all are in the units of the
//! rewards, as in the theorem.

use super::{conflict, network, option, paper};
use crate::neural::{MeanRule, NeuralSettings, TargetUnits};
use crate::theory::{confidence_width, descent_steps, learning_rate};
use crate::training::{LossScale, Trainer};
use neuralbo::net::Init;
use neuralbo::strategy::presets::parts;
use neuralbo::strategy::presets::{Method, MethodError, OptionInfo, Options};
use neuralbo::strategy::{AcquisitionRule, Setup, Strategy};

/// Operations a suggestion may spend on descent: about a third of a second of one core.
const STEP_BUDGET: f64 = 2e10;

const HORIZON: OptionInfo = option(
    "horizon",
    "rounds T the guarantee is for, from 1 to 1000000; 2000 if not given",
);
const NORM_BOUND: OptionInfo = option(
    "norm-bound",
    "bound B on the objective's norm in the kernel's space, from 0 to 1e6; 1 if not given",
);
const NOISE: OptionInfo = option(
    "noise",
    "sub-Gaussian parameter R of the noise, from 0 to 1e6; 0.1 if not given",
);
const ALPHA: OptionInfo = option(
    "alpha",
    "probability with which the guarantee may fail, from 1e-12 to 0.5; 0.1 if not given",
);
const REWARDS: OptionInfo = option(
    "rewards",
    "units of B, R and the network's targets: standard (standard deviations of the rewards; if not given) or raw (as told)",
);
const INIT: OptionInfo = option(
    "init",
    "initial weights: antisymmetric (two mirrored halves) or he-zero-last (zero output layer)",
);

pub(super) const NEURALBO_THEORY: Method = Method {
    name: "neuralbo-theory",
    summary: "NeuralBO with the settings of its regret bound: Theorem 1's exploration, regularizer and descent",
    options: &[
        HORIZON,
        NORM_BOUND,
        NOISE,
        ALPHA,
        REWARDS,
        INIT,
        parts::WIDTH,
        network::DEPTH,
        parts::INITIAL,
        parts::CANDIDATES,
        parts::OBSERVATIONS,
        network::COVARIANCE,
    ],
    objectives: false,
    outcome_constraints: false,
    build,
};

/// λ = 1 + 1/T, ν from (B, R, α), η and J, all of Theorem 1.
fn settings(options: &Options) -> Result<NeuralSettings, MethodError> {
    let rounds = parts::count(options, HORIZON, 1_000_000)?.unwrap_or(2000);
    let norm_bound = options.number(NORM_BOUND.key, 0.0..=1e6)?.unwrap_or(1.0);
    let noise = options.number(NOISE.key, 0.0..=1e6)?.unwrap_or(0.1);
    let alpha = options.number(ALPHA.key, 1e-12..=0.5)?.unwrap_or(0.1);
    let init = match options.word(INIT.key, &["antisymmetric", "he-zero-last"])? {
        Some("he-zero-last") => Init::HeZeroLast,
        _ => Init::Antisymmetric,
    };
    let targets = match options.word(REWARDS.key, &["standard", "raw"])? {
        Some("raw") => TargetUnits::Raw,
        _ => TargetUnits::Standard,
    };
    let mut settings = NeuralSettings {
        init,
        constant_input: true,
        targets,
        ..paper::settings()
    };
    network::override_settings(&mut settings, options)?;
    settings.lambda = 1.0 + 1.0 / rounds as f64;
    settings.nu = confidence_width(norm_bound, noise, alpha, settings.lambda)
        .map_err(conflict(NEURALBO_THEORY.name))?;
    let rate = learning_rate(settings.width, settings.depth, rounds, settings.lambda)
        .map_err(conflict(NEURALBO_THEORY.name))?;
    let steps = descent_steps(settings.depth, rounds, alpha, settings.lambda)
        .map_err(conflict(NEURALBO_THEORY.name))?;
    let steps = steps.ceil().max(1.0) as usize;
    let proximal = settings.width as f64 * settings.lambda;
    settings.mean = MeanRule::TrainedWithin {
        trainer: Trainer {
            loss: LossScale::Sum,
            ..Trainer::descent(rate, steps, usize::MAX, proximal)
        },
        budget: STEP_BUDGET,
    };
    Ok(settings)
}

fn build(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let surrogate = network::neural(NEURALBO_THEORY.name, settings(options)?, &setup.space)?;
    let rule = AcquisitionRule::Thompson { nu: 1.0 };
    Ok(parts::model_based(setup, options, surrogate, rule)?.strategy(setup))
}
