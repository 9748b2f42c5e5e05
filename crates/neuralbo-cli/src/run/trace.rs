//! The trace file: one CSV row per finished trial.

use std::fs::{File, OpenOptions};
use std::path::Path;

use neuralbo::drive::{Observer, Standing};
use neuralbo::record::{Definition, Trial};
use neuralbo::space::{Parameter, Space};
use neuralbo::store::Told;
use neuralbo::study::Study;

use super::evaluator::Evaluator;
use crate::exit::CommandError;
use crate::output::say;

/// The columns before those of the parameters.
const COLUMNS: [&str; 8] = ["number", "state", "value", "best", "suggest_ms", "origin", "mean", "sd"];
/// The column after those of the parameters, for objectives that know it.
const TRUE_VALUE: &str = "true_value";

/// Writes trials down as they finish.
pub struct Trace<'a> {
    path: String,
    writer: csv::Writer<File>,
    definition: Definition,
    evaluator: &'a Evaluator,
    lost: bool,
}

/// The columns of a table must differ, so a parameter cannot have the name of a column of the trace.
pub fn check_names(space: &Space) -> Result<(), CommandError> {
    let taken = |name: &&str| COLUMNS.contains(name) || *name == TRUE_VALUE;
    let Some(name) = space.parameters().iter().map(Parameter::name).find(taken) else { return Ok(()) };
    let reserved = COLUMNS.join(", ");
    let error =
        format!("parameter `{name}` has the name of a trace column; reserved with --trace and --known: {reserved}, {TRUE_VALUE}");
    Err(CommandError::usage("--param", error))
}

/// Checks that the file can be written, and leaves it as it is.
pub fn check_file(path: &Path) -> Result<(), CommandError> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map(|_| ()).map_err(|error| CommandError::Failure(cannot_write(&path.display().to_string(), &error)))
}

impl<'a> Trace<'a> {
    /// A file that begins with what has finished so far.
    pub fn start(path: &Path, study: &Study, evaluator: &'a Evaluator) -> Result<Self, CommandError> {
        let name = path.display().to_string();
        let file = File::create(path).map_err(|error| CommandError::Failure(cannot_write(&name, &error)))?;
        let definition = study.definition().clone();
        let mut trace = Self { path: name, writer: csv::Writer::from_writer(file), definition, evaluator, lost: false };
        trace.write_header();
        let mut finished: Vec<Trial> = study.trials()?.into_iter().filter(|trial| trial.seq.is_some()).collect();
        finished.sort_by_key(|trial| trial.seq);
        let mut best = None;
        for trial in &finished {
            best = trace.better(best, trial);
            trace.append(trial, best);
        }
        Ok(trace)
    }

    /// Whether rows could not be written.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    fn better(&self, best: Option<f64>, trial: &Trial) -> Option<f64> {
        let ranked = trial.state == neuralbo::record::State::Complete && self.definition.is_feasible(&trial.values);
        let value = trial.value(self.definition.objective()).filter(|_| ranked);
        let is_better = |value: &f64| best.is_none_or(|best| self.definition.direction().is_better(*value, best));
        value.filter(is_better).or(best)
    }

    fn write_header(&mut self) {
        let names = self.definition.space.parameters().iter().map(Parameter::name);
        let last = self.evaluator.knows_true_values().then_some(TRUE_VALUE);
        let header: Vec<String> = COLUMNS.into_iter().chain(names).chain(last).map(str::to_owned).collect();
        self.write(&header);
    }

    fn append(&mut self, trial: &Trial, best: Option<f64>) {
        let params = self.definition.renamed(&trial.params.clone().unwrap_or_default(), trial.version);
        let provenance = trial.provenance.as_ref();
        let mut row = vec![
            trial.number.to_string(),
            trial.failure().map_or(trial.state.name().to_owned(), |failure| format!("failed:{}", failure.kind)),
            number(trial.value(self.definition.objective())),
            number(best),
            provenance.map_or(String::new(), |provenance| format!("{:.3}", provenance.suggest_ms)),
            provenance.map_or(String::new(), |provenance| provenance.origin.clone()),
            number(provenance.and_then(|provenance| provenance.mean)),
            number(provenance.and_then(|provenance| provenance.sd)),
        ];
        let cell = |parameter: &Parameter| params.get(parameter.name()).map_or(String::new(), ToString::to_string);
        row.extend(self.definition.space.parameters().iter().map(cell));
        if self.evaluator.knows_true_values() {
            row.push(number(self.evaluator.true_value(&params).filter(|_| !trial.is_known())));
        }
        self.write(&row);
    }

    /// Writes one row at once, so that the file is whole whenever the run ends. What cannot be written costs the run nothing.
    fn write(&mut self, row: &[String]) {
        if self.lost {
            return;
        }
        if let Err(error) = self.writer.write_record(row).and_then(|()| Ok(self.writer.flush()?)) {
            self.lost = true;
            say(&format!("{}; the run goes on without it", cannot_write(&self.path, &error)));
        }
    }
}

impl Observer for Trace<'_> {
    fn told(&mut self, trial: &Trial, told: Told, standing: &Standing) {
        if told != Told::Retried {
            self.append(trial, standing.best.map(|(_, value)| value));
        }
    }
}

/// The shortest digits that read back as the same number; nothing for no number.
fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:?}"))
}

fn cannot_write(path: &str, error: &dyn std::fmt::Display) -> String {
    format!("--trace: cannot write `{path}`: {error}")
}
