//! `neuralbo methods`.

use clap::Args;
use neuralbo::strategy::presets::{Method, OptionInfo};
use serde_json::json;

use crate::output::{CommandError, EXIT_OK, print};

/// List the optimization methods and their options.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  neuralbo run --method random --function branin --trials 50")]
pub struct MethodsCommand {
    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

impl MethodsCommand {
    /// Prints the list.
    pub fn execute(self) -> Result<u8, CommandError> {
        let registry = neuralbo_paper::registry();
        print(&if self.json {
            as_json(registry.methods())
        } else {
            as_text(registry.methods())
        })?;
        Ok(EXIT_OK)
    }
}

fn as_json(methods: &[Method]) -> String {
    let options = |options: &[OptionInfo]| -> Vec<_> {
        options
            .iter()
            .map(|option| json!({"key": option.key, "help": option.help}))
            .collect()
    };
    let method = |m: &Method| {
        let Method {
            name,
            summary,
            objectives,
            outcome_constraints,
            ..
        } = m;
        json!({"name": name, "summary": summary, "objectives": objectives, "outcome_constraints": outcome_constraints, "options": options(m.options)})
    };
    format!(
        "{}\n",
        methods.iter().map(method).collect::<serde_json::Value>()
    )
}

/// One line per method, followed by one per option.
fn as_text(methods: &[Method]) -> String {
    let width = methods
        .iter()
        .map(|method| method.name.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for method in methods {
        text += &format!("{:width$}  {}\n", method.name, method.summary);
        let takes: Vec<&str> = [
            (method.objectives, "several objectives"),
            (method.outcome_constraints, "outcome constraints"),
        ]
        .iter()
        .filter(|(can, _)| *can)
        .map(|(_, what)| *what)
        .collect();
        if !takes.is_empty() {
            text += &format!("{:width$}    takes {}\n", "", takes.join(" and "));
        }
        for option in method.options {
            text += &format!(
                "{:width$}    --option {}=…  {}\n",
                "", option.key, option.help
            );
        }
    }
    text
}
