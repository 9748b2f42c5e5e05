//! `neuralbo trials`.

use clap::Args;
use comfy_table::Table;
use neuralbo_store::{Report, Store, StudyRecord, TrialRecord, TrialState};
use serde_json::{Value, json};

use super::print;
use crate::exit::{CommandError, EXIT_OK};
use crate::shared::args::{StorageArgs, storage_error};
use crate::shared::output::{named, object, print_json};

/// Trials are fetched in portions of this many.
const PORTION: u64 = 1000;
/// The columns before those of the parameters.
const COLUMNS: [&str; 9] = ["number", "state", "value", "last", "suggest_ms", "origin", "mean", "sd", "worker"];

/// Show the trials of a stored study.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  neuralbo trials tuning\n  neuralbo trials tuning --format csv > trials.csv")]
pub struct TrialsCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// How to print them
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// How trials are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// A header and one row a trial.
    Csv,
    /// One JSON array, intermediate values included.
    Json,
}

impl TrialsCommand {
    /// Prints one row a trial.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (store, record) = self.storage.study(&self.study)?;
        let trials = all(store.as_ref(), &record)?;
        match self.format {
            _ if self.json => as_json(&record, &trials)?,
            Format::Json => as_json(&record, &trials)?,
            Format::Csv => print(&csv_text(&record, &trials)?)?,
            Format::Table => print(&table(&record, &trials))?,
        }
        Ok(EXIT_OK)
    }
}

/// All trials of a study with their intermediate values.
pub fn all(store: &dyn Store, record: &StudyRecord) -> Result<Vec<(TrialRecord, Vec<Report>)>, CommandError> {
    let mut trials: Vec<(TrialRecord, Vec<Report>)> = Vec::new();
    loop {
        let first = trials.last().map_or(0, |(trial, _)| trial.number + 1);
        let portion = store.trials(record.id, first, PORTION).map_err(storage_error)?;
        let last = (portion.len() as u64) < PORTION;
        for trial in portion {
            let reports = store.reports(record.id, trial.number).map_err(storage_error)?;
            trials.push((trial, reports));
        }
        if last {
            return Ok(trials);
        }
    }
}

/// The state as in a trace file, with the kind of a failure; a trial that waits for a worker says so.
fn state(trial: &TrialRecord) -> String {
    match &trial.state {
        TrialState::Failed { failure } => format!("failed:{}", failure.kind),
        TrialState::Running if trial.lease_until_ms == 0 => "running:waiting".to_owned(),
        state => state.name().to_owned(),
    }
}

fn cells(record: &StudyRecord, trial: &TrialRecord, reports: &[Report], number: impl Fn(f64) -> String) -> Vec<String> {
    let text = |value: Option<f64>| value.map_or(String::new(), &number);
    let proposal = trial.proposal.as_ref();
    let last = reports.last().map_or(String::new(), |report| format!("{}@{}", number(report.value), report.step));
    let mut cells = vec![
        trial.number.to_string(),
        state(trial),
        text(trial.state.value()),
        last,
        text(proposal.map(|proposal| proposal.suggest_ms)),
        proposal.map_or(String::new(), |proposal| proposal.origin.clone()),
        text(proposal.and_then(|proposal| proposal.mean)),
        text(proposal.and_then(|proposal| proposal.sd)),
        trial.worker.clone(),
    ];
    let params = named(&record.definition.space, trial);
    cells.extend(record.definition.space.parameters().iter().map(|parameter| {
        let found = params.iter().find(|(name, _)| name == parameter.name());
        found.map_or(String::new(), |(_, value)| value.to_string())
    }));
    cells
}

fn header(record: &StudyRecord) -> Vec<String> {
    let parameters = record.definition.space.parameters().iter().map(|parameter| parameter.name().to_owned());
    COLUMNS.iter().map(|&column| column.to_owned()).chain(parameters).collect()
}

fn table(record: &StudyRecord, trials: &[(TrialRecord, Vec<Report>)]) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::UTF8_BORDERS_ONLY);
    table.set_header(header(record));
    let short = |value: f64| format!("{value:.6}").trim_end_matches('0').trim_end_matches('.').to_owned();
    for (trial, reports) in trials {
        table.add_row(cells(record, trial, reports, short));
    }
    format!("{table}\n")
}

/// The trials as CSV, numbers with all their digits.
pub fn csv_text(record: &StudyRecord, trials: &[(TrialRecord, Vec<Report>)]) -> Result<String, CommandError> {
    let wrong = |error: &dyn std::fmt::Display| CommandError::failure("csv", error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header(record)).map_err(|error| wrong(&error))?;
    for (trial, reports) in trials {
        let exact = |value: f64| format!("{value:?}");
        writer.write_record(cells(record, trial, reports, exact)).map_err(|error| wrong(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| wrong(&error))?;
    String::from_utf8(bytes).map_err(|error| wrong(&error))
}

fn as_json(record: &StudyRecord, trials: &[(TrialRecord, Vec<Report>)]) -> Result<(), CommandError> {
    let rows: Vec<Value> = trials.iter().map(|(trial, reports)| row(record, trial, reports)).collect();
    print_json(&rows)
}

fn row(record: &StudyRecord, trial: &TrialRecord, reports: &[Report]) -> Value {
    let failure = match &trial.state {
        TrialState::Failed { failure } => Some(failure),
        _ => None,
    };
    json!({
        "number": trial.number,
        "state": trial.state.name(),
        "value": trial.state.value(),
        "failure": failure,
        "params": object(&named(&record.definition.space, trial)),
        "seq": trial.seq,
        "attempt": trial.attempt,
        "worker": trial.worker,
        "proposal": trial.proposal,
        "reports": reports,
        "asked_ms": trial.asked_ms,
        "finished_ms": trial.finished_ms,
    })
}
