//! What the methods have in common: options with their bounds, and the parts of a model-based strategy.

use super::{MethodError, OptionInfo, Options};
use crate::acquisition::maximize::{Maximizer, MaximizerSettings};
use crate::space::Space;
use crate::strategy::{
    AcquisitionRule, DesignKind, InitialDesign, ModelBased, ModelBasedParts, Setup, Strategy,
};
use crate::surrogate::Surrogate;
use crate::surrogate::neural::covariance::CovarianceKind;
use crate::surrogate::neural::{NeuralSettings, NeuralSurrogate};

pub(super) const NU: OptionInfo = OptionInfo {
    key: "nu",
    help: "exploration: factor of the standard deviation, from 0 to 1e6",
};
pub(super) const LAMBDA: OptionInfo = OptionInfo {
    key: "lambda",
    help: "regularizer, from 1e-9 to 1e9",
};
pub(super) const WIDTH: OptionInfo = OptionInfo {
    key: "width",
    help: "units of a hidden layer, from 1 to 16384",
};
pub(super) const DEPTH: OptionInfo = OptionInfo {
    key: "depth",
    help: "layers of weights, from 2 to 16",
};
pub(super) const INITIAL: OptionInfo = OptionInfo {
    key: "initial",
    help: "points of the initial design, from 1 to 100000",
};
pub(super) const CANDIDATES: OptionInfo = OptionInfo {
    key: "candidates",
    help: "points at which the acquisition is looked at first, from 1 to 10000000",
};
pub(super) const COVARIANCE: OptionInfo = OptionInfo {
    key: "covariance",
    help: "how the uncertainty is computed: auto, dual, iterative, dense, diagonal",
};

/// λ may be tiny, but not so tiny that a factor in double precision is all rounding.
const LAMBDAS: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// Puts the options every neural preset has in the place of its own values.
pub(super) fn override_settings(
    settings: &mut NeuralSettings,
    options: &Options,
) -> Result<(), MethodError> {
    settings.nu = options.number(NU.key, 0.0..=1e6)?.unwrap_or(settings.nu);
    settings.lambda = options
        .number(LAMBDA.key, LAMBDAS)?
        .unwrap_or(settings.lambda);
    settings.width = count(options, WIDTH, 16_384)?.unwrap_or(settings.width);
    settings.depth = options
        .integer(DEPTH.key, 2..=16)?
        .map_or(settings.depth, |depth| depth as usize);
    let kinds = [
        ("auto", CovarianceKind::Auto),
        ("dual", CovarianceKind::Dual),
        ("iterative", CovarianceKind::Iterative),
        ("dense", CovarianceKind::Dense),
        ("diagonal", CovarianceKind::Diagonal),
    ];
    settings.covariance = choice(options, COVARIANCE, kinds)?.unwrap_or(settings.covariance);
    Ok(())
}

/// What one of some words stands for, if the option is given.
pub(super) fn choice<T: Copy, const N: usize>(
    options: &Options,
    option: OptionInfo,
    meanings: [(&'static str, T); N],
) -> Result<Option<T>, MethodError> {
    let word = options.word(option.key, &meanings.map(|(word, _)| word))?;
    Ok(word
        .and_then(|word| meanings.into_iter().find(|(name, _)| *name == word))
        .map(|(_, meaning)| meaning))
}

/// A whole number from 1 to `most`, if the option is given.
pub(super) fn count(
    options: &Options,
    option: OptionInfo,
    most: u64,
) -> Result<Option<usize>, MethodError> {
    Ok(options
        .integer(option.key, 1..=most)?
        .map(|count| count as usize))
}

/// The size of the initial design: as told, or `d + 1` points for `d` parameters (Section 6 of the paper).
pub(super) fn initial_size(space: &Space, options: &Options) -> Result<usize, MethodError> {
    Ok(count(options, INITIAL, 100_000)?.unwrap_or(space.encoded_dim() + 1))
}

/// The default maximizer with its number of candidates as told.
pub(super) fn maximizer(options: &Options) -> Result<Maximizer, MethodError> {
    let settings = MaximizerSettings::default();
    let candidates = count(options, CANDIDATES, 10_000_000)?.unwrap_or(settings.candidates);
    let settings = MaximizerSettings {
        candidates,
        ..settings
    };
    Maximizer::new(settings).map_err(|error| MethodError::BadOption {
        key: CANDIDATES.key.to_owned(),
        value: candidates.to_string(),
        allowed: error.to_string(),
    })
}

/// The network as a surrogate in single precision; what its settings cannot be is an answer to the options.
pub(super) fn neural(
    method: &'static str,
    mut settings: NeuralSettings,
    space: &Space,
) -> Result<Box<dyn Surrogate>, MethodError> {
    // A network needs an input even where every parameter is fixed.
    settings.constant_input |= space.encoded_dim() == 0;
    match NeuralSurrogate::<f32>::new(settings, space.encoded_dim()) {
        Ok(surrogate) => Ok(Box::new(surrogate)),
        Err(error) => Err(MethodError::Conflict {
            method,
            reason: error.to_string(),
        }),
    }
}

/// What is left to choose once there is a model.
pub(super) struct Choices {
    pub initial: usize,
    pub rule: AcquisitionRule,
    pub maximizer: Maximizer,
}

/// Model-based optimization from a scrambled Sobol design.
pub(super) fn model_based(
    setup: &Setup,
    surrogate: Box<dyn Surrogate>,
    choices: Choices,
) -> Box<dyn Strategy> {
    let initial = InitialDesign::new(setup, DesignKind::Sobol, choices.initial);
    let parts = ModelBasedParts {
        initial,
        surrogate,
        rule: choices.rule,
        maximizer: choices.maximizer,
    };
    Box::new(ModelBased::new(setup.clone(), parts))
}
