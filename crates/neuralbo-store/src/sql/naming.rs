//! The data of migration 2: what version 1 stored by position gets its names.

use neuralbo::record::{Definition, Direction, ObjectiveSpec, Retries, VALUE};
use neuralbo::space::{Params, Space, Value};
use neuralbo::store::StoreError;

use super::cell::{Cell, Row};
use super::driver::Session;

/// The key under which values are kept that cannot be named.
const UNNAMED: &str = "v1_params";
/// The newest version of a study's records in tables of version 1.
const OLD_RECORD_VERSION: i64 = 1;

const STUDIES: &str = "SELECT id, name, record_version, space, direction, method, options, seed, retries, created_ms \
     FROM neuralbo_studies ORDER BY id";
const ADD_DEFINITION: &str = "INSERT INTO neuralbo_definitions (study, version, record_version, definition, created_ms) \
     VALUES ($1, 1, 2, $2, $3)";
const TRIALS: &str =
    "SELECT number, state, params, value FROM neuralbo_trials WHERE study = $1 ORDER BY number";
const NAME_VALUES: &str = "UPDATE neuralbo_trials SET params = $3, vals = $4, attributes = $5 WHERE study = $1 AND number = $2";
/// A running trial whose point cannot be named gets a new one.
const FORGET_POINT: &str =
    "UPDATE neuralbo_trials SET origin = NULL WHERE params IS NULL AND state = 'running'";
const PRUNED_STEPS: &str = "UPDATE neuralbo_trials SET step = (SELECT MAX(r.step) FROM neuralbo_reports r \
     WHERE r.study = neuralbo_trials.study AND r.number = neuralbo_trials.number) WHERE state = 'pruned'";

struct OldStudy {
    id: i64,
    definition: Definition,
    created_ms: i64,
}

struct OldTrial {
    number: u64,
    running: bool,
    params: Option<String>,
    value: Option<f64>,
}

pub(super) fn name_parameters(session: &mut dyn Session) -> Result<(), StoreError> {
    for study in session.rows(STUDIES, &[], old_study)? {
        let definition = text(&study.definition)?;
        session.execute(
            ADD_DEFINITION,
            &[study.id.into(), definition.into(), study.created_ms.into()],
        )?;
        for trial in session.rows(TRIALS, &[study.id.into()], old_trial)? {
            name_trial(session, study.id, &study.definition.space, &trial)?;
        }
    }
    session.execute(FORGET_POINT, &[])?;
    session.execute(PRUNED_STEPS, &[]).map(|_| ())
}

fn text(definition: &Definition) -> Result<String, StoreError> {
    let wrong = |error: serde_json::Error| StoreError::Record {
        what: "a study".to_owned(),
        reason: error.to_string(),
    };
    serde_json::to_string(definition).map_err(wrong)
}

fn old_study(row: &mut Row<'_>) -> Result<OldStudy, StoreError> {
    row.of("a study");
    let (id, name, found) = (row.int()?, row.text()?, row.int()?);
    if found > OLD_RECORD_VERSION {
        return Err(StoreError::NewerRecord {
            study: name.to_owned(),
            found,
            supported: OLD_RECORD_VERSION,
        });
    }
    let space: Space = row.json()?;
    let direction: Direction = row.text()?.parse().map_err(|error| row.wrong(error))?;
    let method = row.text()?.to_owned();
    let definition = Definition {
        objectives: vec![ObjectiveSpec::new(VALUE, direction)],
        options: row.json()?,
        method,
        seed: row
            .text()?
            .parse()
            .map_err(|_| row.wrong("the seed is not a number"))?,
        retries: row.json::<Retries>()?,
        ..Definition::new(space, direction)
    };
    Ok(OldStudy {
        id,
        definition,
        created_ms: row.int()?,
    })
}

fn old_trial(row: &mut Row<'_>) -> Result<OldTrial, StoreError> {
    row.of("a trial");
    let (number, running) = (row.count()?, row.text()? == "running");
    Ok(OldTrial {
        number,
        running,
        params: row.maybe_text()?.map(str::to_owned),
        value: row.maybe_real()?,
    })
}

fn name_trial(
    session: &mut dyn Session,
    study: i64,
    space: &Space,
    trial: &OldTrial,
) -> Result<(), StoreError> {
    let named = trial
        .params
        .as_deref()
        .map(|text| named(space, text).ok_or(text));
    let (params, unnamed) = match named {
        Some(Ok(params)) => (Some(params.to_json()), None),
        // The trial and its value stay: it has ended, whatever its parameters were called.
        Some(Err(raw)) => ((!trial.running).then(|| "{}".to_owned()), Some(raw)),
        None => (None, None),
    };
    let vals = trial
        .value
        .map(|value| serde_json::json!({ VALUE: value }).to_string());
    let attributes = unnamed.map(|raw| {
        let json = serde_json::from_str(raw).unwrap_or_else(|_| serde_json::Value::from(raw));
        serde_json::json!({ UNNAMED: json }).to_string()
    });
    let cells: [Cell; 5] = [
        study.into(),
        trial.number.into(),
        params.into(),
        vals.into(),
        attributes.into(),
    ];
    session.execute(NAME_VALUES, &cells).map(|_| ())
}

/// The values by name, if there are as many as the space has parameters.
fn named(space: &Space, text: &str) -> Option<Params> {
    let values: Vec<Value> = serde_json::from_str(text).ok()?;
    let parameters = space.parameters();
    (values.len() == parameters.len()).then(|| {
        parameters
            .iter()
            .map(|parameter| parameter.name())
            .zip(values)
            .collect()
    })
}
