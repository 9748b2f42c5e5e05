//! Trials with everything that can be shown of them.

use neuralbo::record::{Definition, Report, State, Trial};
use neuralbo::space::{Parameter, Value};
use neuralbo::store::{Store, StudyRecord, all_trials};
use serde_json::{Value as Json, json};

use super::cells::TrialCell;
use crate::color::TextStyle;
use crate::output::{CommandError, OrCommandError, object, print_json};
use crate::run::front::{log, params};
use crate::table::{TextTable, terminal_width};

/// The columns after those of the values.
const COLUMNS: &str = "last duration suggest_ms origin mean sd worker";
/// Columns hidden on a narrow terminal, the least important first.
const LEAST: &str = "suggest_ms sd mean last origin worker duration";
/// Columns shown on request only.
const MORE: &str = "last_step attempt asked started finished message";

/// A trial with its intermediate values.
struct ListedTrial {
    trial: Trial,
    reports: Vec<Report>,
}

/// All trials of a study with their intermediate values, and which of them are on its Pareto front.
pub struct Listed<'a> {
    definition: &'a Definition,
    trials: Vec<ListedTrial>,
    /// The trials of the front, or the best one.
    front: Vec<u64>,
}

impl<'a> Listed<'a> {
    /// Reads them.
    pub fn read(store: &dyn Store, record: &'a StudyRecord) -> Result<Self, CommandError> {
        let mut listed = Self {
            definition: &record.definition,
            trials: Vec::new(),
            front: log(store, record)?.front(),
        };
        for trial in all_trials(store, record.id)? {
            let reports = store.reports(record.id, trial.number)?;
            listed.trials.push(ListedTrial { trial, reports });
        }
        Ok(listed)
    }

    /// Sorts by a column, from the largest on if its name has a minus sign.
    pub fn sort(&mut self, column: &str) -> Result<(), CommandError> {
        let name = column.strip_prefix('-').unwrap_or(column);
        self.check("--sort", name)?;
        let rows = std::mem::take(&mut self.trials).into_iter();
        let mut keyed: Vec<_> = rows.map(|row| (self.cell(name, &row), row)).collect();
        keyed.sort_by(|a, b| a.0.compare(&b.0, name != column));
        self.trials = keyed.into_iter().map(|(_, row)| row).collect();
        Ok(())
    }

    /// Sorts by the first objective, best first; incomplete and infeasible trials come last.
    pub fn best_first(&mut self) {
        let (definition, front) = (self.definition, &self.front);
        let several = definition.is_multi_objective();
        let reward = |trial: &Trial| {
            let counts = trial.state == State::Complete && definition.is_feasible(&trial.values);
            let value = trial.value(definition.objective()).filter(|_| counts);
            let reward = value.map(|value| definition.direction().reward(value));
            reward.unwrap_or(f64::NEG_INFINITY)
        };
        let is_behind = |trial: &Trial| several && !front.contains(&trial.number);
        self.trials.sort_by(|a, b| {
            let (a, b) = (&a.trial, &b.trial);
            let by_front = is_behind(a).cmp(&is_behind(b));
            by_front.then(reward(b).total_cmp(&reward(a)))
        });
    }

    /// Keeps the first ones.
    pub fn keep(&mut self, most: Option<u64>) {
        let most = most.and_then(|most| usize::try_from(most).ok());
        self.trials.truncate(most.unwrap_or(usize::MAX));
    }

    /// The columns that were asked for, all of them known; the usual ones otherwise.
    pub fn columns(&self, asked: Option<&[String]>) -> Result<Vec<String>, CommandError> {
        let Some(asked) = asked else {
            return Ok(self.usual());
        };
        let names = asked.iter().map(|name| name.trim());
        names
            .map(|name| self.check("--columns", name).map(|()| name.to_owned()))
            .collect()
    }

    fn check(&self, option: &str, name: &str) -> Result<(), CommandError> {
        let mut known = self.usual();
        known.extend(MORE.split(' ').map(str::to_owned));
        if known.iter().any(|known| known == name) {
            return Ok(());
        }
        let reason = format!("unknown column `{name}`; columns: {}", known.join(", "));
        Err(CommandError::usage(option, reason))
    }

    fn usual(&self) -> Vec<String> {
        let mut usual = vec!["number", "state"];
        usual.extend(self.definition.measured());
        usual.extend(self.is_limited().then_some("feasible"));
        usual.extend(self.definition.is_multi_objective().then_some("front"));
        usual.extend(COLUMNS.split(' '));
        let parameters = self.definition.space.parameters();
        usual.extend(parameters.iter().map(Parameter::name));
        usual.into_iter().map(str::to_owned).collect()
    }

    /// The usual columns as CSV, numbers with all their digits.
    pub fn csv(&self) -> Result<String, CommandError> {
        self.csv_of(&self.usual())
    }

