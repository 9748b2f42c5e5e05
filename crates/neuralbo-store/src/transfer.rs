//! Studies as JSON lines: one line for the study, one for each trial, nothing lost.

use std::io::BufRead;

use neuralbo::space::{Space, Value};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::stored::{read_point, write_point};
use crate::{Definition, Limits, Report, Store, StoreError, StudyRecord, TrialRecord};

/// The newest version of the form that this code reads.
const VERSION: u64 = 1;

/// Why lines could not be read as a study.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImportError {
    /// A line is wrong.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// There is no study.
    #[error("there is no study in it: {0}")]
    NoStudy(String),
    /// The lines were written by a newer neuralbo.
    #[error("the export has version {found}, this neuralbo reads up to version {supported}; use a newer neuralbo")]
    Newer {
        /// Theirs.
        found: u64,
        /// Ours.
        supported: u64,
    },
}

/// A study from elsewhere, ready for [`Store::create_study`] and [`Store::import`].
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Its name there.
    pub name: String,
    /// What it is.
    pub definition: Definition,
    /// When it ends.
    pub limits: Limits,
    /// Its trials with their intermediate values: the finished ones in their order, then the others.
    pub trials: Vec<(TrialRecord, Vec<Report>)>,
    /// How many trials there could not be brought over.
    pub left_out: u64,
}

impl Imported {
    /// Puts the study into a store under this name.
    pub fn store(&self, store: &dyn Store, name: &str) -> Result<StudyRecord, StoreError> {
        let record = store.create_study(name, &self.definition, &self.limits)?;
        store.import(record.id, &self.trials).map(|()| record)
    }
}

#[derive(Serialize, Deserialize)]
struct Head {
    version: u64,
    study: String,
    created_ms: i64,
    definition: Definition,
    limits: Limits,
}

/// Passes a study line by line to `sink`.
pub fn export_study<E: From<StoreError>>(
    store: &dyn Store,
    record: &StudyRecord,
    mut sink: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let head = Head {
        version: VERSION,
        study: record.name.clone(),
        created_ms: record.created_ms,
        definition: record.definition.clone(),
        limits: record.limits,
    };
    sink(&text(&head)?)?;
    for trial in crate::replay::all_trials(store, record)? {
        let reports = store.reports(record.id, trial.number)?;
        sink(&text(&trial_json(&record.definition.space, &trial, &reports)?)?)?;
    }
    Ok(())
}

fn text(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Record { what: "an export".to_owned(), reason: error.to_string() })
}

/// A trial with its parameters by name.
fn trial_json(space: &Space, trial: &TrialRecord, reports: &[Report]) -> Result<Json, StoreError> {
    let wrong = |error: serde_json::Error| StoreError::Record { what: "a trial".to_owned(), reason: error.to_string() };
    let mut json = serde_json::to_value(trial).map_err(wrong)?;
    if let Some(point) = trial.params.as_deref().and_then(read_point) {
        let named = space.named(&point).map(|(name, value)| Ok((name.to_owned(), serde_json::to_value(value)?)));
        json["params"] = Json::Object(named.collect::<Result<Map<_, _>, serde_json::Error>>().map_err(wrong)?);
    }
    if !reports.is_empty() {
        json["reports"] = serde_json::to_value(reports).map_err(wrong)?;
    }
    Ok(json)
}

/// Reads what [`export_study`] wrote; every point is checked against the space.
pub fn read_export(lines: impl BufRead) -> Result<Imported, ImportError> {
    let mut imported: Option<Imported> = None;
    for (index, line) in lines.lines().enumerate() {
        let wrong = |reason: String| ImportError::Line { line: index + 1, reason };
        let line = line.map_err(|error| wrong(error.to_string()))?;
        match &mut imported {
            _ if line.trim().is_empty() => {}
            None => imported = Some(head(&line).map_err(|error| error.unwrap_or_else(wrong))?),
            Some(study) => {
                let trial = read_trial(&study.definition.space, &line).map_err(wrong)?;
                study.trials.push(trial);
            }
        }
    }
    let mut imported = imported.ok_or_else(|| ImportError::NoStudy("the file is empty".to_owned()))?;
    imported.trials.sort_by_key(|(trial, _)| (trial.seq.is_none(), trial.seq, trial.number));
    Ok(imported)
}

/// The error of a first line: one with a name of its own, or a reason.
enum HeadError {
    Named(ImportError),
    Reason(String),
}

impl HeadError {
    fn unwrap_or_else(self, wrong: impl Fn(String) -> ImportError) -> ImportError {
        match self {
            Self::Named(error) => error,
            Self::Reason(reason) => wrong(reason),
        }
    }
}

fn head(line: &str) -> Result<Imported, HeadError> {
    let json: Json = serde_json::from_str(line).map_err(|error| HeadError::Reason(error.to_string()))?;
    let found = json["version"].as_u64().ok_or_else(|| HeadError::Reason("the first line must describe the study".to_owned()))?;
    if found > VERSION {
        return Err(HeadError::Named(ImportError::Newer { found, supported: VERSION }));
    }
    let head: Head = serde_json::from_value(json).map_err(|error| HeadError::Reason(error.to_string()))?;
    Ok(Imported { name: head.study, definition: head.definition, limits: head.limits, trials: Vec::new(), left_out: 0 })
}

fn read_trial(space: &Space, line: &str) -> Result<(TrialRecord, Vec<Report>), String> {
    let mut json: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if let Some(named) = json["params"].as_object() {
        let read = |(name, value): (&String, &Json)| Ok((name.clone(), serde_json::from_value::<Value>(value.clone())?));
        let named = named.iter().map(read).collect::<Result<Vec<_>, serde_json::Error>>().map_err(|error| error.to_string())?;
        let point = space.point_from_named(named).map_err(|error| error.to_string())?;
        json["params"] = Json::String(write_point(&point));
    }
    let reports = json.as_object_mut().and_then(|object| object.remove("reports"));
    let reports = reports.map_or(Ok(Vec::new()), serde_json::from_value).map_err(|error| error.to_string())?;
    Ok((serde_json::from_value(json).map_err(|error| error.to_string())?, reports))
}
