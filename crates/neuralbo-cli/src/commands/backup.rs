//! `neuralbo backup`.

use std::path::PathBuf;

use clap::Args;
use neuralbo_store::{Saved, backup};
use serde_json::json;

use crate::output::{CommandError, answer};
use crate::run::args::StorageArgs;

const EXAMPLE: &str = "\
Examples:
  neuralbo backup monday.db                                              (of an SQLite storage)
  neuralbo backup monday.jsonl --storage postgres://me@db.example.org/studies
  neuralbo restore monday.jsonl --storage new.db";

/// Copy a whole storage to a file, as a snapshot, while workers continue.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct BackupCommand {
    /// The new file: an SQLite storage, or JSON lines if its name ends in .jsonl
    file: PathBuf,
    #[command(flatten)]
    storage: StorageArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl BackupCommand {
    /// Writes the copy.
    pub fn execute(self) -> Result<u8, CommandError> {
        self.storage.warn();
        let saved = backup(self.storage.url(), &self.file)?;
        let form = match saved {
            Saved::Database => "sqlite",
            Saved::Lines(_) => "jsonl",
        };
        let text = format!("`{}` written\n", self.file.display());
        answer(
            self.json,
            &json!({ "file": self.file, "form": form }),
            &text,
        )
    }
}
