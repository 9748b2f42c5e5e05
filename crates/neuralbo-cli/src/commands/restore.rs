//! `neuralbo restore`.

use std::path::PathBuf;

use clap::Args;
use neuralbo_store::{RestoreError, restore};
use serde_json::json;

use crate::output::{CommandError, answer};
use crate::run::args::StorageArgs;

const EXAMPLE: &str = "\
Examples:
  neuralbo restore monday.db --storage runs.db
  neuralbo restore monday.jsonl --storage postgres://me@db.example.org/studies";

/// Restore the studies of a backup; none if one of them exists in the storage.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct RestoreCommand {
    /// A file written by `neuralbo backup`
    file: PathBuf,
    #[command(flatten)]
    storage: StorageArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl RestoreCommand {
    /// Restores, and names the studies.
    pub fn execute(self) -> Result<u8, CommandError> {
        self.storage.warn();
        let studies = restore(&self.file, self.storage.url()).map_err(|error| match error {
            RestoreError::File { .. } => CommandError::Usage(error.to_string()),
            RestoreError::Store(error) => error.into(),
        })?;
        let line = |study: &String| format!("study `{study}` restored\n");
        let text: String = studies.iter().map(line).collect();
        answer(self.json, &json!({ "studies": studies }), &text)
    }
}
