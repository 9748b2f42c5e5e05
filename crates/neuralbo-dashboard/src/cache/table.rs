//! All finished trials of a study, in the order in which they finished.

use std::collections::HashMap;

use neuralbo::record::{Definition, FailureKind, State, Trial};
use neuralbo::space::{Parameter, Params};

use super::column::ValueColumn;
use super::texts::Texts;

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Complete,
    Failed(FailureKind),
    Pruned,
}

impl End {
    /// `complete`, `failed` or `pruned`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Failed(_) => "failed",
            Self::Pruned => "pruned",
        }
    }
}

/// What every trial has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrialRow {
    pub(crate) number: u64,
    pub(crate) end: End,
    /// Whether all outcome constraints hold.
    pub(crate) feasible: bool,
    /// Whether it was told from elsewhere.
    pub(crate) known: bool,
    pub(crate) attempt: u32,
    /// The stopped trial that it goes on with.
    pub(crate) resumes: Option<u64>,
    /// Places in the texts of the table.
    pub(crate) worker: u32,
    pub(crate) origin: u32,
    pub(crate) message: u32,
    pub(crate) asked: i64,
    pub(crate) started: Option<i64>,
    pub(crate) finished: Option<i64>,
    pub(crate) suggest_ms: f32,
    /// What was predicted of the first objective; NaN where nothing was.
    pub(crate) mean: f64,
    pub(crate) sd: f64,
}

impl TrialRow {
    /// Whether it may be the best one.
    pub(crate) fn is_eligible(&self) -> bool {
        self.end == End::Complete && self.feasible
    }

    /// How long its evaluation took, in milliseconds.
    pub(crate) fn duration(&self) -> Option<i64> {
        Some(self.finished? - self.started?)
    }
}

/// A column and its name.
pub(crate) struct NamedColumn {
    pub(crate) name: String,
    pub(crate) column: ValueColumn,
}

/// NamedColumns by name, in the order in which the names appeared.
#[derive(Default)]
pub(crate) struct NamedColumns {
    all: Vec<NamedColumn>,
    places: HashMap<String, usize>,
}

impl NamedColumns {
    fn with_names<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut columns = Self::default();
        names.for_each(|name| _ = columns.place(name, 0));
        columns
    }

    fn place(&mut self, name: &str, rows: usize) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        self.all.push(NamedColumn {
            name: name.to_owned(),
            column: ValueColumn::absent(rows),
        });
        self.places.insert(name.to_owned(), self.all.len() - 1);
        self.all.len() - 1
    }

    pub(crate) fn get(&self, name: &str) -> Option<&ValueColumn> {
        self.places.get(name).map(|place| &self.all[*place].column)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &NamedColumn> {
        self.all.iter()
    }

    /// NamedColumns that got no value of this trial get their gap.
    fn fill(&mut self, rows: usize) {
        self.all
            .iter_mut()
            .filter(|named| named.column.len() < rows)
            .for_each(|named| named.column.push_number(None));
    }
}

/// All finished trials of a study.
pub(crate) struct TrialTable {
    pub(crate) rows: Vec<TrialRow>,
    pub(crate) params: NamedColumns,
    pub(crate) values: NamedColumns,
    pub(crate) texts: Texts,
}

impl TrialTable {
    /// A table without trials, whose columns are in the order of the definition.
    pub(crate) fn new(definition: &Definition) -> Self {
        let parameters = definition.space.parameters().iter().map(Parameter::name);
        Self {
            rows: Vec::new(),
            params: NamedColumns::with_names(parameters),
            values: NamedColumns::with_names(definition.measured().into_iter()),
            texts: Texts::default(),
        }
    }

    /// Adds the next finished trial; its parameters under their present names.
    pub(crate) fn push(&mut self, definition: &Definition, trial: &Trial) {
        let rows = self.rows.len();
        if let Some(params) = &trial.params {
            let renamed = definition
                .renames_after(trial.version)
                .then(|| definition.renamed(params, trial.version));
            for (name, value) in renamed.as_ref().unwrap_or(params).iter() {
                let place = self.params.place(name, rows);
                self.params.all[place].column.push(Some(value));
            }
        }
        self.params.fill(rows + 1);
        for (name, value) in &trial.values {
            let place = self.values.place(name, rows);
            self.values.all[place].column.push_number(Some(*value));
        }
        self.values.fill(rows + 1);
        let row = self.row(definition, trial);
        self.rows.push(row);
    }

    fn row(&mut self, definition: &Definition, trial: &Trial) -> TrialRow {
        let (end, message) = match &trial.state {
            State::Complete | State::Running => (End::Complete, ""),
            State::Pruned { .. } => (End::Pruned, ""),
            State::Failed { failure } => (End::Failed(failure.kind), failure.message.as_str()),
        };
        let from = trial.provenance.as_ref();
        TrialRow {
            number: trial.number,
            end,
            feasible: definition.is_feasible(&trial.values),
            known: trial.is_known(),
            resumes: from.and_then(|from| from.resumes),
            attempt: u32::try_from(trial.attempt).unwrap_or(u32::MAX),
            worker: self.texts.place(&trial.worker),
            origin: self.texts.place(from.map_or("", |from| &from.origin)),
            message: self.texts.place(message),
            asked: trial.asked_ms,
            started: trial.started_ms,
            finished: trial.finished_ms,
            mean: from.and_then(|from| from.mean).unwrap_or(f64::NAN),
            sd: from.and_then(|from| from.sd).unwrap_or(f64::NAN),
            suggest_ms: from.map_or(0.0, |from| from.suggest_ms) as f32,
        }
    }

    /// The parameters of a trial by name.
    pub(crate) fn params_of(&self, place: usize) -> Params {
        let value = |named: &NamedColumn| Some((named.name.clone(), named.column.value(place)?));
        self.params.iter().filter_map(value).collect()
    }

    /// The places of the rows by trial number: with parallel workers not the order in which they finished.
    pub(crate) fn by_number(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.rows.len()).collect();
        places.sort_by_key(|place| self.rows[*place].number);
        places
    }

    /// Where a trial stands in the table.
    pub(crate) fn find(&self, number: u64) -> Option<usize> {
        self.rows.iter().position(|row| row.number == number)
    }
}
