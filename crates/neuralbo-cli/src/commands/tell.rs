//! `neuralbo tell`.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;
use neuralbo::limits;
use neuralbo::record::{
    Attributes, Definition, Failure, FailureKind, Outcome, Report, Token, Values,
};
use neuralbo::store::{Lease, Store};
use neuralbo_store::Access;
use serde_json::json;

use crate::output::{CommandError, OrCommandError, answer};
use crate::run::args::StorageArgs;
use crate::run::goals::pair;

const EXAMPLE: &str = "\
Examples:
  neuralbo tell tuning 12 --value 0.91
  neuralbo tell tuning 12 --value loss=0.1 --value latency=3    (several objectives and outcome constraints)
  neuralbo tell tuning 12 --value '{\"loss\": 0.1, \"latency\": 3}'
  neuralbo tell tuning 13 --failed timeout --message 'no result after 10 minutes'
  neuralbo tell tuning 14 --step 3 --value 0.7    (an intermediate value; the trial goes on)";

/// How much longer an intermediate value makes a lease.
const LEASE_AFTER_REPORT: Duration = Duration::from_secs(3600);

/// Report the result of a trial of a stored study.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
#[command(group = clap::ArgGroup::new("outcome").required(true).args(["values", "failed", "pruned"]))]
pub struct TellCommand {
    /// The study
    study: String,
    /// The trial's number
    trial: u64,
    #[command(flatten)]
    storage: StorageArgs,
    /// Its value, or one of several as NAME=VALUE, or all as a JSON object; nan and inf mean a failure
    #[arg(long = "value", value_name = "VALUE", allow_negative_numbers = true, value_parser = given)]
    values: Vec<GivenResult>,
    /// It failed: error, start, exit, signal, timeout, parse or interrupted
    #[arg(long, value_name = "KIND", conflicts_with = "step")]
    failed: Option<String>,
    /// It was pruned at this value
    #[arg(
        long,
        value_name = "VALUE",
        allow_negative_numbers = true,
        conflicts_with = "step"
    )]
    pruned: Option<f64>,
    /// The failure message
    #[arg(
        long,
        value_name = "TEXT",
        requires = "failed",
        default_value = "",
        allow_hyphen_values = true
    )]
    message: String,
    /// The value is intermediate, at this step; the trial continues and its lease is extended by an hour
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        requires = "values"
    )]
    step: Option<i64>,
    /// The token that `ask` printed: a result that belongs to another trial, or comes too late, is refused
    #[arg(long)]
    token: Option<Token>,
    /// An attribute of the trial; may be repeated
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
        let lease = Lease {
            token: self.token.unwrap_or(current.token),
            ..Lease::of(record.id, &current)
        };
        let told = match self.step {
            Some(step) => self.report(store.as_ref(), &lease, step, &record.definition)?,
            None => self.end(store.as_ref(), &lease, &record.definition)?,
        };
        let state = store.trial(record.id, self.trial)?.state.name();
        let data = json!({ "trial": self.trial, "told": told, "state": state });
        let text = format!("trial {}: {told}, now {state}\n", self.trial);
        answer(self.json, &data, &text)
    }

    fn report(
        &self,
        store: &dyn Store,
        lease: &Lease,
        step: i64,
        definition: &Definition,
    ) -> Result<&'static str, CommandError> {
        let report = |(name, value): (String, f64)| Report { step, name, value };
        let values = named(&self.values, definition)?.into_iter();
        let reports: Vec<Report> = values.map(report).collect();
        store.report(lease, &reports)?;
        store.renew(&[*lease], LEASE_AFTER_REPORT)?;
        store.set_attributes(lease.study, lease.number, &self.attributes())?;
        Ok("reported")
    }

    /// An outcome that says nothing about the trial gives it back.
    fn end(
        &self,
        store: &dyn Store,
        lease: &Lease,
        definition: &Definition,
    ) -> Result<&'static str, CommandError> {
        let Some(mut ending) = definition.ending(self.outcome(definition)?) else {
            store.release(lease)?;
            return Ok("retried");
        };
        ending.attributes = self.attributes();
        Ok(store.tell(lease, &ending)?.name())
    }

    fn attributes(&self) -> Attributes {
        self.attributes.iter().cloned().collect()
    }

    fn outcome(&self, definition: &Definition) -> Result<Outcome, CommandError> {
        match (self.values.is_empty(), self.pruned, &self.failed) {
            (false, ..) => {
                let values = named(&self.values, definition)?;
                Ok(Outcome::Values(complete(values, definition)?))
            }
            (true, Some(_), _) if definition.is_multi_objective() => {
                let count = definition.objectives.len();
                let reason = format!("pruning requires a single objective; the study has {count}");
                Err(CommandError::usage("--pruned", reason))
            }
            (true, Some(value), _) => Ok(Outcome::Pruned(
                None,
                Values::from([(definition.objective().to_owned(), value)]),
            )),
            (true, None, kind) => {
                let kind: Result<FailureKind, _> = kind.as_deref().unwrap_or("error").parse();
                let kind = kind.or_usage("--failed")?;
                Ok(Outcome::Failed(Failure::new(kind, self.message.clone())))
            }
        }
    }
}

