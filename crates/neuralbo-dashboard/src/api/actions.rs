//! Actions, which need the token.

use std::sync::Arc;

use neuralbo::limits::NUMBER;
use neuralbo::record::{Attributes, Limits, Provenance, State, Trial};
use neuralbo::space::Params;
use neuralbo::store::{NewTrial, Store, StudyRecord};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};

use super::{ApiError, ApiResult, App, answered, trial_number};

/// The origin of an enqueued trial.
const ENQUEUED: &str = "enqueued";
/// The attribute that holds a note.
pub(super) const NOTE: &str = "note";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnqueueBody {
    params: Params,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoteBody {
    note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AttributesBody {
    attributes: Attributes,
}

/// The new name, or that of the study to delete: a wrong address deletes nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NameBody {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EmptyBody {}

impl App {
    pub(super) fn act(&self, path: &[&str], body: &[u8]) -> ApiResult {
        let store = self.editing.as_ref().ok_or_else(ApiError::nothing_here)?;
        let ["studies", name, rest @ ..] = path else {
            return Err(ApiError::nothing_here());
        };
        let record = store.study(name)?;
        let answer = match rest {
            ["trials"] => enqueue(store, &record, &read::<EnqueueBody>(body)?.params),
            ["stop"] => read::<EmptyBody>(body).and_then(|_| stop(store, &record)),
            ["limits"] => limit(store, &record, &read(body)?),
            ["rename"] => rename(store, &record, &read::<NameBody>(body)?.name),
            ["delete"] => delete(store, &record, &read::<NameBody>(body)?.name),
            ["attributes"] => describe(store, &record, &read::<AttributesBody>(body)?.attributes),
            ["trials", number, "note"] => {
                note(store, &record, number, read::<NoteBody>(body)?.note)
            }
            _ => Err(ApiError::nothing_here()),
        };
        self.studies.changed(name);
        answer
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body)
        .map_err(|error| ApiError::bad(format!("the body cannot be read: {error}")))
}

/// A point for the next free worker.
fn enqueue(store: &Arc<dyn Store>, record: &StudyRecord, params: &Params) -> ApiResult {
    let space = &record.definition.space;
    let wrong = |error: neuralbo::space::SpaceError| ApiError::bad(error.to_string());
    let params = space
        .complete(params)
        .and_then(|params| space.check(&params))
        .map_err(wrong)?;
    let provenance = Provenance {
        origin: ENQUEUED.to_owned(),
        ..Provenance::default()
    };
    let trial = Trial {
        params: Some(params),
        state: State::Running,
        provenance: Some(provenance),
        ..Trial::claimed(0, "", super::now_ms())
    };
    let numbers = store.add(record.id, &[NewTrial::from(trial)])?;
    answered(json!({ "number": numbers.first() }))
}

/// Allows no further trial; running ones may finish.
fn stop(store: &Arc<dyn Store>, record: &StudyRecord) -> ApiResult {
    let counts = store.counts(record.id)?;
    let asked = counts.finished() + counts.running - counts.known;
    store.limit(
        record.id,
        &Limits {
            trials: Some(asked),
            ..record.limits
        },
    )?;
    answered(json!({ "trials": asked, "running": counts.running }))
}

/// Changes the named limits; `null` removes one.
fn limit(store: &Arc<dyn Store>, record: &StudyRecord, given: &Map<String, Json>) -> ApiResult {
    let mut limits = record.limits;
    for (name, value) in given {
        match name.as_str() {
            "trials" => {
                let allowed = "a whole number from 0 on";
                limits.trials = given_limit(name, value, allowed, |value| count(value, 0))?;
            }
            "patience" => {
                let allowed = "a whole number from 1 on";
                limits.patience = given_limit(name, value, allowed, |value| count(value, 1))?;
            }
            "target" => {
                let finite = |value: &Json| value.as_f64().filter(|target| target.is_finite());
                limits.target = given_limit(name, value, "a finite number", finite)?;
            }
            _ => {
                return Err(ApiError::bad(format!(
                    "limit `{name}` is unknown, it must be trials, target or patience"
                )));
            }
        }
    }
    limits
        .check(&record.definition)
        .map_err(|error| ApiError::bad(error.to_string()))?;
    store.limit(record.id, &limits)?;
    answered(json!({ "limits": limits }))
}

/// Gives the study another name.
fn rename(store: &Arc<dyn Store>, record: &StudyRecord, name: &str) -> ApiResult {
    store.rename_study(record.id, name)?;
    answered(json!({ "name": name }))
}

/// Adds or replaces attributes of the study.
fn describe(store: &Arc<dyn Store>, record: &StudyRecord, attributes: &Attributes) -> ApiResult {
    store.set_study_attributes(record.id, attributes)?;
    let names: Vec<&String> = attributes.keys().collect();
    answered(json!({ "attributes": names }))
}

/// Removes the study with all its trials.
fn delete(store: &Arc<dyn Store>, record: &StudyRecord, name: &str) -> ApiResult {
    if name != record.name {
        return Err(ApiError::bad(format!(
            "name: `{name}` is not allowed, it must be `{}`, the study to delete",
            record.name
        )));
    }
    let counts = store.counts(record.id)?;
    store.delete_study(record.id)?;
    let trials = counts.finished() + counts.running;
    answered(json!({ "deleted": record.name, "trials": trials }))
}

/// A new limit; `null` for none.
fn given_limit<T>(
    name: &str,
    value: &Json,
    allowed: &str,
    read: impl Fn(&Json) -> Option<T>,
) -> Result<Option<T>, ApiError> {
    if value.is_null() {
        return Ok(None);
    }
    let wrong = || {
        ApiError::bad(format!(
            "{name}: `{value}` is not allowed, it must be {allowed}, or null"
        ))
    };
    read(value).map(Some).ok_or_else(wrong)
}

fn count(value: &Json, least: u64) -> Option<u64> {
    let count = value.as_u64()?;
    (least..=NUMBER).contains(&count).then_some(count)
}

fn note(store: &Arc<dyn Store>, record: &StudyRecord, number: &str, note: String) -> ApiResult {
    let number = trial_number(number)?;
    let attributes = Attributes::from([(NOTE.to_owned(), note.into())]);
    store.set_attributes(record.id, number, &attributes)?;
    answered(json!({ "number": number }))
}
