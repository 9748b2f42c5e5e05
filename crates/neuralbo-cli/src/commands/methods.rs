//! `neuralbo methods`.

use clap::Args;
use neuralbo::strategy::presets::METHODS;

use super::print;
use crate::exit::{CommandError, EXIT_OK};

/// List the optimization methods and their options.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  neuralbo run --method random --function branin --trials 50")]
pub struct MethodsCommand {}

impl MethodsCommand {
    /// Prints one line a method, and one a method's option below it.
    pub fn execute(self) -> Result<u8, CommandError> {
        let width = METHODS.iter().map(|method| method.name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for method in METHODS {
            text += &format!("{:width$}  {}\n", method.name, method.summary);
            for option in method.options {
                text += &format!("{:width$}    --option {}=…  {}\n", "", option.key, option.help);
            }
        }
        print(&text)?;
        Ok(EXIT_OK)
    }
}
