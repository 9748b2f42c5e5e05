//! Studies as JSON lines: one line for the study, one for each trial, nothing lost.

use std::io::BufRead;

use neuralbo::record::{Attributes, Definition, Limits, Report, Trial};
use neuralbo::store::{NewStudy, NewTrial, Store, StoreError, StudyRecord, all_trials};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The newest version of the form that this code reads.
const VERSION: u64 = 1;

/// Why lines could not be read as a study.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
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
    #[error("no study to import: {0}")]
    NoStudy(String),
    /// The lines were written by a newer neuralbo.
    #[error(
        "the export has version {found}, this neuralbo reads up to version {supported}; use a newer neuralbo"
    )]
    Newer {
        /// Theirs.
        found: u64,
        /// Ours.
        supported: u64,
    },
}

/// A study from elsewhere, ready to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Its name there.
    pub name: String,
    /// All versions of its definition, the first one first.
    pub definitions: Vec<Definition>,
    /// When it ends.
    pub limits: Limits,
    /// Its attributes.
    pub attributes: Attributes,
    /// Its trials with their intermediate values: the finished ones in their order, then the others.
    pub trials: Vec<NewTrial>,
    /// How many trials there could not be brought over.
    pub left_out: u64,
}

impl Imported {
    /// Puts the study into a store under this name, all or nothing; the error names the first trial that is wrong.
    pub fn store(&self, store: &dyn Store, name: &str) -> Result<StudyRecord, StoreError> {
        store.create_study(&NewStudy {
            name: name.to_owned(),
            definitions: self.definitions.clone(),
            limits: self.limits,
            attributes: self.attributes.clone(),
            trials: self.trials.clone(),
        })
    }
}

#[derive(Serialize, Deserialize)]
struct Head {
    version: u64,
    study: String,
    created_ms: i64,
    definitions: Vec<Definition>,
    limits: Limits,
    #[serde(default, skip_serializing_if = "Attributes::is_empty")]
    attributes: Attributes,
}

/// Passes a study line by line to `sink`.
///
/// ```
/// use neuralbo::record::{Definition, Direction, Limits};
/// use neuralbo::space::Space;
/// use neuralbo::store::{NewStudy, StoreError};
///
/// let store = neuralbo_store::open("memory://")?;
/// let definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
/// let study = store.create_study(&NewStudy::new("tuning", definition, Limits::default()))?;
/// let mut lines = String::new();
/// neuralbo_store::export_study(store.as_ref(), &study, |line| {
///     lines += line;
///     lines += "\n";
///     Ok::<(), StoreError>(())
/// })?;
/// let copy = neuralbo_store::read_export(lines.as_bytes())?.store(store.as_ref(), "copy")?;
/// assert_eq!(copy.definition, study.definition);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export_study<E: From<StoreError>>(
    store: &dyn Store,
    record: &StudyRecord,
    mut sink: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    sink(&study_line(record, store.definitions(record.id)?)?)?;
    for trial in all_trials(store, record.id)? {
        let reports = store.reports(record.id, trial.number)?;
        sink(&trial_line(&trial, &reports)?)?;
    }
    Ok(())
}

/// The first line of a study.
pub(crate) fn study_line(
    record: &StudyRecord,
    definitions: Vec<Definition>,
) -> Result<String, StoreError> {
    text(&Head {
        version: VERSION,
        study: record.name.clone(),
        created_ms: record.created_ms,
        definitions,
        limits: record.limits,
        attributes: record.attributes.clone(),
    })
}

/// The line of a trial.
pub(crate) fn trial_line(trial: &Trial, reports: &[Report]) -> Result<String, StoreError> {
    let mut json = serde_json::to_value(trial).map_err(unwritable)?;
    if !reports.is_empty() {
        json["reports"] = serde_json::to_value(reports).map_err(unwritable)?;
    }
    text(&json)
}

fn text(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(unwritable)
}

fn unwritable(error: serde_json::Error) -> StoreError {
    StoreError::Record {
        what: "an export".to_owned(),
        reason: error.to_string(),
    }
}

/// Reads the output of [`export_study`], of this version or an earlier one. Trials are checked against
/// the study when they are stored.
pub fn read_export(lines: impl BufRead) -> Result<Imported, ImportError> {
    let mut studies = read_exports(lines)?;
    match (studies.pop(), studies.len()) {
        (Some(study), 0) => Ok(study),
        (None, _) => Err(ImportError::NoStudy("the file is empty".to_owned())),
        (_, others) => Err(ImportError::NoStudy(format!(
            "it has {} studies; `neuralbo restore` restores all of them",
            others + 1
        ))),
    }
}

/// Reads any number of studies, one after the other, as a backup has them.
pub fn read_exports(lines: impl BufRead) -> Result<Vec<Imported>, ImportError> {
    let mut read: Vec<Imported> = Vec::new();
    for (index, line) in lines.lines().enumerate() {
        let wrong = |reason: String| ImportError::Line {
            line: index + 1,
            reason,
        };
        let line = line.map_err(|error| wrong(error.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        let json: Json = serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
        match read.last_mut().filter(|_| json.get("study").is_none()) {
            None => read.push(head(json, wrong)?),
            Some(study) => study.trials.push(trial(json).map_err(wrong)?),
        }
    }
    for study in &mut read {
        study
            .trials
            .sort_by_key(|new| (new.trial.seq.is_none(), new.trial.seq, new.trial.number));
    }
    Ok(read)
}

fn head(json: Json, wrong: impl Fn(String) -> ImportError) -> Result<Imported, ImportError> {
    let version = json["version"]
        .as_u64()
        .ok_or_else(|| wrong("the first line must describe the study".to_owned()))?;
    if version > VERSION {
        return Err(ImportError::Newer {
            found: version,
            supported: VERSION,
        });
    }
    let head: Head = serde_json::from_value(json).map_err(|error| wrong(error.to_string()))?;
    if head.definitions.is_empty() {
        return Err(wrong("the study has no definition".to_owned()));
    }
    Ok(Imported {
        name: head.study,
        definitions: head.definitions,
        limits: head.limits,
        attributes: head.attributes,
        trials: Vec::new(),
        left_out: 0,
    })
}

fn trial(mut json: Json) -> Result<NewTrial, String> {
    let params = &json["params"];
    if !(params.is_object() || params.is_null()) {
        return Err(format!(
            "params must be an object of values by name, found {params}"
        ));
    }
    let trial = json.as_object_mut();
    let reports = trial.and_then(|trial| trial.remove("reports"));
    let reports = reports.map_or(Ok(Vec::new()), serde_json::from_value);
    let reports = reports.map_err(|error| error.to_string())?;
    Ok(NewTrial {
        trial: serde_json::from_value::<Trial>(json).map_err(|error| error.to_string())?,
        reports,
    })
}
