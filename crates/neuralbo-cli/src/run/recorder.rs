//! What is kept of a run beside the study: the trace file and the true values.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use neuralbo::space::Space;
use neuralbo::study::{State, Study, Trial};

use crate::exit::CommandError;

/// The columns before those of the parameters.
pub const COLUMNS: [&str; 8] = ["number", "state", "value", "best", "suggest_ms", "origin", "mean", "sd"];
/// The column after those of the parameters, for objectives that know it.
pub const TRUE_VALUE: &str = "true_value";

/// Writes finished trials down.
#[derive(Default)]
pub struct Recorder {
    trace: Option<Trace>,
    true_values: HashMap<u64, f64>,
}

struct Trace {
    path: String,
    writer: csv::Writer<File>,
    with_true_value: bool,
}

impl Recorder {
    /// A recorder that also writes a trace file.
    pub fn with_trace(path: &Path, space: &Space, with_true_value: bool) -> Result<Self, CommandError> {
        let name = path.display().to_string();
        let writer = csv::Writer::from_path(path).map_err(|error| cannot_write(&name, &error))?;
        let mut trace = Trace { path: name, writer, with_true_value };
        let parameters = space.parameters().iter().map(|parameter| parameter.name());
        let last = with_true_value.then_some(TRUE_VALUE);
        trace.write(COLUMNS.into_iter().chain(parameters).chain(last).map(str::to_owned))?;
        Ok(Self { trace: Some(trace), ..Self::default() })
    }

    /// Keeps one finished trial.
    pub fn record(&mut self, trial: &Trial, study: &Study, true_value: Option<f64>) -> Result<(), CommandError> {
        if let Some(value) = true_value {
            self.true_values.insert(trial.number, value);
        }
        match &mut self.trace {
            Some(trace) => trace.append(trial, study, true_value),
            None => Ok(()),
        }
    }

    /// The value of a trial without noise, where it is known.
    pub fn true_value(&self, number: u64) -> Option<f64> {
        self.true_values.get(&number).copied()
    }
}

impl Trace {
    fn append(&mut self, trial: &Trial, study: &Study, true_value: Option<f64>) -> Result<(), CommandError> {
        let state = match &trial.state {
            State::Failed(failure) => format!("failed:{}", failure.kind),
            state => state.name().to_owned(),
        };
        let own = [
            trial.number.to_string(),
            state,
            number(trial.value()),
            number(study.best_value()),
            format!("{:.3}", trial.suggest_time.as_secs_f64() * 1e3),
            trial.origin.to_string(),
            number(trial.mean),
            number(trial.sd),
        ];
        let parameters = trial.point.values().iter().map(ToString::to_string);
        let last = self.with_true_value.then(|| number(true_value));
        self.write(own.into_iter().chain(parameters).chain(last))
    }

    /// Writes one row at once, so that the file is whole whenever the run ends.
    fn write(&mut self, row: impl Iterator<Item = String>) -> Result<(), CommandError> {
        let written = self.writer.write_record(row.collect::<Vec<_>>()).and_then(|()| Ok(self.writer.flush()?));
        written.map_err(|error| cannot_write(&self.path, &error))
    }
}

/// The shortest digits that read back as the same number; nothing for no number.
fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:?}"))
}

fn cannot_write(path: &str, error: &csv::Error) -> CommandError {
    CommandError::Failure(format!("--trace: cannot write `{path}`: {error}"))
}
