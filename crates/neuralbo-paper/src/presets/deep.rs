//! The other networks of the paper's comparison: deep features under a linear regression, and a greedy network.

use crate::dngo::{Dngo, DngoSettings, HyperParameters};
use crate::greedy::{Greedy, GreedySettings, warm_up};
use neuralbo::strategy::presets::parts::{self, Choices};
use neuralbo::strategy::presets::{Method, MethodError, OptionInfo, Options};
use neuralbo::strategy::{AcquisitionRule, Setup, Strategy};

const PRECISIONS: OptionInfo = OptionInfo {
    key: "precisions",
    help: "the regression's two precisions: sampled (integrated over) or evidence (maximized)",
};
const HORIZON: OptionInfo = OptionInfo {
    key: "horizon",
    help: "rounds T that the number of initial points follows, from 1 to 1000000; 2000 if not given",
};
const PERTURBATION: OptionInfo = OptionInfo {
    key: "perturbation",
    help: "noise on the targets in units of the rewards' standard deviation, from 0 to 100; 0.1 if not given",
};

pub(super) const DNGO: Method = Method {
    name: "dngo",
    summary: "a Bayesian linear regression on the last layer of a trained network, and expected improvement",
    options: &[PRECISIONS, parts::INITIAL, parts::CANDIDATES],
    objectives: false,
    outcomes: false,
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
    ],
    objectives: false,
    outcomes: false,
    build: greedy,
};

fn dngo(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let mut settings = DngoSettings::default();
    if options.word(PRECISIONS.key, &["sampled", "evidence"])? == Some("evidence") {
        settings.hyper_parameters = HyperParameters::Evidence;
    }
    let model = Dngo::new(settings).map_err(|error| MethodError::Conflict {
        method: DNGO.name,
        reason: error.to_string(),
    })?;
    let choices = Choices {
        initial: parts::initial_size(&setup.space, options)?,
        rule: AcquisitionRule::ExpectedImprovement,
        maximizer: parts::maximizer(options)?,
    };
    Ok(parts::model_based(setup, Box::new(model), choices))
}

fn greedy(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let mut settings = GreedySettings::default();
    settings.width = parts::count(options, parts::WIDTH, 16_384)?.unwrap_or(settings.width);
    settings.perturbation = options
        .number(PERTURBATION.key, 0.0..=100.0)?
        .unwrap_or(settings.perturbation);
    let rounds = parts::count(options, HORIZON, 1_000_000)?.unwrap_or(2000);
    let initial = parts::count(options, parts::INITIAL, 100_000)?;
    let conflict = |error: crate::greedy::GreedyError| MethodError::Conflict {
        method: NEURAL_GREEDY.name,
        reason: error.to_string(),
    };
    let model = Greedy::new(settings).map_err(conflict)?;
    let choices = Choices {
        initial: initial.unwrap_or_else(|| warm_up(setup.space.encoded_dim(), rounds)),
        rule: AcquisitionRule::Mean,
        maximizer: parts::maximizer(options)?,
    };
    Ok(parts::model_based(setup, Box::new(model), choices))
}
