//! A random forest and expected improvement, SMAC's model.

use super::parts::{self, Choices};
use super::{Method, MethodError, OptionInfo, Options};
use crate::space::Space;
use crate::strategy::{AcquisitionRule, Strategy};
use crate::surrogate::forest::{Forest, ForestSettings};

const TREES: OptionInfo = OptionInfo { key: "trees", help: "number of trees, from 1 to 100000; 500 if not given" };

pub(super) const RF: Method = Method {
    name: "rf",
    summary: "a random forest of 500 trees and expected improvement",
    options: &[TREES, parts::INITIAL, parts::CANDIDATES],
    several: false,
    build,
};

fn build(space: &Space, seed: u64, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let mut settings = ForestSettings::default();
    settings.trees = parts::count(options, TREES, 100_000)?.unwrap_or(settings.trees);
    let forest = Forest::new(settings).map_err(|error| MethodError::Conflict { method: RF.name, reason: error.to_string() })?;
    let choices = Choices {
        initial: parts::initial_size(space, options)?,
        rule: AcquisitionRule::ExpectedImprovement,
        maximizer: parts::maximizer(options)?,
    };
    Ok(parts::model_based(space, seed, Box::new(forest), choices))
}
