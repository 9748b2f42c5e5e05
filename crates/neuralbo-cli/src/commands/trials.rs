//! `neuralbo trials`.

use clap::Args;
use comfy_table::Table;
use neuralbo::record::{Report, Trial};
use neuralbo::space::{Parameter, Params};
use neuralbo::store::{Store, StudyRecord, all_trials};
use neuralbo_store::Access;
use serde_json::{Value, json};

use crate::exit::{CommandError, EXIT_OK};
use crate::output::{brief, cell, object, print, print_data, print_json, who};
use crate::run::args::StorageArgs;

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
        let (store, record) = self.storage.study(&self.study, Access::Read)?;
        let trials = all(store.as_ref(), &record)?;
        match self.format {
            _ if self.json => as_json(&record, &trials)?,
            Format::Json => as_json(&record, &trials)?,
            Format::Csv => print_data(&csv_text(&record, &trials)?)?,
            Format::Table => print(&table(&record, &trials))?,
        }
        Ok(EXIT_OK)
    }
}

/// All trials of a study with their intermediate values.
pub fn all(store: &dyn Store, record: &StudyRecord) -> Result<Vec<(Trial, Vec<Report>)>, CommandError> {
    let with_reports =
        |trial: Trial| Ok((store.reports(record.id, trial.number)?, trial)).map(|(reports, trial)| (trial, reports));
    all_trials(store, record.id)?.into_iter().map(with_reports).collect()
}

/// The parameters of a trial under their present names.
fn params(record: &StudyRecord, trial: &Trial) -> Params {
    record.definition.renamed(&trial.params.clone().unwrap_or_default(), trial.version)
}

/// The state as in a trace file, with the kind of a failure; a trial that waits for a worker says so.
fn state(trial: &Trial) -> String {
    match trial.failure() {
        Some(failure) => format!("failed:{}", failure.kind),
        None if trial.is_waiting() => "running:waiting".to_owned(),
        None => trial.state.name().to_owned(),
    }
}

/// One row; `number` and `worker` as they are shown.
fn cells(
    record: &StudyRecord,
    (trial, reports): &(Trial, Vec<Report>),
    number: impl Fn(f64) -> String,
    worker: &str,
) -> Vec<String> {
    let text = |value: Option<f64>| value.map_or(String::new(), &number);
    let provenance = trial.provenance.as_ref();
    let last = reports.last().map_or(String::new(), |report| format!("{}@{}", number(report.value), report.step));
    let mut cells = vec![
        trial.number.to_string(),
        state(trial),
        text(trial.value(record.definition.objective())),
        last,
        text(provenance.map(|provenance| provenance.suggest_ms)),
        provenance.map_or(String::new(), |provenance| provenance.origin.clone()),
        text(provenance.and_then(|provenance| provenance.mean)),
        text(provenance.and_then(|provenance| provenance.sd)),
        worker.to_owned(),
    ];
    let params = params(record, trial);
    let cell = |parameter: &Parameter| params.get(parameter.name()).map_or(String::new(), ToString::to_string);
    cells.extend(record.definition.space.parameters().iter().map(cell));
    cells
}

fn header(record: &StudyRecord) -> Vec<String> {
    let parameters = record.definition.space.parameters().iter().map(|parameter| parameter.name().to_owned());
    COLUMNS.iter().map(|&column| column.to_owned()).chain(parameters).collect()
}

fn table(record: &StudyRecord, trials: &[(Trial, Vec<Report>)]) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::UTF8_BORDERS_ONLY);
    table.set_header(header(record).iter().map(|name| cell(name)));
    for row in trials {
        let row = cells(record, row, brief, who(&row.0.worker));
        table.add_row(row.iter().map(|text| cell(text)));
    }
    format!("{table}\n")
}

/// The trials as CSV, numbers with all their digits.
pub fn csv_text(record: &StudyRecord, trials: &[(Trial, Vec<Report>)]) -> Result<String, CommandError> {
    let wrong = |error: &dyn std::fmt::Display| CommandError::failure("csv", error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header(record)).map_err(|error| wrong(&error))?;
    for row in trials {
        let exact = |value: f64| format!("{value:?}");
        writer.write_record(cells(record, row, exact, &row.0.worker)).map_err(|error| wrong(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| wrong(&error))?;
    String::from_utf8(bytes).map_err(|error| wrong(&error))
}

fn as_json(record: &StudyRecord, trials: &[(Trial, Vec<Report>)]) -> Result<(), CommandError> {
    let rows: Vec<Value> = trials.iter().map(|(trial, reports)| row(record, trial, reports)).collect();
    print_json(&rows)
}

fn row(record: &StudyRecord, trial: &Trial, reports: &[Report]) -> Value {
    json!({
        "number": trial.number,
        "version": trial.version,
        "state": trial.state.name(),
        "value": trial.value(record.definition.objective()),
        "values": trial.values,
        "failure": trial.failure(),
        "params": object(&record.definition.space, &params(record, trial)),
        "attributes": trial.attributes,
        "seq": trial.seq,
        "attempt": trial.attempt,
        "worker": trial.worker,
        "proposal": trial.provenance,
        "reports": reports,
        "asked_ms": trial.asked_ms,
        "started_ms": trial.started_ms,
        "finished_ms": trial.finished_ms,
    })
}
