//! From the options of a run to its checked parts.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::sync::Arc;

use neuralbo::space::{Parameter, Space};
use neuralbo::strategy::Strategy;
use neuralbo::strategy::presets::{self, MethodError, Options};
use neuralbo::study::{Direction, StopRules};
use neuralbo_lab::problems::by_name;
use neuralbo_lab::problems::wrappers::Noisy;

use super::args::{DEFAULT_TRIALS, RunArgs, Way};
use super::objective::{Function, Objective, Program};
use super::recorder::{COLUMNS, TRUE_VALUE};
use crate::exit::CommandError;
use crate::interrupt::Interrupt;
use crate::template::Template;

/// What is optimized, where and which way.
pub struct Problem {
    /// A name for people.
    pub name: String,
    /// What is searched.
    pub space: Space,
    /// Which way is better.
    pub direction: Direction,
    /// What gives values.
    pub objective: Box<dyn Objective>,
}

/// The problem that the options describe.
pub fn problem(args: &RunArgs, seed: u64, interrupt: &Arc<Interrupt>) -> Result<Problem, CommandError> {
    match &args.function {
        Some(name) => function(name, args, seed),
        None => program(args, seed, interrupt),
    }
}

fn function(name: &str, args: &RunArgs, seed: u64) -> Result<Problem, CommandError> {
    let problem = by_name(name, args.dim).map_err(|error| CommandError::usage("--function", error))?;
    let space = Space::from_bounds(&problem.bounds()).map_err(|error| CommandError::usage("--function", error))?;
    let (name, direction) = (problem.name(), problem.direction());
    let noisy = Noisy::new(problem, args.noise.unwrap_or(0.0), seed).map_err(|error| CommandError::usage("--noise", error))?;
    Ok(Problem { name, space, direction, objective: Box::new(Function(noisy)) })
}

fn program(args: &RunArgs, seed: u64, interrupt: &Arc<Interrupt>) -> Result<Problem, CommandError> {
    let space = match &args.space {
        Some(path) => space_file(path)?,
        None => space_options(&args.parameters)?,
    };
    let names: Vec<&str> = space.parameters().iter().map(Parameter::name).collect();
    check_columns(args, &names)?;
    let template = Template::parse(&args.command, &names).map_err(|error| CommandError::usage("command", error))?;
    let direction = match args.direction {
        Some(Way::Maximize) => Direction::Maximize,
        Some(Way::Minimize) | None => Direction::Minimize,
    };
    let program = Program { template, space: space.clone(), seed, timeout: args.timeout, interrupt: Arc::clone(interrupt) };
    Ok(Problem { name: args.command.join(" "), space, direction, objective: Box::new(program) })
}

fn space_options(texts: &[String]) -> Result<Space, CommandError> {
    let parameters: Result<Vec<Parameter>, _> = texts.iter().map(|text| text.parse()).collect();
    parameters.and_then(Space::new).map_err(|error| CommandError::usage("--param", error))
}

fn space_file(path: &Path) -> Result<Space, CommandError> {
    let name = format!("--space `{}`", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| CommandError::usage(&name, error))?;
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => serde_json::from_str(&text).map_err(|error| CommandError::usage(&name, error)),
        Some("toml") => toml::from_str(&text).map_err(|error| CommandError::usage(&name, error)),
        _ => Err(CommandError::usage(&name, "the file name must end in .toml or .json")),
    }
}

/// The columns of a table must differ, so a parameter cannot have the name of a column of the trace.
fn check_columns(args: &RunArgs, names: &[&str]) -> Result<(), CommandError> {
    let taken = |name: &&&str| COLUMNS.contains(*name) || **name == TRUE_VALUE;
    match names.iter().find(taken).filter(|_| args.trace.is_some() || args.known.is_some()) {
        None => Ok(()),
        Some(name) => {
            let reserved = COLUMNS.join(", ");
            let error = format!(
                "parameter `{name}` has the name of a trace column; reserved with --trace and --known: {reserved}, {TRUE_VALUE}"
            );
            Err(CommandError::usage("--param", error))
        }
    }
}

/// The method that the options name.
pub fn strategy(args: &RunArgs, space: &Space, seed: u64) -> Result<Box<dyn Strategy>, CommandError> {
    presets::build(&args.method, space, seed, &options(args)?).map_err(method_error)
}

/// The options of the method.
pub fn options(args: &RunArgs) -> Result<Options, CommandError> {
    Options::parse(&args.options).map_err(method_error)
}

fn method_error(error: MethodError) -> CommandError {
    let option = match error {
        MethodError::UnknownMethod { .. } | MethodError::Unsuitable { .. } => "--method",
        _ => "--option",
    };
    CommandError::usage(option, error)
}

/// When to stop: as told, or after a default number of trials.
pub fn rules(args: &RunArgs) -> StopRules {
    let other = args.time.is_some() || args.target.is_some() || args.patience.is_some();
    let trials = args.trials.or((!other).then_some(DEFAULT_TRIALS));
    StopRules { trials, time: args.time, target: args.target, patience: args.patience }
}

/// The seed as told, or a fresh one short enough to type.
pub fn seed(args: &RunArgs) -> u64 {
    args.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish() & u64::from(u32::MAX))
}
