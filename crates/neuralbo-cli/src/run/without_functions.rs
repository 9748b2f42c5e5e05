//! A build without the feature `lab`: built-in functions are refused. It stands in for the module `function`.

use neuralbo::record::{Definition, Outcome};
use neuralbo::space::Params;

use super::args::RunArgs;
use super::evaluator::RunProblem;
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

pub fn problem(name: &str, _: &RunArgs) -> Result<RunProblem, CommandError> {
    Err(refused(name))
}

fn refused(name: &str) -> CommandError {
    let reason = "this program was built without functions (feature `lab`)";
    CommandError::usage("--function", format!("`{name}` is not available: {reason}"))
}
