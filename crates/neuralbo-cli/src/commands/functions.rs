//! `neuralbo functions`.

use clap::Args;
use neuralbo_lab::problems::{by_name, names};
use serde_json::json;

use crate::output::{CommandError, OrCommandError, answer};

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
        let width = names().iter().map(|name| name.len()).max().unwrap_or(0);
        let (mut all, mut text) = (Vec::new(), String::new());
        for name in names() {
            let problem = by_name(name, None).or_failure(name)?;
            let (dim, bounds) = (problem.dim(), problem.bounds());
            let any_dim = by_name(name, Some(dim + 1)).is_ok();
            let best = problem.optimum().map(|optimum| optimum.value);
            all.push(json!({"name": name, "dim": dim, "any_dim": any_dim, "bounds": bounds, "best": best}));
            let dims = match any_dim {
                true => format!("any --dim (default {dim})"),
                false => format!("--dim {dim} only"),
            };
            let first = bounds.first();
            let first = first.map_or(String::new(), |(low, high)| {
                format!("x0 in [{low}, {high}]")
            });
            let best = best.map_or(String::new(), |best| format!(", best value {best}"));
            text += &format!("{name:width$}  {dims:27}  {first}{best}\n");
        }
        answer(self.json, &all, &(text + BBOB + CONTROLS))
    }
}
