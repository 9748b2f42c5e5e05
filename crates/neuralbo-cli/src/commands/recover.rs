//! `neuralbo recover`.

use std::path::PathBuf;

use clap::Args;
use neuralbo_store::{Access, Spool};
use serde_json::json;

use crate::output::{CommandError, EXIT_FAILURE, EXIT_OK, counted, print, print_json, say};
use crate::run::args::StorageArgs;
use crate::run::spool::{self, Recovered};

const EXAMPLE: &str = "\
Example:
  neuralbo recover --storage postgres://me@db.example.org/studies

Workers keep results in files when the storage is away or full, and tell them when it is back. Those that a worker had no time to
tell are told by this command, or by the next worker of this machine.

Exit codes: 0 everything is told, 1 something is left, 2 wrong input.";

/// Store results that workers on this machine could not store.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct RecoverCommand {
    #[command(flatten)]
    storage: StorageArgs,
    /// The folder of the results [default: NEURALBO_SPOOL, or neuralbo/spool in the user's state folder]
    #[arg(long, value_name = "FOLDER")]
    spool: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl RecoverCommand {
    /// Tells, and says what became of each.
    pub fn execute(self) -> Result<u8, CommandError> {
        let spool = self.spool.clone().map_or_else(spool::usual, Spool::new);
        let store = self.storage.open(Access::Write)?;
        let recovered = spool::recover(&spool, store.as_ref(), &self.storage.storage)?;
        let Recovered {
            told,
            late,
            left,
            elsewhere,
        } = &recovered;
        left.iter().for_each(|line| say(&format!("error: {line}")));
        late.iter().for_each(|line| say(line));
        if self.json {
            let counts = json!({ "told": told, "late": late.len(), "left": left.len(), "elsewhere": elsewhere });
            print_json(&counts)?;
        } else {
            let other = if *elsewhere > 0 {
                format!(", {elsewhere} of other storages")
            } else {
                String::new()
            };
            let (late, left) = (late.len(), left.len());
            print(&format!(
                "{} told, {late} too late, {left} left{other}\n",
                counted(*told, "result")
            ))?;
        }
        Ok(if left.is_empty() {
            EXIT_OK
        } else {
            EXIT_FAILURE
        })
    }
}
