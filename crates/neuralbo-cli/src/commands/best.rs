//! `neuralbo best`.

use clap::Args;
use serde::Serialize;

use super::print;
use crate::exit::{CommandError, EXIT_FAILURE, EXIT_OK};
use crate::run::summary::{Best, Recommended};
use crate::shared::args::StorageArgs;
use crate::shared::output::print_json;
use crate::shared::summary;

/// Show the best trial of a stored study, and under noise the one to rely on.
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
        let found = match summary::best(store.as_ref(), &record)? {
            Some(best) => Some(Found { recommended: summary::recommended(&store, &record, &best)?, best }),
            None => None,
        };
        match &found {
            found if self.json => print_json(found)?,
            Some(found) => print(&found.text())?,
            None => print(&format!("no trial of study `{}` has a value\n", record.name))?,
        }
        Ok(if found.is_some() { EXIT_OK } else { EXIT_FAILURE })
    }
}

/// What is printed.
#[derive(Serialize)]
struct Found {
    #[serde(flatten)]
    best: Best,
    #[serde(skip_serializing_if = "Option::is_none")]
    recommended: Option<Recommended>,
}

impl Found {
    fn text(&self) -> String {
        self.best.text() + &self.recommended.as_ref().map_or(String::new(), Recommended::text)
    }
}
