//! The trace file: one CSV row per finished trial.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use neuralbo::drive::{FrontStanding, Observer, RunStanding};
use neuralbo::record::{Definition, State, Trial};
use neuralbo::space::Parameter;
use neuralbo::store::{Finished, Told};
use neuralbo::study::{Event, Log, Study};

use super::evaluator::RunObjective;
use super::front::params;
use crate::output::{CommandError, say};

/// The columns that every trace has, beside those of values and parameters.
const COLUMNS: [&str; 6] = ["number", "state", "suggest_ms", "origin", "mean", "sd"];
/// Columns that depend on the objectives and outcome constraints.
const BEST: &str = "best";
const FRONT: [&str; 2] = ["front", "hypervolume"];
const FEASIBLE: &str = "feasible";
/// The column after those of the parameters, for objectives that know it.
const TRUE_VALUE: &str = "true_value";

/// Writes trials down as they finish.
pub struct TraceFile<'a> {
    path: PathBuf,
    writer: csv::Writer<File>,
    definition: Definition,
    evaluator: &'a RunObjective,
    lost: bool,
}

/// The columns of a table must differ, so nothing that is named by the user can have the name of a column of the trace.
pub fn check_names(definition: &Definition) -> Result<(), CommandError> {
    let reserved: Vec<&str> = COLUMNS
        .into_iter()
        .chain([BEST, TRUE_VALUE, FEASIBLE])
        .chain(FRONT)
        .collect();
    let listed = reserved.join(", ");
    let measured = definition.measured();
    if let Some(name) = measured.iter().find(|name| reserved.contains(name)) {
        let error = format!(
            "`{name}` is the name of a trace column; reserved with --trace and --known: {listed}"
        );
        return Err(CommandError::usage(
            "--objective, --outcome-constraint",
            error,
        ));
    }
    let mut names = definition.space.parameters().iter().map(Parameter::name);
    let Some(name) = names.find(|name| reserved.contains(name) || measured.contains(name)) else {
        return Ok(());
    };
    let error = format!(
        "parameter `{name}` has the name of a trace column; reserved with --trace and --known: {}, {listed}",
        measured.join(", ")
    );
    Err(CommandError::usage("--param", error))
}

/// Checks that the file can be written, without changing it.
pub fn check_file(path: &Path) -> Result<(), CommandError> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map(drop).map_err(|error| unwritten(path, &error))
}

impl<'a> TraceFile<'a> {
    /// A file that begins with what has finished so far.
    pub fn start(
        path: &Path,
        study: &Study,
        evaluator: &'a RunObjective,
    ) -> Result<Self, CommandError> {
        let file = File::create(path).map_err(|error| unwritten(path, &error))?;
        let mut trace = Self {
            path: path.to_owned(),
            writer: csv::Writer::from_writer(file),
            definition: study.definition().clone(),
            evaluator,
            lost: false,
        };
        trace.write_header();
        let mut finished = study.trials()?;
        finished.retain(|trial| trial.seq.is_some());
        finished.sort_by_key(|trial| trial.seq);
        let mut log = Log::new(trace.definition.clone());
        for trial in &finished {
            log.apply(Event::Told(&Finished::from(trial)));
            let on_front = log.front().contains(&trial.number);
            trace.append(trial, log.best(), FrontStanding::of(&log), on_front);
        }
        Ok(trace)
    }

    /// Whether rows could not be written.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    fn write_header(&mut self) {
        let definition = &self.definition;
        let names = definition.space.parameters().iter().map(Parameter::name);
        let [number, state, rest @ ..] = COLUMNS;
        let mut header = vec![number, state];
        header.extend(definition.measured());
        header.extend((!definition.outcome_constraints.is_empty()).then_some(FEASIBLE));
        match definition.is_multi_objective() {
            true => header.extend(FRONT),
            false => header.push(BEST),
        }
        header.extend(rest.into_iter().chain(names));
        header.extend(self.evaluator.knows_true_values().then_some(TRUE_VALUE));
        let header: Vec<String> = header.into_iter().map(str::to_owned).collect();
        self.write(&header);
    }

    fn append(
        &mut self,
        trial: &Trial,
        best: Option<(u64, f64)>,
        front: Option<FrontStanding>,
        on_front: bool,
    ) {
        let definition = &self.definition;
        let params = params(definition, trial);
        let from = trial.provenance.as_ref();
        let state = match trial.failure() {
            Some(failure) => format!("failed:{}", failure.kind),
            None => trial.state.name().to_owned(),
        };
        let mut row = vec![trial.number.to_string(), state];
        let measured = definition.measured().into_iter();
        row.extend(measured.map(|name| number(trial.value(name))));
        if !definition.outcome_constraints.is_empty() {
            row.push(match trial.state {
                State::Complete => definition.is_feasible(&trial.values).to_string(),
                _ => String::new(),
            });
        }
        match front {
            Some(front) => row.extend([on_front.to_string(), number(front.hypervolume)]),
            None => row.push(number(best.map(|(_, value)| value))),
        }
        row.extend([
            from.map_or(String::new(), |from| format!("{:.3}", from.suggest_ms)),
            from.map_or(String::new(), |from| from.origin.clone()),
            number(from.and_then(|from| from.mean)),
            number(from.and_then(|from| from.sd)),
        ]);
        let cell = |parameter: &Parameter| {
            let value = params.get(parameter.name());
            value.map_or(String::new(), ToString::to_string)
        };
        row.extend(definition.space.parameters().iter().map(cell));
        if self.evaluator.knows_true_values() {
            let value = self.evaluator.true_value(&params);
            row.push(number(value.filter(|_| !trial.is_known())));
        }
        self.write(&row);
    }

    /// Writes a row at once, so that the file is complete whenever the run ends. The run continues
    /// after an error.
    fn write(&mut self, row: &[String]) {
        if self.lost {
            return;
        }
        let written = self.writer.write_record(row);
        if let Err(error) = written.and_then(|()| Ok(self.writer.flush()?)) {
            self.lost = true;
            let reason = unwritten(&self.path, &error);
            say(&format!("{reason}; the run continues without it"));
        }
    }
}

impl Observer for TraceFile<'_> {
    fn told(&mut self, trial: &Trial, told: Told, standing: &RunStanding) {
        if told != Told::Retried {
            self.append(trial, standing.best, standing.front, standing.improved);
        }
    }
}

/// The shortest digits that read back as the same number; nothing for no number.
fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:?}"))
}

fn unwritten(path: &Path, error: &dyn std::fmt::Display) -> CommandError {
    CommandError::Failure(format!(
        "--trace: cannot write `{}`: {error}",
        path.display()
    ))
}
