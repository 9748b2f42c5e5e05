//! `neuralbo recover`.

use std::path::PathBuf;

use clap::Args;
use neuralbo_store::{Access, Spool, mend};
use serde_json::json;

use crate::output::{CommandError, OrCommandError, answer, counted, exit_code, say};
use crate::run::args::StorageArgs;

const EXAMPLE: &str = "\
Example:
  neuralbo recover --storage postgres://me@db.example.org/studies

Workers keep results in files while the storage is away or full, and store them when it is back. Remaining results are stored by
this command, or by the next worker on this machine.

Records of the storage that cannot be read (see `neuralbo check`) are replaced by what can be read of them: unreadable attributes
become one attribute with their text, and a trial with unreadable parameters or values has failed.

Exit codes: 0 everything is stored, 1 something is left, 2 invalid input.";

/// Store results that workers on this machine could not store, and mend unreadable records.
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
        let given = self.spool.clone().map(|folder| Ok(Spool::new(folder)));
        let spool = given.unwrap_or_else(Spool::of_user);
        let spool = spool.or_usage("--spool")?;
        let store = self.storage.open(Access::Write)?;
        let records = mend(self.storage.url())?;
        let results = spool.recover(store.as_ref(), self.storage.url())?;
        let left: Vec<&String> = results.left.iter().chain(&records.left).collect();
        let (told, elsewhere, mended) = (results.told, results.elsewhere, &records.mended);
        left.iter().for_each(|line| say(&format!("error: {line}")));
        results.late.iter().chain(mended).for_each(|line| say(line));
        let (late, left) = (results.late.len(), left.len());
        let data = json!({ "told": told, "late": late, "left": left, "elsewhere": elsewhere, "mended": mended });
        let other = match elsewhere {
            0 => String::new(),
            count => format!(", {count} of other storages"),
        };
        let mended = match mended.len() as u64 {
            0 => String::new(),
            count => format!(", {} mended", counted(count, "record")),
        };
        let told = counted(told, "result");
        let text = format!("{told} stored, {late} too late, {left} left{other}{mended}\n");
        answer(self.json, &data, &text)?;
        Ok(exit_code(left == 0))
    }
}
