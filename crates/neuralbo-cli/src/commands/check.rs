//! `neuralbo check`.

use clap::Args;
use neuralbo_store::{Findings, check};
use serde_json::json;

use crate::output::{CommandError, EXIT_OK, EXIT_UNSOUND, counted, print, print_json};
use crate::run::args::StorageArgs;

const EXAMPLE: &str = "\
Example:
  neuralbo check --storage runs.db

Exit codes: 0 sound, 1 it could not be checked, 2 wrong input, 3 something is wrong with it.";

/// Check a storage: the database itself, orphaned rows, inconsistent records.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct CheckCommand {
    #[command(flatten)]
    storage: StorageArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl CheckCommand {
    /// Checks and prints the problems.
    pub fn execute(self) -> Result<u8, CommandError> {
        let Findings {
            studies,
            trials,
            problems,
            ..
        } = check(&self.storage.storage)?;
        if self.json {
            print_json(&json!({ "studies": studies, "trials": trials, "problems": problems }))?;
        } else {
            let lines: String = problems
                .iter()
                .map(|problem| format!("{problem}\n"))
                .collect();
            let verdict = if problems.is_empty() {
                "sound".to_owned()
            } else {
                counted(problems.len() as u64, "problem")
            };
            let (studies, trials) = (
                if studies == 1 {
                    "1 study".to_owned()
                } else {
                    format!("{studies} studies")
                },
                counted(trials, "trial"),
            );
            print(&format!("{lines}{studies}, {trials}: {verdict}\n"))?;
        }
        Ok(if problems.is_empty() {
            EXIT_OK
        } else {
            EXIT_UNSOUND
        })
    }
}
