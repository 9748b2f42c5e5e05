//! `neuralbo lab eval`: the true values of a problem at given points.

use std::io::{BufRead, Write};
use std::path::PathBuf;

use clap::Args;
use neuralbo_lab::Problem;
use neuralbo_lab::data::DataError;
use neuralbo_lab::problems::{ProblemError, ProblemRequest, open};

use crate::output::{CommandError, EXIT_OK, OrCommandError};

const EXAMPLE: &str = "\
Reads one point per line, its coordinates separated by commas, and writes its value without noise in the shortest form that reads
back as the same number. The value of a problem with outcome constraints is followed by one slack per bound, negative where the
bound is violated. Empty lines are skipped.

Examples:
  echo 0,0,0 | neuralbo lab eval ackley --dim 3
  neuralbo lab eval bbob --function 8 --instance 3 --dim 5 < points.csv";

/// Print the true values of a problem at points from standard input.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct EvalCommand {
    /// The problem (see `neuralbo lab list`)
    problem: String,
    /// Number of the BBOB function
    #[arg(long, value_name = "F", default_value_t = 1)]
    function: u32,
    /// Number of the BBOB instance
    #[arg(long, value_name = "I", default_value_t = 1)]
    instance: u32,
    /// Number of coordinates
    #[arg(long, value_name = "D")]
    dim: Option<usize>,
    /// Where the data is [default: the variable NEURALBO_DATA, ../shared/data or data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl EvalCommand {
    /// Reads, evaluates and writes until the input ends.
    pub fn execute(self) -> Result<u8, CommandError> {
        let problem = self.problem()?;
        let mut output = std::io::stdout().lock();
        for (index, line) in std::io::stdin().lock().lines().enumerate() {
            let line = line.or_failure("standard input")?;
            if line.trim().is_empty() {
                continue;
            }
            let x = point(&line, problem.dim())
                .map_err(|error| CommandError::Usage(format!("line {}: {error}", index + 1)))?;
            let numbers: Vec<String> = std::iter::once(problem.value(&x))
                .chain(slacks(&*problem, &x))
                .map(|number| format!("{number:?}"))
                .collect();
            writeln!(output, "{}", numbers.join(",")).or_failure("standard output")?;
        }
        Ok(EXIT_OK)
    }

    fn problem(self) -> Result<Box<dyn Problem>, CommandError> {
        let request = ProblemRequest {
            dim: self.dim,
            function: self.function,
            instance: self.instance,
            data: self.data,
        };
        open(&self.problem, &request).map_err(|error| match error {
            ProblemError::NoDim(_) => CommandError::usage("--dim", error),
            ProblemError::Data(DataError::NoDirectory { .. }) => {
                CommandError::usage("--data", error)
            }
            ProblemError::Data(_) => CommandError::failure(&self.problem, error),
            _ => CommandError::usage("PROBLEM", error),
        })
    }
}

/// One slack per bound of the outcome constraints, the upper bound first; negative where the bound is violated.
fn slacks(problem: &dyn Problem, x: &[f64]) -> Vec<f64> {
    let measured = problem
        .outcome_constraints()
        .into_iter()
        .zip(problem.measured(x));
    measured
        .flat_map(|(constraint, quantity)| {
            let upper = constraint.at_most.map(|most| most - quantity);
            let lower = constraint.at_least.map(|least| quantity - least);
            upper.into_iter().chain(lower)
        })
        .collect()
}

/// The coordinates of one line.
fn point(line: &str, dim: usize) -> Result<Vec<f64>, String> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    if fields.len() != dim {
        return Err(format!(
            "{} fields found, the problem has {dim} coordinates",
            fields.len()
        ));
    }
    let number = |(i, field): (usize, &&str)| {
        field
            .parse()
            .map_err(|_| format!("field {}: `{field}` is not a number", i + 1))
    };
    fields.iter().enumerate().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slacks_are_negative_where_a_bound_is_violated() {
        let problem = neuralbo_lab::problems::by_name("g06", None);
        let slacks = problem.map(|problem| slacks(&*problem, &[13.0, 0.0]));
        assert!(matches!(slacks.as_deref(), Ok([outer, inner]) if *outer < 0.0 && *inner > 0.0));
        let plain = neuralbo_lab::problems::by_name("ackley", Some(2));
        assert_eq!(
            plain
                .map(|problem| super::slacks(&*problem, &[0.0; 2]))
                .ok(),
            Some(vec![])
        );
    }

    #[test]
    fn lines_are_points_or_named_errors() {
        assert_eq!(point(" 1, -2.5e3 ", 2), Ok(vec![1.0, -2500.0]));
        assert_eq!(point("1,x", 2), Err("field 2: `x` is not a number".into()));
        assert_eq!(
            point("1,2,3", 2),
            Err("3 fields found, the problem has 2 coordinates".into())
        );
    }
}
