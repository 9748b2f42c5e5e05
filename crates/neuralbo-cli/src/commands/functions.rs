//! `neuralbo functions`.

use clap::Args;
use neuralbo_lab::problems::{by_name, names};
use serde_json::json;

use crate::output::{CommandError, EXIT_OK, OrCommandError, print};

/// The functions whose names are made of numbers.
const BBOB: &str = "bbob-f<function>-i<instance>-d<dim>  the 24 functions of the BBOB suite, such as bbob-f3-i1-d10\n";

/// Variants of any function.
const CONTROLS: &str = "NAME@moved, @shifted, @offset  the same with a moved optimum or other values; see docs/lab.md\n";

/// List the built-in test functions.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  neuralbo run --function ackley --dim 10 --trials 200")]
pub struct FunctionsCommand {
    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

impl FunctionsCommand {
    /// Prints one line a function: its name, its dimensions, the bounds of its first coordinate and its best value.
    pub fn execute(self) -> Result<u8, CommandError> {
        if self.json {
            let all: Vec<_> = names().into_iter().map(as_json).collect::<Result<_, _>>()?;
            print(&format!("{}\n", serde_json::Value::from(all)))?;
            return Ok(EXIT_OK);
        }
        let width = names().iter().map(|name| name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for name in names() {
            text += &format!("{name:width$}  {}\n", describe(name)?);
        }
        print(&(text + BBOB + CONTROLS))?;
        Ok(EXIT_OK)
    }
}

fn as_json(name: &str) -> Result<serde_json::Value, CommandError> {
    let problem = by_name(name, None).or_failure(name)?;
    let scalable = by_name(name, Some(problem.dim() + 1)).is_ok();
    let best = problem.optimum().map(|optimum| optimum.value);
    Ok(
        json!({"name": name, "dim": problem.dim(), "any_dim": scalable, "bounds": problem.bounds(), "best": best}),
    )
}

fn describe(name: &str) -> Result<String, CommandError> {
    let problem = by_name(name, None).or_failure(name)?;
    let scalable = by_name(name, Some(problem.dim() + 1)).is_ok();
    let dims = if scalable {
        format!("any --dim (default {})", problem.dim())
    } else {
        format!("--dim {} only", problem.dim())
    };
    let bounds = problem
        .bounds()
        .first()
        .map_or(String::new(), |(low, high)| {
            format!("x0 in [{low}, {high}]")
        });
    let best = problem.optimum().map_or(String::new(), |optimum| {
        format!(", best value {}", optimum.value)
    });
    Ok(format!("{dims:27}  {bounds}{best}"))
}
