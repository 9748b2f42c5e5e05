//! The other models of the paper's comparison: a random forest and expected improvement (SMAC's model), deep features under a linear
//! regression, and a greedy network.

use neuralbo::strategy::presets::parts;
use neuralbo::strategy::presets::{Method, MethodError, OptionInfo, Options};
use neuralbo::strategy::{AcquisitionRule, InitialDesign, Setup, Strategy};

use super::{conflict, option};
use crate::dngo::{Dngo, DngoSettings, PrecisionRule};
use crate::forest::{Forest, ForestSettings};
use crate::greedy::{Greedy, GreedySettings, warm_up};

const PRECISIONS: OptionInfo = option(
    "precisions",
    "the regression's two precisions: sampled (integrated over) or evidence (maximized)",
);
const HORIZON: OptionInfo = option(
    "horizon",
    "rounds T that the number of initial points follows, from 1 to 1000000; 2000 if not given",
);
const PERTURBATION: OptionInfo = option(
    "perturbation",
    "noise on the targets in units of the rewards' standard deviation, from 0 to 100; 0.1 if not given",
);

pub(super) const DNGO: Method = Method {
    name: "dngo",
    summary: "a Bayesian linear regression on the last layer of a trained network, and expected improvement",
    options: &[
        PRECISIONS,
        parts::INITIAL,
        parts::CANDIDATES,
        parts::OBSERVATIONS,
    ],
    objectives: false,
    outcome_constraints: false,
    build: dngo,
};

pub(super) const NEURAL_GREEDY: Method = Method {
    name: "neural-greedy",
    summary: "a network fitted to randomly perturbed rewards, whose maximum is the next point",
    options: &[
        HORIZON,
        PERTURBATION,
        parts::WIDTH,
        parts::INITIAL,
        parts::CANDIDATES,
        parts::OBSERVATIONS,
    ],
    objectives: false,
    outcome_constraints: false,
    build: greedy,
};

fn dngo(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let mut settings = DngoSettings::default();
    if options.word(PRECISIONS.key, &["sampled", "evidence"])? == Some("evidence") {
        settings.hyper_parameters = PrecisionRule::Evidence;
    }
    let model = Dngo::new(settings).map_err(conflict(DNGO.name))?;
    let rule = AcquisitionRule::ExpectedImprovement;
    let parts = parts::model_based(setup, options, Box::new(model), rule)?;
    Ok(parts.strategy(setup))
}

fn greedy(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let mut settings = GreedySettings::default();
    settings.width = parts::count(options, parts::WIDTH, 16_384)?.unwrap_or(settings.width);
    settings.perturbation = options
        .number(PERTURBATION.key, 0.0..=100.0)?
        .unwrap_or(settings.perturbation);
    let rounds = parts::count(options, HORIZON, 1_000_000)?.unwrap_or(2000);
    let model = Greedy::new(settings).map_err(conflict(NEURAL_GREEDY.name))?;
    let mut parts = parts::model_based(setup, options, Box::new(model), AcquisitionRule::Mean)?;
    if parts::count(options, parts::INITIAL, 100_000)?.is_none() {
        let points = warm_up(setup.space.encoded_dim(), rounds);
        parts.initial = InitialDesign::new(setup, points);
    }
    Ok(parts.strategy(setup))
}

const TREES: OptionInfo = option(
    "trees",
    "number of trees, from 1 to 100000; 500 if not given",
);

pub(super) const RF: Method = Method {
    name: "rf",
    summary: "a random forest of 500 trees and expected improvement",
    options: &[
        TREES,
        parts::INITIAL,
        parts::CANDIDATES,
        parts::OBSERVATIONS,
    ],
    objectives: false,
    outcome_constraints: false,
    build: forest,
};

fn forest(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let mut settings = ForestSettings::default();
    settings.trees = parts::count(options, TREES, 100_000)?.unwrap_or(settings.trees);
    let forest = Forest::new(settings).map_err(conflict(RF.name))?;
    let rule = AcquisitionRule::ExpectedImprovement;
    let parts = parts::model_based(setup, options, Box::new(forest), rule)?;
    Ok(parts.strategy(setup))
}