    /// The same with these columns.
    pub fn csv_of(&self, columns: &[String]) -> Result<String, CommandError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(columns).or_failure("csv")?;
        for row in &self.trials {
            let cells = columns.iter().map(|column| self.cell(column, row).exact());
            writer.write_record(cells).or_failure("csv")?;
        }
        String::from_utf8(writer.into_inner().or_failure("csv")?).or_failure("csv")
    }

    /// A table: numbers at the right, the best trials and failures in colour. Unless `all`, a narrow terminal hides columns.
    pub fn table(&self, columns: &[String], all: bool) -> String {
        let cells = |row| columns.iter().map(|name| self.cell(name, row)).collect();
        // People read few digits, programs all.
        let text = match terminal_width() {
            Some(_) => TrialCell::shown,
            None => TrialCell::exact,
        };
        let rows: Vec<Vec<TrialCell>> = self.trials.iter().map(cells).collect();
        let is_number = |column: &usize| rows.iter().any(|row| row[*column].is_number());
        let mut table = TextTable::new(columns).right((0..columns.len()).filter(is_number));
        for (ListedTrial { trial, .. }, row) in self.trials.iter().zip(&rows) {
            let style = match () {
                () if trial.failure().is_some() => TextStyle::Bad,
                () if self.front.contains(&trial.number) => TextStyle::Good,
                () => TextStyle::Plain,
            };
            table.styled(style, row.iter().map(text));
        }
        let least: Vec<&str> = LEAST.split(' ').filter(|_| !all).collect();
        table.text(&least)
    }

    /// A cell. A built-in column precedes a quantity or parameter of the same name.
    fn cell(&self, column: &str, row: &ListedTrial) -> TrialCell {
        let (trial, several) = (&row.trial, self.definition.is_multi_objective());
        let from = trial.provenance.as_ref();
        let time = |ms: Option<i64>| match ms {
            Some(ms) if ms > 0 => TrialCell::Moment(ms),
            _ => TrialCell::Empty,
        };
        let last =
            |cell: fn(&Report) -> TrialCell| row.reports.last().map_or(TrialCell::Empty, cell);
        let text = |text: Option<&String>| text.cloned().map_or(TrialCell::Empty, TrialCell::Text);
        match column {
            "number" => TrialCell::Count(trial.number),
            "state" => TrialCell::Text(state(trial)),
            "feasible" if self.is_limited() => TrialCell::truth(self.feasible(trial)),
            "front" if several => TrialCell::truth(self.on_front(trial)),
            name if self.definition.measured().contains(&name) => {
                TrialCell::number(trial.value(name))
            }
            "last" => last(|report| TrialCell::Report(report.value, report.step)),
            "last_step" => last(|report| TrialCell::Param(Value::from(report.step))),
            "duration" => seconds(trial),
            "suggest_ms" => TrialCell::number(from.map(|from| from.suggest_ms)),
            "origin" => TrialCell::Text(from.map_or(String::new(), |from| from.origin.clone())),
            "mean" => TrialCell::number(from.and_then(|from| from.mean)),
            "sd" => TrialCell::number(from.and_then(|from| from.sd)),
            "worker" => TrialCell::Worker(trial.worker.clone()),
            "attempt" => TrialCell::Count(trial.attempt),
            "asked" => time(Some(trial.asked_ms)),
            "started" => time(trial.started_ms),
            "finished" => time(trial.finished_ms),
            "message" => text(trial.failure().map(|failure| &failure.message)),
            name => match params(self.definition, trial).get(name) {
                Some(value) => TrialCell::Param(value.clone()),
                None => TrialCell::Empty,
            },
        }
    }

    fn is_limited(&self) -> bool {
        !self.definition.outcome_constraints.is_empty()
    }

    /// Whether the outcome constraints hold; `None` for incomplete trials and without constraints.
    fn feasible(&self, trial: &Trial) -> Option<bool> {
        let complete = self.is_limited() && trial.state == State::Complete;
        complete.then(|| self.definition.is_feasible(&trial.values))
    }

    fn on_front(&self, trial: &Trial) -> Option<bool> {
        let several = self.definition.is_multi_objective();
        several.then(|| self.front.contains(&trial.number))
    }

    /// Everything as one JSON array.
    pub fn print_json(&self) -> Result<(), CommandError> {
        let rows = self.trials.iter().map(|row| self.json(row));
        print_json(&rows.collect::<Vec<Json>>())
    }

    fn json(&self, ListedTrial { trial, reports }: &ListedTrial) -> Json {
        json!({
            "number": trial.number,
            "version": trial.version,
            "state": trial.state.name(),
            "value": trial.value(self.definition.objective()),
            "values": trial.values,
            "feasible": self.feasible(trial),
            "on_front": self.on_front(trial),
            "failure": trial.failure(),
            "params": object(&self.definition.space, &params(self.definition, trial)),
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
    match (trial.started_ms, trial.finished_ms) {
        (Some(start), Some(end)) if start > 0 && end >= start => {
            TrialCell::Seconds((end - start) as f64 / 1e3)
        }
        _ => TrialCell::Empty,
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
