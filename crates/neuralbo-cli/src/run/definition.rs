//! The definition of a study: of the options, or the stored one with what the options say otherwise.

use std::hash::{BuildHasher, Hasher, RandomState};

use neuralbo::record::{Definition, ObjectiveSpec, Retries, VALUE};
use neuralbo::store::StoreError;
use neuralbo::strategy::presets::{DEFAULT_METHOD, Options};
use neuralbo_store::{Access, open_for};

use super::args::RunArgs;
use super::evaluator;
use crate::output::CommandError;

/// The definition and a name of the problem.
pub fn read(args: &RunArgs) -> Result<(Definition, String), CommandError> {
    match stored_definition(args)? {
        Some(stored) => Ok((altered(args, stored)?, String::new())),
        None => fresh_definition(args),
    }
}

/// The definition that the options describe, and a name of the problem.
fn fresh_definition(args: &RunArgs) -> Result<(Definition, String), CommandError> {
    let problem = evaluator::problem(args)?;
    let method = args.method.as_deref().unwrap_or(DEFAULT_METHOD);
    let mut definition = Definition {
        method: method.to_owned(),
        options: method_options(args)?,
        seed: args.seed.unwrap_or_else(fresh_seed),
        retries: args.retries(&Retries::default())?,
        pruner: args.work.prune.clone().and_then(|prune| prune.0),
        outcome_constraints: problem.outcome_constraints,
        ..Definition::new(problem.space, problem.direction)
    };
    args.goals.apply(&mut definition)?;
    Ok((definition, problem.name))
}

fn names_no_space(args: &RunArgs) -> bool {
    let given = [args.parameters.is_empty(), args.renames.is_empty()];
    given == [true; 2] && args.space.is_none() && args.function.is_none()
}

/// The definition of a study that the options name without its parameters.
fn stored_definition(args: &RunArgs) -> Result<Option<Definition>, CommandError> {
    let Some(name) = args.study.as_ref().filter(|_| names_no_space(args)) else {
        return Ok(None);
    };
    let missing = |error: StoreError| match error {
        StoreError::Missing { .. } | StoreError::UnknownStudy { .. } => CommandError::usage(
            "--study",
            format!(
                "{error}; a new study needs its parameters: --param NAME=DOMAIN or --space FILE"
            ),
        ),
        error => error.into(),
    };
    args.storage.warn();
    let store = open_for(args.storage.url(), Access::Read).map_err(missing)?;
    Ok(Some(store.study(name).map_err(missing)?.definition))
}

/// A stored definition with what the options say otherwise.
fn altered(args: &RunArgs, mut stored: Definition) -> Result<Definition, CommandError> {
    stored.space = evaluator::constrained(&stored.space, &args.constraints)?;
    evaluator::template(&args.command, &args.work, &stored.space)?;
    stored.method = args.method.clone().unwrap_or(stored.method);
    if args.method.is_some() || !args.options.is_empty() {
        stored.options = method_options(args)?;
    }
    if args.direction.is_some() {
        stored.objectives = vec![ObjectiveSpec::new(VALUE, args.direction())];
    }
    if !args.goals.outcome_constraints.is_empty() {
        stored.outcome_constraints.clear();
    }
    args.goals.apply(&mut stored)?;
    Ok(stored)
}

fn method_options(args: &RunArgs) -> Result<Vec<String>, CommandError> {
    let options = Options::parse(&args.options)?;
    let option = |key| format!("{key}={}", options.text(key).unwrap_or_default());
    Ok(options.keys().map(option).collect())
}

/// A seed short enough to type.
fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish() & u64::from(u32::MAX)
}
