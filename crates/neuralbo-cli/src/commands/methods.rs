//! `neuralbo methods`.

use clap::Args;
use neuralbo::strategy::presets::{Method, OptionInfo};
use serde_json::{Value, json};

use crate::output::{CommandError, answer};

/// List the optimization methods and their options.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  neuralbo run --method random --function branin --trials 50")]
pub struct MethodsCommand {
    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

impl MethodsCommand {
    /// Prints one line per method, followed by one per option.
    pub fn execute(self) -> Result<u8, CommandError> {
        let registry = neuralbo_paper::registry();
        let methods = registry.methods();
        let width = methods.iter().map(|method| method.name.len()).max();
        let indent = " ".repeat(width.unwrap_or(0));
        let mut text = String::new();
        for method in methods {
            text += &format!("{:1$}  {2}\n", method.name, indent.len(), method.summary);
            let mut takes = Vec::new();
            takes.extend(method.objectives.then_some("several objectives"));
            takes.extend(method.outcome_constraints.then_some("outcome constraints"));
            if !takes.is_empty() {
                text += &format!("{indent}    takes {}\n", takes.join(" and "));
            }
            for OptionInfo { key, help, .. } in method.options {
                text += &format!("{indent}    --option {key}=…  {help}\n");
            }
        }
        let all: Vec<Value> = methods.iter().map(as_json).collect();
        answer(self.json, &all, &text)
    }
}

fn as_json(method: &Method) -> Value {
    let option = |option: &OptionInfo| json!({"key": option.key, "help": option.help});
    json!({
        "name": method.name,
        "summary": method.summary,
        "objectives": method.objectives,
        "outcome_constraints": method.outcome_constraints,
        "options": method.options.iter().map(option).collect::<Vec<_>>(),
    })
}
