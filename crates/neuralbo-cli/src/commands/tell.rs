//! `neuralbo tell`.

use std::time::Duration;

use clap::Args;
use neuralbo::record::{Attributes, Definition, Failure, FailureKind, Outcome, Report, Values};
use neuralbo::store::{Lease, Store};
use neuralbo_store::Access;
use serde_json::json;

use crate::exit::{CommandError, EXIT_OK};
use crate::output::{print, print_json};
use crate::run::args::StorageArgs;

const EXAMPLE: &str = "\
Examples:
  neuralbo tell tuning 12 --value 0.91
  neuralbo tell tuning 13 --failed timeout --message 'no result after 10 minutes'
  neuralbo tell tuning 14 --step 3 --value 0.7    (an intermediate value; the trial goes on)";

/// How much longer an intermediate value makes a lease.
const LEASE_AFTER_REPORT: Duration = Duration::from_secs(3600);

/// Tell how a trial of a stored study ended.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
#[command(group = clap::ArgGroup::new("outcome").required(true).args(["value", "failed", "pruned"]))]
pub struct TellCommand {
    /// The study
    study: String,
    /// The trial's number
    trial: u64,
    #[command(flatten)]
    storage: StorageArgs,
    /// Its value; nan and inf make it a failed trial
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    value: Option<f64>,
    /// It has no value, for a reason of this kind: error, start, exit, signal, timeout, parse, interrupted
    #[arg(long, value_name = "KIND", conflicts_with = "step")]
    failed: Option<String>,
    /// It was stopped early at this value
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, conflicts_with = "step")]
    pruned: Option<f64>,
    /// What went wrong, for people
    #[arg(long, value_name = "TEXT", requires = "failed", default_value = "", allow_hyphen_values = true)]
    message: String,
    /// The value is an intermediate one of this step; the trial goes on and is yours for another hour
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "value")]
    step: Option<i64>,
    /// Which attempt tells; a late one is refused [default: the current one]
    #[arg(long, value_name = "N")]
    attempt: Option<u64>,
    /// Something to keep with the trial; may be repeated
    #[arg(long = "attribute", value_name = "KEY=JSON", value_parser = attribute, allow_hyphen_values = true)]
    attributes: Vec<(String, serde_json::Value)>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl TellCommand {
    /// Tells and prints what became of it.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (store, record) = self.storage.study(&self.study, Access::Write)?;
        let current = store.trial(record.id, self.trial)?;
        let lease = Lease { study: record.id, number: self.trial, attempt: self.attempt.unwrap_or(current.attempt) };
        let told = match self.step {
            Some(step) => self.report(store.as_ref(), &lease, step, record.definition.objective())?,
            None => self.end(store.as_ref(), &lease, &record.definition)?,
        };
        let state = store.trial(record.id, self.trial)?.state.name();
        if self.json {
            print_json(&json!({ "trial": self.trial, "told": told, "state": state }))?;
        } else {
            print(&format!("trial {}: {told}, it is {state} now\n", self.trial))?;
        }
        Ok(EXIT_OK)
    }

    fn report(&self, store: &dyn Store, lease: &Lease, step: i64, objective: &str) -> Result<&'static str, CommandError> {
        let report = Report { step, name: objective.to_owned(), value: self.value.unwrap_or(f64::NAN) };
        store.report(lease, &[report])?;
        store.renew(&[*lease], LEASE_AFTER_REPORT)?;
        store.set_attributes(lease.study, lease.number, &self.attributes())?;
        Ok("reported")
    }

    /// An outcome that says nothing about the trial gives it back.
    fn end(&self, store: &dyn Store, lease: &Lease, definition: &Definition) -> Result<&'static str, CommandError> {
        let Some(mut ending) = definition.ending(self.outcome(definition.objective())?) else {
            store.release(lease)?;
            return Ok("retried");
        };
        ending.attributes = self.attributes();
        Ok(store.tell(lease, &ending)?.name())
    }

    fn attributes(&self) -> Attributes {
        self.attributes.iter().cloned().collect()
    }

    fn outcome(&self, objective: &str) -> Result<Outcome, CommandError> {
        match (self.value, self.pruned, &self.failed) {
            (Some(value), ..) => Ok(Outcome::Value(value)),
            (None, Some(value), _) => Ok(Outcome::Pruned(None, Values::from([(objective.to_owned(), value)]))),
            (None, None, kind) => {
                let kind: Result<FailureKind, _> = kind.as_deref().unwrap_or("error").parse();
                let kind = kind.map_err(|error| CommandError::usage("--failed", error))?;
                Ok(Outcome::Failed(Failure::new(kind, self.message.clone())))
            }
        }
    }
}

/// A key and any JSON value; what is no JSON is text.
fn attribute(text: &str) -> Result<(String, serde_json::Value), String> {
    let (key, value) = text.split_once('=').ok_or("it must be KEY=JSON")?;
    Ok((key.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| value.into())))
}
