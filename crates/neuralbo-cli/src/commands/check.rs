//! `neuralbo check`.

use clap::Args;
use neuralbo_store::check;
use serde_json::json;

use crate::output::{CommandError, EXIT_UNSOUND, answer, counted};
use crate::run::args::StorageArgs;

const EXAMPLE: &str = "\
Example:
  neuralbo check --storage runs.db

Exit codes: 0 sound, 1 the check failed, 2 invalid input, 3 problems found.";

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
        let found = check(self.storage.url())?;
        let (trials, problems) = (found.trials, found.problems);
        let data = json!({ "studies": found.studies, "trials": trials, "problems": problems });
        let verdict = match problems.len() {
            0 => "sound".to_owned(),
            count => counted(count as u64, "problem"),
        };
        let studies = match found.studies {
            1 => "1 study".to_owned(),
            count => format!("{count} studies"),
        };
        let mut text: String = problems.iter().map(|line| format!("{line}\n")).collect();
        text += &format!("{studies}, {}: {verdict}\n", counted(trials, "trial"));
        let sound = answer(self.json, &data, &text)?;
        Ok(if problems.is_empty() {
            sound
        } else {
            EXIT_UNSOUND
        })
    }
}
