//! `neuralbo ask`.

use std::time::Duration;

use clap::Args;
use neuralbo::record::Trial;
use neuralbo::space::Space;
use neuralbo::study::{Asked, Study, Worker};
use neuralbo_store::Access;
use neuralbo_store::worker::this_process;
use serde_json::json;

use crate::duration;
use crate::output::{CommandError, EXIT_OK, answer, lines, object};
use crate::run::args::StorageArgs;

const EXAMPLE: &str = "\
Example:
  neuralbo ask tuning --json
  {\"trial\":12,\"attempt\":1,\"params\":{\"lr\":0.003},\"origin\":\"sampled\",\"lease_s\":3600.0}
  neuralbo tell tuning 12 --value 0.91

When there is nothing to evaluate, `trial` is null and either `running` says how many trials others have, or `ended` why the study
is over.";

/// Claim a trial of a stored study and evaluate it yourself.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct AskCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// Lease of the trial; after it the trial may go to another worker
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
        let (store, record) = self.storage.study(&self.study, Access::Write)?;
        let mut study = Study::open(store, record, neuralbo_paper::registry())?;
        let worker = Worker {
            name: self.worker.clone().unwrap_or_else(this_process),
            lease: self.lease,
        };
        match study.ask(&worker, 1)? {
            Asked::Trials(trials) => {
                for trial in &trials {
                    self.show(&study.definition().space, trial)?;
                }
                Ok(EXIT_OK)
            }
            Asked::Wait { running, .. } => {
                let data = json!({ "trial": null, "running": running });
                let text = format!("nothing to do: other workers have {running} trials\n");
                answer(self.json, &data, &text)
            }
            Asked::Ended(reason) => {
                let data = json!({ "trial": null, "ended": reason.name() });
                answer(
                    self.json,
                    &data,
                    &format!("the study has ended: {reason}\n"),
                )
            }
        }
    }

    fn show(&self, space: &Space, trial: &Trial) -> Result<u8, CommandError> {
        let (number, attempt) = (trial.number, trial.attempt);
        let params = trial.params.clone().unwrap_or_default();
        let data = json!({
            "trial": number,
            "attempt": attempt,
            "token": trial.token,
            "params": object(space, &params),
            "origin": trial.provenance.as_ref().map(|provenance| provenance.origin.as_str()),
            "lease_s": self.lease.as_secs_f64(),
        });
        let lines = lines(space, &params);
        let text = format!("trial {number} (attempt {attempt})\n{lines}");
        answer(self.json, &data, &text)
    }
}