/// A key with a JSON value; invalid JSON is text.
fn attribute(text: &str) -> Result<(String, serde_json::Value), String> {
    let (key, value) = text.split_once('=').ok_or("it must be KEY=JSON")?;
    // What is cut short or no JSON at all is text; what is nested too deep is neither.
    let json: serde_json::Value = match serde_json::from_str(value) {
        Err(error) if error.to_string().starts_with("recursion") => return Err(limits::too_deep()),
        read => read.unwrap_or_else(|_| value.into()),
    };
    limits::check_value(&json)?;
    Ok((key.to_owned(), json))
}

/// What one `--value` gives.
#[derive(Clone, Debug, PartialEq)]
enum GivenResult {
    /// The value of the only objective.
    Alone(f64),
    /// Values by name.
    Named(Vec<(String, f64)>),
}

fn given(text: &str) -> Result<GivenResult, String> {
    if text.trim_start().starts_with('{') {
        let object: BTreeMap<String, f64> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        return Ok(GivenResult::Named(object.into_iter().collect()));
    }
    match text.parse() {
        Ok(value) => Ok(GivenResult::Alone(value)),
        Err(_) => pair(text)
            .map(|pair| GivenResult::Named(vec![pair]))
            .map_err(|_| "it must be a number, NAME=NUMBER or a JSON object of numbers".to_owned()),
    }
}

/// The values by name. A single number is the value of the only objective.
fn named(given: &[GivenResult], definition: &Definition) -> Result<Values, CommandError> {
    let wrong = |error: String| CommandError::usage("--value", error);
    let measured = definition.measured();
    let known = quoted(&measured);
    let mut values = Values::new();
    for given in given {
        let pairs = match given {
            GivenResult::Alone(value) if !definition.is_multi_objective() => {
                vec![(definition.objective().to_owned(), *value)]
            }
            GivenResult::Alone(value) => {
                let reason = format!("{value} needs a name; write NAME=VALUE for each of {known}");
                return Err(wrong(reason));
            }
            GivenResult::Named(pairs) => pairs.clone(),
        };
        for (name, value) in pairs {
            if !measured.contains(&name.as_str()) {
                let reason = format!("`{name}` is unknown; the study measures {known}");
                return Err(wrong(reason));
            }
            if values.insert(name.clone(), value).is_some() {
                return Err(wrong(format!("`{name}` is given more than once")));
            }
        }
    }
    Ok(values)
}

/// The values, if all are there that a complete trial must have.
fn complete(values: Values, definition: &Definition) -> Result<Values, CommandError> {
    let mut missing = definition.measured();
    missing.retain(|name| !values.contains_key(*name));
    if missing.is_empty() {
        return Ok(values);
    }
    let reason = format!("no value for {}; nothing was stored", quoted(&missing));
    Err(CommandError::usage("--value", reason))
}

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
