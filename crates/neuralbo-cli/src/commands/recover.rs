//! `neuralbo recover`.

use std::path::PathBuf;

use clap::Args;
use neuralbo_store::{Access, Spool};
use serde_json::json;

use crate::output::{CommandError, answer, counted, exit_code, say};
use crate::run::args::StorageArgs;
use crate::run::spool::{self, Recovered};

const EXAMPLE: &str = "\
Example:
  neuralbo recover --storage postgres://me@db.example.org/studies

Workers keep results in files while the storage is away or full, and store them when it is back. Remaining results are stored by
this command, or by the next worker on this machine.

Exit codes: 0 everything is stored, 1 something is left, 2 invalid input.";

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
        let (late, left) = (late.len(), left.len());
        let data = json!({ "told": told, "late": late, "left": left, "elsewhere": elsewhere });
        let other = match elsewhere {
            0 => String::new(),
            count => format!(", {count} of other storages"),
        };
        let told = counted(*told, "result");
        let text = format!("{told} stored, {late} too late, {left} left{other}\n");
        answer(self.json, &data, &text)?;
        Ok(exit_code(left == 0))
    }
}
