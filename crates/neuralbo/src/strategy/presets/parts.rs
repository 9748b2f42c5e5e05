//! What methods have in common: options with their bounds, and the parts of a model-based strategy.

use super::{MethodError, OptionInfo, Options};
use crate::acquisition::maximize::{Maximizer, MaximizerSettings};
use crate::space::Space;
use crate::strategy::{AcquisitionRule, InitialDesign, ModelBasedParts, Setup};
use crate::surrogate::Surrogate;

/// Exploration ν.
pub const NU: OptionInfo = OptionInfo {
    key: "nu",
    help: "exploration: factor of the standard deviation, from 0 to 1e6",
};
/// Width of a network.
pub const WIDTH: OptionInfo = OptionInfo {
    key: "width",
    help: "units of a hidden layer, from 1 to 16384",
};
/// Size of the initial design.
pub const INITIAL: OptionInfo = OptionInfo {
    key: "initial",
    help: "points of the initial design, from 1 to 100000",
};
/// Candidates of the maximizer.
pub const CANDIDATES: OptionInfo = OptionInfo {
    key: "candidates",
    help: "points at which the acquisition is looked at first, from 1 to 10000000",
};
/// Observations of the model.
pub const OBSERVATIONS: OptionInfo = OptionInfo {
    key: "observations",
    help: "most observations of the model, recent ones and some of the older ones, from 500 to 10000; 2000 if not given",
};

/// What one of some words stands for, if the option is given.
pub fn choice<T: Copy, const N: usize>(
    options: &Options,
    option: OptionInfo,
    meanings: [(&'static str, T); N],
) -> Result<Option<T>, MethodError> {
    let word = options.word(option.key, &meanings.map(|(word, _)| word))?;
    let meaning = |word| meanings.into_iter().find(|(name, _)| *name == word);
    Ok(word.and_then(meaning).map(|(_, meaning)| meaning))
}

/// A whole number from 1 to `most`, if the option is given.
pub fn count(
    options: &Options,
    option: OptionInfo,
    most: u64,
) -> Result<Option<usize>, MethodError> {
    Ok(options.integer(option.key, 1..=most)?.map(|c| c as usize))
}

/// The size of the initial design: as told, or `d + 1` points for `d` parameters (Section 6 of the paper).
pub fn initial_size(space: &Space, options: &Options) -> Result<usize, MethodError> {
    Ok(count(options, INITIAL, 100_000)?.unwrap_or(space.encoded_dim() + 1))
}

/// The default maximizer with its number of candidates as told.
pub fn maximizer(options: &Options) -> Result<Maximizer, MethodError> {
    let mut settings = MaximizerSettings::default();
    let candidates = count(options, CANDIDATES, 10_000_000)?.unwrap_or(settings.candidates);
    settings.candidates = candidates;
    Maximizer::new(settings).map_err(|error| MethodError::BadOption {
        key: CANDIDATES.key.to_owned(),
        value: candidates.to_string(),
        allowed: error.to_string(),
    })
}

/// A model whose acquisition function is maximized over the whole space after a scrambled Sobol design, with what the options say of
/// the design, the maximizer and the observations.
pub fn model_based(
    setup: &Setup,
    options: &Options,
    surrogate: Box<dyn Surrogate>,
    rule: AcquisitionRule,
) -> Result<ModelBasedParts, MethodError> {
    let told = options.integer(OBSERVATIONS.key, 500..=10_000)?;
    Ok(ModelBasedParts {
        initial: InitialDesign::new(setup, initial_size(&setup.space, options)?),
        surrogate,
        rule,
        maximizer: maximizer(options)?,
        observations: told.map_or(ModelBasedParts::OBSERVATIONS, |most| most as usize),
    })
}
