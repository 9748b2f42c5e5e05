//! `neuralbo ask`.

use std::time::Duration;

use clap::Args;
use neuralbo::space::Value;
use neuralbo_store::{Asked, LeasedTrial, StoredStudy, StudyRecord};
use serde_json::json;

use super::print;
use crate::duration;
use crate::exit::{CommandError, EXIT_OK};
use crate::shared::args::{StorageArgs, storage_error, worker_name};
use crate::shared::output::{object, print_json};

const EXAMPLE: &str = "\
Example:
  neuralbo ask tuning --json
  {\"trial\":12,\"attempt\":1,\"params\":{\"lr\":0.003},\"origin\":\"sampled\",\"lease_s\":3600.0}
  neuralbo tell tuning 12 --value 0.91

When there is nothing to evaluate, `trial` is null and either `running` says how many trials others have, or `ended` why the study
is over.";

/// Get a trial of a stored study to evaluate by yourself.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct AskCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// How long the trial is yours; later it may be given to somebody else
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = duration::parse)]
    lease: Duration,
    /// Your name, shown by `neuralbo trials` [default: host and process]
    #[arg(long, value_name = "NAME")]
    worker: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl AskCommand {
    /// Prints the trial.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (store, record) = self.storage.study(&self.study)?;
        let mut study = StoredStudy::open(store, record.clone()).map_err(storage_error)?;
        let worker = self.worker.clone().unwrap_or_else(worker_name);
        match study.ask(&worker, self.lease).map_err(storage_error)? {
            Asked::Trial(trial) => self.show(&record, &trial)?,
            Asked::Wait { running } if self.json => print_json(&json!({ "trial": null, "running": running }))?,
            Asked::Wait { running } => print(&format!("nothing to do: {running} trials are with others\n"))?,
            Asked::Ended(reason) if self.json => print_json(&json!({ "trial": null, "ended": reason.name() }))?,
            Asked::Ended(reason) => print(&format!("the study has ended: {reason}\n"))?,
        }
        Ok(EXIT_OK)
    }

    fn show(&self, record: &StudyRecord, trial: &LeasedTrial) -> Result<(), CommandError> {
        let space = &record.definition.space;
        let named: Vec<(String, Value)> =
            space.named(&trial.point).map(|(name, value)| (name.to_owned(), value.clone())).collect();
        let lease = &trial.lease;
        if self.json {
            return print_json(&json!({
                "trial": lease.number,
                "attempt": lease.attempt,
                "params": object(&named),
                "origin": trial.provenance.origin,
                "lease_s": self.lease.as_secs_f64(),
            }));
        }
        let lines: String = named.iter().map(|(name, value)| format!("  {name} = {value}\n")).collect();
        print(&format!("trial {} (attempt {})\n{lines}", lease.number, lease.attempt))
    }
}
