//! A build without the feature `lab`: built-in functions are refused. It stands in for the module `function`.

use neuralbo::record::{Definition, Direction, Outcome, OutcomeConstraint};
use neuralbo::space::{Params, Space};

use super::args::RunArgs;
use crate::output::CommandError;

pub use self::NoFunction as BuiltinFunction;

/// Cannot be made.
pub enum NoFunction {}

impl NoFunction {
    pub fn new(name: &str, _: &RunArgs, _: &Definition) -> Result<Self, CommandError> {
        Err(refused(name))
    }

    pub fn value(&self, _: &Params) -> Option<f64> {
        match *self {}
    }

    pub fn observed(&self, _: &Params, _: u64) -> Outcome {
        match *self {}
    }
}

pub fn outcome_constraints(
    name: &str,
    _: &RunArgs,
) -> Result<Vec<OutcomeConstraint>, CommandError> {
    Err(refused(name))
}

pub fn problem(name: &str, _: &RunArgs) -> Result<(Space, Direction, String), CommandError> {
    Err(refused(name))
}

fn refused(name: &str) -> CommandError {
    CommandError::usage(
        "--function",
        format!(
            "`{name}` is not available: this program was built without functions (feature `lab`)"
        ),
    )
}
