//! `neuralbo lab eval`: the true values of a problem at given points.

use std::io::{BufRead, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use neuralbo_lab::Problem;
use neuralbo_lab::data::DataError;
use neuralbo_lab::problems::{ProblemError, Request, open};

use crate::output::{CommandError, EXIT_OK};

const EXAMPLE: &str = "\
Reads one point a line, its coordinates separated by commas, and writes its value without noise in the shortest form that reads
back as the same number. Empty lines are skipped.

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
        let mut output = BufWriter::new(std::io::stdout().lock());
        for (index, line) in std::io::stdin().lock().lines().enumerate() {
            let line = line.map_err(|error| CommandError::failure("standard input", error))?;
            if line.trim().is_empty() {
                continue;
            }
            let x = point(&line, problem.dim())
                .map_err(|error| CommandError::Usage(format!("line {}: {error}", index + 1)));
            // What was computed before a wrong line is shown all the same.
            let x = x.inspect_err(|_| drop(output.flush()))?;
            writeln!(output, "{:?}", problem.value(&x))
                .map_err(|error| CommandError::failure("standard output", error))?;
        }
        output
            .flush()
            .map_err(|error| CommandError::failure("standard output", error))?;
        Ok(EXIT_OK)
    }

    fn problem(self) -> Result<Box<dyn Problem>, CommandError> {
        let request = Request {
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
    fn lines_are_points_or_named_errors() {
        assert_eq!(point(" 1, -2.5e3 ", 2), Ok(vec![1.0, -2500.0]));
        assert_eq!(point("1,x", 2), Err("field 2: `x` is not a number".into()));
        assert_eq!(
            point("1,2,3", 2),
            Err("3 fields found, the problem has 2 coordinates".into())
        );
    }
}
