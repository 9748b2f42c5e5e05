//! Built-in functions: the test problems of the lab.

use neuralbo::record::{Definition, Outcome, VALUE, Values};
use neuralbo::space::{Parameter, Params, Space, Value};
use neuralbo_lab::Problem;
use neuralbo_lab::problems::by_name;
use neuralbo_lab::problems::noise::GaussianNoise;

use super::args::RunArgs;
use super::evaluator::RunProblem;
use crate::output::{CommandError, OrCommandError};

/// A built-in function. Its noise depends on the seed and the number of the trial only.
pub struct BuiltinFunction {
    space: Space,
    problem: Box<dyn Problem>,
    noise: GaussianNoise,
}

impl BuiltinFunction {
    /// The function of this name for the trials of a study.
    pub fn new(name: &str, args: &RunArgs, definition: &Definition) -> Result<Self, CommandError> {
        let noise = GaussianNoise::new(args.noise.unwrap_or(0.0), definition.seed);
        Ok(Self {
            space: definition.space.clone(),
            problem: open(name, args)?,
            noise: noise.or_usage("--noise")?,
        })
    }

    /// The value without noise.
    pub fn value(&self, params: &Params) -> Option<f64> {
        self.coordinates(params).map(|x| self.problem.value(&x))
    }

    /// What a trial measures: the value with noise and, without, what the function's outcome constraints limit.
    pub fn observed(&self, params: &Params, number: u64) -> Outcome {
        let Some(x) = self.coordinates(params) else {
            return Err::<f64, _>("the trial does not have all coordinates").into();
        };
        let value = self.problem.value(&x) + self.noise.at(number);
        let constraints = self.problem.outcome_constraints();
        if constraints.is_empty() {
            return Outcome::Value(value);
        }
        let names = constraints.into_iter().map(|constraint| constraint.name);
        let mut values = Values::from([(VALUE.to_owned(), value)]);
        values.extend(names.zip(self.problem.measured(&x)));
        Outcome::Values(values)
    }

    /// The coordinates in order; `None` of a trial that does not have all of them.
    fn coordinates(&self, params: &Params) -> Option<Vec<f64>> {
        let names = self.space.parameters().iter().map(Parameter::name);
        let coordinate = |name| params.get(name).and_then(Value::as_f64);
        names.map(coordinate).collect()
    }
}

fn open(name: &str, args: &RunArgs) -> Result<Box<dyn Problem>, CommandError> {
    by_name(name, args.dim).or_usage("--function")
}

/// A function as the problem of a run.
pub fn problem(name: &str, args: &RunArgs) -> Result<RunProblem, CommandError> {
    let problem = open(name, args)?;
    Ok(RunProblem {
        name: problem.name(),
        space: Space::from_bounds(&problem.bounds()).or_usage("--function")?,
        direction: problem.direction(),
        outcome_constraints: problem.outcome_constraints(),
    })
}
