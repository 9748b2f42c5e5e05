//! From a definition to the strategy that chooses its points.

use std::sync::Arc;

use crate::linalg::Streams;
use crate::record::{Definition, OutcomeConstraint};
use crate::strategy::presets::{MethodError, Options, Registry};
use crate::strategy::{Goals, Setup, Strategy};

/// A fresh strategy of the definition's method; the error names what the method or its options cannot do.
#[cfg_attr(not(feature = "unstable"), doc(hidden))]
pub fn strategy_of(
    definition: &Definition,
    registry: &Registry,
) -> Result<Box<dyn Strategy>, MethodError> {
    let space = Arc::new(definition.space.clone());
    let setup = Setup {
        goals: goals_of(definition),
        ..Setup::new(space, Streams::new(definition.seed))
    };
    let options = Options::parse(&definition.options)?;
    registry.build_for(&definition.method, &setup, &options)
}

/// How many objectives and bounds there are, and the reference point in rewards.
pub(crate) fn goals_of(definition: &Definition) -> Goals {
    let objectives = definition.objectives.iter();
    let reference =
        objectives.map(|objective| Some(objective.direction.reward(objective.reference?)));
    let bounds = definition.constraints.iter().map(OutcomeConstraint::bounds);
    Goals {
        objectives: definition.objectives.len(),
        slacks: bounds.sum(),
        reference: reference.collect(),
    }
}
