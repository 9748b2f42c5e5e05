//! A random forest and expected improvement, SMAC's model.

use crate::forest::{Forest, ForestSettings};
use neuralbo::strategy::presets::parts::{self, Choices};
use neuralbo::strategy::presets::{Method, MethodError, OptionInfo, Options};
use neuralbo::strategy::{AcquisitionRule, Setup, Strategy};

const TREES: OptionInfo = OptionInfo {
    key: "trees",
    help: "number of trees, from 1 to 100000; 500 if not given",
};

pub(super) const RF: Method = Method {
    name: "rf",
    summary: "a random forest of 500 trees and expected improvement",
    options: &[TREES, parts::INITIAL, parts::CANDIDATES],
    objectives: false,
    outcomes: false,
    build,
};

fn build(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let mut settings = ForestSettings::default();
    settings.trees = parts::count(options, TREES, 100_000)?.unwrap_or(settings.trees);
    let forest = Forest::new(settings).map_err(|error| MethodError::Conflict {
        method: RF.name,
        reason: error.to_string(),
    })?;
    let choices = Choices {
        initial: parts::initial_size(&setup.space, options)?,
        rule: AcquisitionRule::ExpectedImprovement,
        maximizer: parts::maximizer(options)?,
    };
    Ok(parts::model_based(setup, Box::new(forest), choices))
}
