//! A random forest and expected improvement, SMAC's model.

use super::{conflict, modelled, option};
use crate::forest::{Forest, ForestSettings};
use neuralbo::strategy::presets::parts;
use neuralbo::strategy::presets::{Method, MethodError, OptionInfo, Options};
use neuralbo::strategy::{AcquisitionRule, Setup, Strategy};

const TREES: OptionInfo = option(
    "trees",
    "number of trees, from 1 to 100000; 500 if not given",
);

pub(super) const RF: Method = Method {
    name: "rf",
    summary: "a random forest of 500 trees and expected improvement",
    options: &[TREES, parts::INITIAL, parts::CANDIDATES],
    objectives: false,
    outcome_constraints: false,
    build,
};

fn build(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let mut settings = ForestSettings::default();
    settings.trees = parts::count(options, TREES, 100_000)?.unwrap_or(settings.trees);
    let forest = Forest::new(settings).map_err(conflict(RF.name))?;
    let rule = AcquisitionRule::ExpectedImprovement;
    modelled(setup, options, rule, Box::new(forest))
}
