//! Trials with everything that can be shown of them.

use neuralbo::record::{Definition, Report, State, Trial};
use neuralbo::space::{Parameter, Params};
use neuralbo::store::{Store, StudyRecord, all_trials};
use serde_json::{Value, json};

use super::cells::TrialCell;
use crate::color::TextStyle;
use crate::output::{CommandError, object, print_json};
use crate::run::front::log;
use crate::table::{TextTable, terminal_width};

/// The columns after those of the values.
const COLUMNS: [&str; 7] = [
    "last",
    "duration",
    "suggest_ms",
    "origin",
    "mean",
    "sd",
    "worker",
];
/// Columns hidden on a narrow terminal, the least important first.
const LEAST: [&str; 7] = [
    "suggest_ms",
    "sd",
    "mean",
    "last",
    "origin",
    "worker",
    "duration",
];
/// Columns shown on request only.
const MORE: [&str; 5] = ["attempt", "asked", "started", "finished", "message"];

/// All trials of a study with their intermediate values, and which of them are on its Pareto front.
pub struct Listed<'a> {
    definition: &'a Definition,
    trials: Vec<(Trial, Vec<Report>)>,
    /// The trials of the front, or the best one.
    front: Vec<u64>,
}

impl<'a> Listed<'a> {
    /// Reads them.
    pub fn read(store: &dyn Store, record: &'a StudyRecord) -> Result<Self, CommandError> {
        let with_reports = |trial: Trial| {
            Ok((store.reports(record.id, trial.number)?, trial))
                .map(|(reports, trial)| (trial, reports))
        };
        let trials = all_trials(store, record.id)?
            .into_iter()
            .map(with_reports)
            .collect::<Result<_, CommandError>>()?;
        Ok(Self {
            definition: &record.definition,
            trials,
            front: log(store, record)?.front(),
        })
    }

    /// Sorts by a column, from the largest on if its name has a minus sign.
    pub fn sort(&mut self, column: &str) -> Result<(), CommandError> {
        let (name, descending) = column
            .strip_prefix('-')
            .map_or((column, false), |name| (name, true));
        self.check("--sort", name)?;
        let mut keyed: Vec<(TrialCell, (Trial, Vec<Report>))> = std::mem::take(&mut self.trials)
            .into_iter()
            .map(|row| (self.cell(name, &row), row))
            .collect();
        keyed.sort_by(|a, b| a.0.compare(&b.0, descending));
        self.trials = keyed.into_iter().map(|(_, row)| row).collect();
        Ok(())
    }

    /// Sorts by the first objective, best first; incomplete and infeasible trials come last.
    pub fn best_first(&mut self) {
        let Self {
            definition,
            front,
            trials,
        } = self;
        let several = definition.is_multi_objective();
        let reward = |trial: &Trial| {
            let counts = trial.state == State::Complete && definition.is_feasible(&trial.values);
            let value = trial.value(definition.objective()).filter(|_| counts);
            value.map_or(f64::NEG_INFINITY, |value| {
                definition.direction().reward(value)
            })
        };
        let is_behind = |trial: &Trial| several && !front.contains(&trial.number);
        trials.sort_by(|(a, _), (b, _)| {
            is_behind(a)
                .cmp(&is_behind(b))
                .then(reward(b).total_cmp(&reward(a)))
        });
    }

    /// Keeps the first ones.
    pub fn keep(&mut self, most: Option<u64>) {
        self.trials.truncate(most.map_or(usize::MAX, |most| {
            usize::try_from(most).unwrap_or(usize::MAX)
        }));
    }

    /// The columns that were asked for, all of them known; the usual ones otherwise.
    pub fn columns(&self, asked: Option<&[String]>) -> Result<Vec<String>, CommandError> {
        let Some(asked) = asked else {
            return Ok(self.usual());
        };
        asked
            .iter()
            .try_for_each(|name| self.check("--columns", name.trim()))?;
        Ok(asked.iter().map(|name| name.trim().to_owned()).collect())
    }

    fn check(&self, option: &str, name: &str) -> Result<(), CommandError> {
        let mut known = self.usual();
        known.extend(MORE.map(str::to_owned));
        if known.iter().any(|known| known == name) {
            return Ok(());
        }
        Err(CommandError::usage(
            option,
            format!("unknown column `{name}`; columns: {}", known.join(", ")),
        ))
    }

    fn usual(&self) -> Vec<String> {
        let mut usual = vec!["number", "state"];
        usual.extend(self.definition.measured());
        usual.extend(self.is_limited().then_some("feasible"));
        usual.extend(self.definition.is_multi_objective().then_some("front"));
        usual.extend(COLUMNS);
        usual.extend(
            self.definition
                .space
                .parameters()
                .iter()
                .map(Parameter::name),
        );
        usual.into_iter().map(str::to_owned).collect()
    }

    /// The usual columns as CSV, numbers with all their digits.
    pub fn csv(&self) -> Result<String, CommandError> {
        self.csv_of(&self.usual())
    }

    /// The same with these columns.
    pub fn csv_of(&self, columns: &[String]) -> Result<String, CommandError> {
        let wrong = |error: &dyn std::fmt::Display| CommandError::failure("csv", error);
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer
            .write_record(columns)
            .map_err(|error| wrong(&error))?;
        for row in &self.trials {
            writer
                .write_record(columns.iter().map(|column| self.cell(column, row).exact()))
                .map_err(|error| wrong(&error))?;
        }
        let bytes = writer.into_inner().map_err(|error| wrong(&error))?;
        String::from_utf8(bytes).map_err(|error| wrong(&error))
    }

