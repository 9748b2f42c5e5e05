//! `neuralbo delete`.

use clap::Args;
use neuralbo_store::Access;
use serde_json::json;

use crate::output::{CommandError, answer};
use crate::run::args::StorageArgs;

/// Remove a stored study with all its trials.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  neuralbo delete tuning --yes")]
pub struct DeleteCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// Confirm the deletion
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl DeleteCommand {
    /// Removes the study.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (store, record) = self.storage.study(&self.study, Access::Write)?;
        let counts = store.counts(record.id)?;
        let trials = counts.finished() + counts.running;
        if !self.yes {
            let warning = format!(
                "study `{}` with {trials} trials will be lost; add --yes to delete it",
                record.name
            );
            return Err(CommandError::Usage(warning));
        }
        store.delete_study(record.id)?;
        let data = json!({ "deleted": record.name, "trials": trials });
        let text = format!("deleted study `{}` with {trials} trials\n", record.name);
        answer(self.json, &data, &text)
    }
}
