//! The settings of Theorem 1.
//!
//! # Training
//! The theorem asks for `J = (1 + LT/λ)(1 + log(T³L λ⁻¹ log(1/α)))` steps of full-batch descent from θ₀, about `6·J·t·p` operations
//! for `t` observations: T³ in all of a run, so that a suggestion at T = 2000 would take minutes with any useful width. The default
//! is therefore T = 200, and the width is the largest with which training on T observations is within [`STEP_BUDGET`]. Where it is
//! not (a given width, more than T observations, many inputs) the mean is the
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

/// Operations a suggestion may spend on descent: about a second of one core.
const STEP_BUDGET: f64 = 2e10;
/// Rounds T unless told otherwise.
const ROUNDS: usize = 200;
/// Narrowest and widest network unless told otherwise. The widest is that of Section 6; below the narrowest the closed form of a
/// wide network is closer to the theorem than a trained one.
const NARROWEST: usize = 16;
const WIDEST: usize = 500;

const HORIZON: OptionInfo = option(
    "horizon",
    "rounds T the guarantee is for, from 1 to 1000000; 200 if not given",
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
fn settings(options: &Options, dim: usize) -> Result<NeuralSettings, MethodError> {
    let rounds = parts::count(options, HORIZON, 1_000_000)?.unwrap_or(ROUNDS);
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
    let steps = descent_steps(settings.depth, rounds, alpha, settings.lambda)
        .map_err(conflict(NEURALBO_THEORY.name))?;
    let steps = steps.ceil().max(1.0) as usize;
    if options.text(parts::WIDTH.key).is_none() {
        settings.width = widest(settings, dim, steps, rounds);
    }
    let rate = learning_rate(settings.width, settings.depth, rounds, settings.lambda)
        .map_err(conflict(NEURALBO_THEORY.name))?;
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

/// The largest even width that can be trained on all `rounds`; the widest of all where none can.
fn widest(settings: NeuralSettings, dim: usize, steps: usize, rounds: usize) -> usize {
    let trainer = Trainer::descent(0.0, steps, usize::MAX, 0.0);
    let fits = |width: &usize| {
        let narrower = NeuralSettings {
            width: *width,
            ..settings
        };
        let shape = narrower.architecture(dim);
        shape.is_ok_and(|shape| trainer.operations(rounds, shape.parameters()) <= STEP_BUDGET)
    };
    let mut widths = (NARROWEST..=WIDEST).rev().step_by(2);
    widths.find(fits).unwrap_or(WIDEST)
}

fn build(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let settings = settings(options, setup.space.encoded_dim())?;
    let surrogate = network::neural(NEURALBO_THEORY.name, settings, &setup.space)?;
    let rule = AcquisitionRule::Thompson { nu: 1.0 };
    Ok(parts::model_based(setup, options, surrogate, rule)?.strategy(setup))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fixtures::{dataset, random_rows};
    use crate::neural::NeuralSurrogate;
    use neuralbo::linalg::Streams;
    use neuralbo::surrogate::Surrogate;

    fn settings_of(options: &[&str], dim: usize) -> NeuralSettings {
        settings(&Options::parse(options).unwrap(), dim).unwrap()
    }

    /// The training for `t` observations; `None` for the closed form.
    fn training(settings: &NeuralSettings, dim: usize, t: usize) -> Option<Trainer> {
        let p = settings.architecture(dim).unwrap().parameters();
        settings.mean.training(t, p).map(|(trainer, _)| trainer)
    }

    #[test]
    fn by_default_every_one_of_the_rounds_is_trained_for_all_steps_of_the_theorem() {
        let steps = descent_steps(2, ROUNDS, 0.1, 1.0 + 1.0 / ROUNDS as f64).unwrap();
        for (dim, width) in [(1, 500), (2, 500), (10, 188), (20, 102), (100, 22)] {
            let settings = settings_of(&[], dim);
            assert_eq!(settings.width, width, "{dim} dimensions");
            let trainer = training(&settings, dim, ROUNDS).unwrap();
            assert_eq!(trainer.epochs, steps.ceil() as usize);
            assert!(trainer.batch >= ROUNDS && trainer.loss == LossScale::Sum);
        }
    }

    /// The trained mean is near its limit, as the lemma of the paper has it, but not the limit.
    #[test]
    fn the_mean_is_that_of_a_trained_network() {
        let (data, points) = (dataset(2, 20, |x| x[0] - x[1]), random_rows(2, 30, 5));
        let means = |settings| {
            let mut surrogate = NeuralSurrogate::<f64>::new(settings, 2).unwrap();
            let posterior = surrogate.fit(&data, &Streams::new(3)).unwrap();
            posterior.predict(&points).mean
        };
        let settings = settings_of(&["horizon=20", "width=64"], 2);
        let limit = means(NeuralSettings {
            mean: MeanRule::ClosedForm,
            ..settings
        });
        let trained = means(settings);
        let largest = |of: &dyn Fn(usize) -> f64| (0..30).map(|i| of(i).abs()).fold(0.0, f64::max);
        let apart = largest(&|i| trained[i] - limit[i]) / largest(&|i| limit[i]);
        assert!(apart > 1e-6 && apart < 0.3, "{apart}");
    }

    #[test]
    fn what_would_take_too_long_is_not_trained() {
        let told = settings_of(&["width=500"], 20);
        assert_eq!(told.width, 500);
        assert!(training(&told, 20, ROUNDS).is_none() && training(&told, 20, 21).is_some());
        let long = settings_of(&["horizon=2000"], 10);
        assert_eq!(long.width, WIDEST);
        assert!(training(&long, 10, 2000).is_none());
    }
}