    /// For people: as wide as the terminal, numbers at the right, the best and the failures in their colours. Of the usual columns those
    /// that do not fit are left out, and named.
    pub fn table(&self, columns: &[String], all: bool) -> String {
        let mut kept = columns.to_vec();
        let mut left_out: Vec<&str> = Vec::new();
        let mut table = self.table_of(&kept);
        for name in LEAST {
            if all || terminal_width().is_none_or(|width| table.fits(width)) {
                break;
            }
            kept.retain(|column| column != name);
            left_out.push(name);
            table = self.table_of(&kept);
        }
        let text = table.text();
        let hint = format!(
            "hidden columns: {}; use --columns to show them\n",
            left_out.join(", ")
        );
        if left_out.is_empty() {
            text
        } else {
            text + &hint
        }
    }

    fn table_of(&self, columns: &[String]) -> TextTable {
        let cells = |row: &(Trial, Vec<Report>)| {
            columns
                .iter()
                .map(|column| self.cell(column, row))
                .collect::<Vec<TrialCell>>()
        };
        let rows: Vec<Vec<TrialCell>> = self.trials.iter().map(cells).collect();
        let is_number = |column: &usize| rows.iter().any(|row| row[*column].is_number());
        let mut table = TextTable::new(columns).right((0..columns.len()).filter(is_number));
        for ((trial, _), row) in self.trials.iter().zip(&rows) {
            let style = match () {
                () if trial.failure().is_some() => TextStyle::Bad,
                () if self.front.contains(&trial.number) => TextStyle::Good,
                () => TextStyle::Plain,
            };
            table.styled(style, row.iter().map(TrialCell::shown));
        }
        table
    }

    /// What a trial says in a column. A column of ours comes before a quantity or a parameter of the same name.
    fn cell(&self, column: &str, (trial, reports): &(Trial, Vec<Report>)) -> TrialCell {
        let provenance = trial.provenance.as_ref();
        let moment = |ms: Option<i64>| {
            ms.filter(|ms| *ms > 0)
                .map_or(TrialCell::Empty, TrialCell::Moment)
        };
        match column {
            "number" => TrialCell::Count(trial.number),
            "state" => TrialCell::Text(state(trial)),
            "feasible" if self.is_limited() => TrialCell::truth(self.feasible(trial)),
            "front" if self.definition.is_multi_objective() => {
                TrialCell::truth(self.on_front(trial))
            }
            name if self.definition.measured().contains(&name) => {
                TrialCell::number(trial.value(name))
            }
            "last" => reports.last().map_or(TrialCell::Empty, |report| {
                TrialCell::Report(report.value, report.step)
            }),
            "duration" => seconds(trial),
            "suggest_ms" => TrialCell::number(provenance.map(|provenance| provenance.suggest_ms)),
            "origin" => TrialCell::Text(
                provenance.map_or(String::new(), |provenance| provenance.origin.clone()),
            ),
            "mean" => TrialCell::number(provenance.and_then(|provenance| provenance.mean)),
            "sd" => TrialCell::number(provenance.and_then(|provenance| provenance.sd)),
            "worker" => TrialCell::Worker(trial.worker.clone()),
            "attempt" => TrialCell::Count(trial.attempt),
            "asked" => moment(Some(trial.asked_ms)),
            "started" => moment(trial.started_ms),
            "finished" => moment(trial.finished_ms),
            "message" => trial.failure().map_or(TrialCell::Empty, |failure| {
                TrialCell::Text(failure.message.clone())
            }),
            name => self
                .params(trial)
                .get(name)
                .map_or(TrialCell::Empty, |value| TrialCell::Param(value.clone())),
        }
    }

    fn is_limited(&self) -> bool {
        !self.definition.constraints.is_empty()
    }

    /// Whether the outcome constraints hold; `None` for incomplete trials and without constraints.
    fn feasible(&self, trial: &Trial) -> Option<bool> {
        let complete = self.is_limited() && trial.state == State::Complete;
        complete.then(|| self.definition.is_feasible(&trial.values))
    }

    fn on_front(&self, trial: &Trial) -> Option<bool> {
        self.definition
            .is_multi_objective()
            .then(|| self.front.contains(&trial.number))
    }

    /// The parameters of a trial under their present names.
    fn params(&self, trial: &Trial) -> Params {
        self.definition
            .renamed(&trial.params.clone().unwrap_or_default(), trial.version)
    }

    /// Everything as one JSON array.
    pub fn print_json(&self) -> Result<(), CommandError> {
        let rows: Vec<Value> = self
            .trials
            .iter()
            .map(|(trial, reports)| self.json(trial, reports))
            .collect();
        print_json(&rows)
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

/// How long the evaluation took.
fn seconds(trial: &Trial) -> TrialCell {
    let span = trial
        .started_ms
        .zip(trial.finished_ms)
        .filter(|(start, end)| *start > 0 && end >= start);
    span.map_or(TrialCell::Empty, |(start, end)| {
        TrialCell::Seconds((end - start) as f64 / 1e3)
    })
}

/// The state as in a trace file, with the kind of a failure; a trial that waits for a worker says so.
fn state(trial: &Trial) -> String {
    match trial.failure() {
        Some(failure) => format!("failed:{}", failure.kind),
        None if trial.is_waiting() => "running:waiting".to_owned(),
        None => trial.state.name().to_owned(),
    }
}
