//! A study in memory as JSON.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use neuralbo::record::{Attributes, Definition, Limits, Report, Token, Trial};
use neuralbo::store::{
    Claim, Claimed, MemoryStore, NewStudy, NewTrial, Store, StoreError, StudyRecord,
};
use neuralbo::study::Study;
use serde::{Deserialize, Serialize};

use crate::errors::{EngineResult, value_error};

/// A whole study: all versions of its definition and all trials by number.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyJson {
    definitions: Vec<Definition>,
    limits: Limits,
    #[serde(default, skip_serializing_if = "Attributes::is_empty")]
    attributes: Attributes,
    trials: Vec<Trial>,
    /// The claims of the running trials, by number.
    #[serde(default)]
    tokens: BTreeMap<u64, Token>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    reports: BTreeMap<u64, Vec<Report>>,
}

/// Everything about a study.
pub fn write(study: &Study) -> EngineResult<String> {
    let StudyRecord { id, limits, .. } = *study.record();
    let store = study.store();
    let attributes = store.study(&study.record().name)?.attributes;
    let mut trials = study.trials()?;
    trials.retain(|trial| trial.params.is_some());
    let reports = trials
        .iter()
        .map(|trial| Ok((trial.number, store.reports(id, trial.number)?)));
    let mut reports = reports.collect::<Result<BTreeMap<_, _>, StoreError>>()?;
    reports.retain(|_, reports| !reports.is_empty());
    let running = trials.iter().filter(|trial| trial.is_running());
    let tokens = running.map(|trial| (trial.number, trial.token)).collect();
    let json = StudyJson {
        definitions: store.definitions(id)?,
        limits,
        attributes,
        trials,
        tokens,
        reports,
    };
    Ok(serde_json::to_string(&json).map_err(value_error)?)
}

/// The study of such a text, in memory; trials that were running still are.
pub fn read(name: &str, text: &str) -> EngineResult<Study> {
    let wrong =
        |error: &dyn std::fmt::Display| value_error(format!("state cannot be read: {error}"));
    let StudyJson {
        definitions,
        limits,
        attributes,
        mut trials,
        tokens,
        mut reports,
    } = serde_json::from_str(text).map_err(|error| wrong(&error))?;
    trials.sort_by_key(|trial| (trial.seq.unwrap_or(u64::MAX), trial.number));
    let running = trials.iter().filter(|trial| trial.is_running());
    let mut running: Vec<u64> = running.map(|trial| trial.number).collect();
    running.sort_unstable();
    let taken_over = |trial: Trial| {
        let reports = reports.remove(&trial.number).unwrap_or_default();
        // The claim below counts as one.
        let attempt = trial.attempt.saturating_sub(u64::from(trial.is_running()));
        NewTrial {
            trial: Trial { attempt, ..trial },
            reports,
        }
    };
    let trials = trials.into_iter().map(taken_over).collect();
    let store = MemoryStore::new();
    let record = store
        .create_study(&NewStudy {
            name: name.to_owned(),
            definitions,
            limits,
            attributes,
            trials,
        })
        .map_err(|e| wrong(&e))?;
    // Waiting trials are claimed by number.
    for number in running {
        let token = tokens.get(&number).copied();
        let claim = Claim {
            worker: String::new(),
            token: token.unwrap_or_else(Token::fresh),
            lease: Duration::MAX,
        };
        if let Claimed::Full { .. } = store.claim(record.id, &claim)? {
            break;
        }
    }
    let registry = neuralbo_paper::registry();
    Ok(Study::open(Arc::new(store), record, registry)?)
}
