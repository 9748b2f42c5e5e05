//! `neuralbo trials`.

use clap::Args;
use comfy_table::Table;
use neuralbo::record::{Definition, Report, State, Trial};
use neuralbo::space::{Parameter, Params};
use neuralbo::store::{Store, StudyRecord, all_trials};
use neuralbo_store::Access;
use serde_json::{Value, json};

use crate::exit::{CommandError, EXIT_OK};
use crate::output::{brief, cell, object, print, print_data, print_json, who};
use crate::run::args::StorageArgs;
use crate::run::front::log;

/// The columns between those of the values and those of the parameters.
const COLUMNS: [&str; 6] = ["last", "suggest_ms", "origin", "mean", "sd", "worker"];

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
        let listed = Listed::read(store.as_ref(), &record)?;
        match self.format {
            _ if self.json => listed.print_json()?,
            Format::Json => listed.print_json()?,
            Format::Csv => print_data(&listed.csv()?)?,
            Format::Table => print(&listed.table())?,
        }
        Ok(EXIT_OK)
    }
}

/// All trials of a study with their intermediate values, and which of them are on its Pareto front.
pub struct Listed<'a> {
    definition: &'a Definition,
    trials: Vec<(Trial, Vec<Report>)>,
    /// `None` with one objective.
    front: Option<Vec<u64>>,
}

impl<'a> Listed<'a> {
    /// Reads them.
    pub fn read(store: &dyn Store, record: &'a StudyRecord) -> Result<Self, CommandError> {
        let with_reports =
            |trial: Trial| Ok((store.reports(record.id, trial.number)?, trial)).map(|(reports, trial)| (trial, reports));
        let trials = all_trials(store, record.id)?.into_iter().map(with_reports).collect::<Result<_, CommandError>>()?;
        let several = record.definition.is_multi_objective();
        let front = several.then(|| log(store, record).map(|log| log.front())).transpose()?;
        Ok(Self { definition: &record.definition, trials, front })
    }

    /// As CSV, numbers with all their digits.
    pub fn csv(&self) -> Result<String, CommandError> {
        let wrong = |error: &dyn std::fmt::Display| CommandError::failure("csv", error);
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.header()).map_err(|error| wrong(&error))?;
        for row in &self.trials {
            let exact = |value: f64| format!("{value:?}");
            writer.write_record(self.cells(row, exact, &row.0.worker)).map_err(|error| wrong(&error))?;
        }
        let bytes = writer.into_inner().map_err(|error| wrong(&error))?;
        String::from_utf8(bytes).map_err(|error| wrong(&error))
    }

    fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(comfy_table::presets::UTF8_BORDERS_ONLY);
        table.set_header(self.header().iter().map(|name| cell(name)));
        for row in &self.trials {
            let row = self.cells(row, brief, who(&row.0.worker));
            table.add_row(row.iter().map(|text| cell(text)));
        }
        format!("{table}\n")
    }

    fn print_json(&self) -> Result<(), CommandError> {
        let rows: Vec<Value> = self.trials.iter().map(|(trial, reports)| self.json(trial, reports)).collect();
        print_json(&rows)
    }

    fn header(&self) -> Vec<String> {
        let mut header = vec!["number", "state"];
        header.extend(self.definition.measured());
        header.extend(self.is_limited().then_some("feasible"));
        header.extend(self.front.is_some().then_some("front"));
        header.extend(COLUMNS);
        header.extend(self.definition.space.parameters().iter().map(Parameter::name));
        header.into_iter().map(str::to_owned).collect()
    }

    fn is_limited(&self) -> bool {
        !self.definition.constraints.is_empty()
    }

    /// Whether the outcome constraints hold; `None` of what is not complete, and without constraints.
    fn feasible(&self, trial: &Trial) -> Option<bool> {
        let complete = self.is_limited() && trial.state == State::Complete;
        complete.then(|| self.definition.is_feasible(&trial.values))
    }

    fn on_front(&self, trial: &Trial) -> Option<bool> {
        self.front.as_ref().map(|front| front.contains(&trial.number))
    }

    /// One row; `number` and `worker` as they are shown.
    fn cells(&self, (trial, reports): &(Trial, Vec<Report>), number: impl Fn(f64) -> String, worker: &str) -> Vec<String> {
        let text = |value: Option<f64>| value.map_or(String::new(), &number);
        let truth = |value: Option<bool>| value.map_or(String::new(), |value| value.to_string());
        let provenance = trial.provenance.as_ref();
        let last = reports.last().map_or(String::new(), |report| format!("{}@{}", number(report.value), report.step));
        let mut cells = vec![trial.number.to_string(), state(trial)];
        cells.extend(self.definition.measured().into_iter().map(|name| text(trial.value(name))));
        cells.extend(self.is_limited().then(|| truth(self.feasible(trial))));
        cells.extend(self.on_front(trial).map(|on_front| on_front.to_string()));
        cells.extend([
            last,
            text(provenance.map(|provenance| provenance.suggest_ms)),
            provenance.map_or(String::new(), |provenance| provenance.origin.clone()),
            text(provenance.and_then(|provenance| provenance.mean)),
            text(provenance.and_then(|provenance| provenance.sd)),
            worker.to_owned(),
        ]);
        let params = self.params(trial);
        let cell = |parameter: &Parameter| params.get(parameter.name()).map_or(String::new(), ToString::to_string);
        cells.extend(self.definition.space.parameters().iter().map(cell));
        cells
    }

    /// The parameters of a trial under their present names.
    fn params(&self, trial: &Trial) -> Params {
        self.definition.renamed(&trial.params.clone().unwrap_or_default(), trial.version)
    }

    fn json(&self, trial: &Trial, reports: &[Report]) -> Value {
        json!({
            "number": trial.number,
            "version": trial.version,
            "state": trial.state.name(),
            "value": trial.value(self.definition.objective()),
            "values": trial.values,
            "feasible": self.feasible(trial),
            "on_front": self.on_front(trial),
            "failure": trial.failure(),
            "params": object(&self.definition.space, &self.params(trial)),
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
}

/// The state as in a trace file, with the kind of a failure; a trial that waits for a worker says so.
fn state(trial: &Trial) -> String {
    match trial.failure() {
        Some(failure) => format!("failed:{}", failure.kind),
        None if trial.is_waiting() => "running:waiting".to_owned(),
        None => trial.state.name().to_owned(),
    }
}
