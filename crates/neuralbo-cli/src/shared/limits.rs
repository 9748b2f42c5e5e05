//! The rules that a stored study keeps.

use neuralbo_store::Limits;

use crate::run::args::{DEFAULT_TRIALS, RunArgs};

/// The rules that were given.
pub fn given(args: &RunArgs) -> Limits {
    Limits { trials: args.trials, target: args.target, patience: args.patience }
}

/// The rules of a new study for which none was given.
pub fn default(args: &RunArgs) -> Limits {
    Limits { trials: args.time.is_none().then_some(DEFAULT_TRIALS), ..Limits::default() }
}
