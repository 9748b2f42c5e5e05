//! `neuralbo best`.

use clap::Args;

use super::print;
use crate::exit::{CommandError, EXIT_FAILURE, EXIT_OK};
use crate::shared::args::StorageArgs;
use crate::shared::output::print_json;
use crate::shared::summary;

/// Show the best trial of a stored study.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  neuralbo best tuning --json | jq .params")]
pub struct BestCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl BestCommand {
    /// Prints the best trial.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (store, record) = self.storage.study(&self.study)?;
        let best = summary::best(store.as_ref(), &record)?;
        match &best {
            best if self.json => print_json(best)?,
            Some(best) => print(&best.text())?,
            None => print(&format!("no trial of study `{}` has a value\n", record.name))?,
        }
        Ok(if best.is_some() { EXIT_OK } else { EXIT_FAILURE })
    }
}
