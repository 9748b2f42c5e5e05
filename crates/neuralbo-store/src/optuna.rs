//! Studies of an Optuna SQLite storage (schema version 12, the one of Optuna 3 to 5).

use std::collections::BTreeMap;
use std::path::Path;

use neuralbo::space::{Domain, Parameter, Space, Value};
use neuralbo::study::{Direction, Failure, FailureKind};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value as Json;

use crate::stored::write_point;
use crate::{Definition, ImportError, Imported, Limits, Provenance, Report, Retries, TrialRecord, TrialState};

const STUDIES: &str = "SELECT study_id, study_name FROM studies ORDER BY study_id";
const DIRECTIONS: &str = "SELECT direction FROM study_directions WHERE study_id = $1 ORDER BY objective";
const TRIALS: &str = "SELECT t.trial_id, t.number, t.state, v.value FROM trials t \
     LEFT JOIN trial_values v ON v.trial_id = t.trial_id AND v.objective = 0 \
     WHERE t.study_id = $1 ORDER BY t.datetime_complete IS NULL, t.datetime_complete, t.number";
const PARAMS: &str = "SELECT p.trial_id, p.param_name, p.param_value, p.distribution_json FROM trial_params p \
     JOIN trials t ON t.trial_id = p.trial_id WHERE t.study_id = $1 ORDER BY p.param_id";
const REPORTS: &str = "SELECT r.trial_id, r.step, r.intermediate_value FROM trial_intermediate_values r \
     JOIN trials t ON t.trial_id = r.trial_id WHERE t.study_id = $1 ORDER BY r.step";

/// Most values of a stepped parameter, which becomes a choice.
const MOST_STEPS: usize = 1000;

/// Reads one study of an Optuna storage; the only one if none is named.
///
/// Stepped parameters become choices. Trials that do not set every parameter, or are running, are left out and counted. The
/// trials are known results: they do not count for the study's limit.
pub fn read_optuna(path: &Path, study: Option<&str>) -> Result<Imported, ImportError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| unreadable(&error))?;
    let (id, name) = choose(&connection, study)?;
    let direction = direction(&connection, id)?;
    let params = params(&connection, id)?;
    let space = space(&params)?;
    let reports = reports(&connection, id)?;
    let (mut trials, mut left_out) = (Vec::new(), 0);
    for raw in raw_trials(&connection, id)? {
        match record(&space, &raw, params.get(&raw.id)) {
            Some(trial) => trials.push((trial, reports.get(&raw.id).cloned().unwrap_or_default())),
            None => left_out += 1,
        }
    }
    let definition =
        Definition { space, direction, method: "random".to_owned(), options: Vec::new(), seed: 0, retries: Retries::default() };
    Ok(Imported { name, definition, limits: Limits::default(), trials, left_out })
}

fn unreadable(error: &rusqlite::Error) -> ImportError {
    ImportError::NoStudy(format!("it cannot be read as an Optuna storage: {error}"))
}

fn rows<T>(
    connection: &Connection,
    sql: &'static str,
    id: Option<i64>,
    read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, ImportError> {
    let mut statement = connection.prepare(sql).map_err(|error| unreadable(&error))?;
    let found = statement.query_map(rusqlite::params_from_iter(id), read).and_then(Iterator::collect);
    found.map_err(|error| unreadable(&error))
}

fn choose(connection: &Connection, name: Option<&str>) -> Result<(i64, String), ImportError> {
    let studies: Vec<(i64, String)> = rows(connection, STUDIES, None, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let listed = studies.iter().map(|(_, name)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let missing = |what: String| ImportError::NoStudy(format!("{what}; its studies: {listed}"));
    match name {
        None if studies.len() == 1 => Ok(studies[0].clone()),
        None => Err(missing(format!("it has {} studies, name one", studies.len()))),
        Some(name) => {
            studies.iter().find(|(_, n)| n == name).cloned().ok_or_else(|| missing(format!("no study is called `{name}`")))
        }
    }
}

fn direction(connection: &Connection, id: i64) -> Result<Direction, ImportError> {
    let directions: Vec<String> = rows(connection, DIRECTIONS, Some(id), |row| row.get(0))?;
    match directions.as_slice() {
        [one] if one == "MAXIMIZE" => Ok(Direction::Maximize),
        [_] | [] => Ok(Direction::Minimize),
        more => Err(ImportError::NoStudy(format!("the study has {} objectives, one is allowed", more.len()))),
    }
}

/// A parameter of a trial: name, the number that stands for its value, and its distribution.
struct Param {
    name: String,
    code: f64,
    distribution: Json,
}

fn params(connection: &Connection, id: i64) -> Result<BTreeMap<i64, Vec<Param>>, ImportError> {
    let all: Vec<(i64, String, f64, String)> =
        rows(connection, PARAMS, Some(id), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    let mut by_trial: BTreeMap<i64, Vec<Param>> = BTreeMap::new();
    for (trial, name, code, json) in all {
        let wrong = |error| ImportError::NoStudy(format!("the distribution of `{name}` cannot be read: {error}"));
        let distribution = serde_json::from_str(&json).map_err(wrong)?;
        by_trial.entry(trial).or_default().push(Param { name, code, distribution });
    }
    Ok(by_trial)
}

/// The parameters in the order of their first appearance, each with the first distribution it had.
fn space(params: &BTreeMap<i64, Vec<Param>>) -> Result<Space, ImportError> {
    let wrong = |error: &dyn std::fmt::Display| ImportError::NoStudy(error.to_string());
    let mut parameters: Vec<Parameter> = Vec::new();
    for param in params.values().flatten() {
        if parameters.iter().all(|known| known.name() != param.name) {
            let domain = domain(&param.distribution)
                .ok_or_else(|| wrong(&format!("the distribution {} of `{}` is unknown", param.distribution, param.name)))?;
            parameters.push(Parameter::new(param.name.clone(), domain).map_err(|error| wrong(&error))?);
        }
    }
    Space::new(parameters).map_err(|error| wrong(&error))
}

fn domain(distribution: &Json) -> Option<Domain> {
    let at = &distribution["attributes"];
    let log = at["log"].as_bool().unwrap_or(false);
    let step = at["step"].as_f64();
    match distribution["name"].as_str()? {
        "FloatDistribution" => {
            let (low, high) = (at["low"].as_f64()?, at["high"].as_f64()?);
            match step {
                Some(step) => stepped(low, high, step, Value::Float),
                None if low == high => Some(Domain::Fixed { value: Value::Float(low) }),
                None => Some(Domain::Float { low, high, log, step: None }),
            }
        }
        "IntDistribution" => {
            let (low, high) = (at["low"].as_i64()?, at["high"].as_i64()?);
            match step {
                Some(step) if step != 1.0 => stepped(low as f64, high as f64, step, |x| Value::Int(x as i64)),
                _ => Some(Domain::Int { low, high, log, step: None }),
            }
        }
        "CategoricalDistribution" => {
            Some(Domain::Choice { choices: at["choices"].as_array()?.iter().map(scalar).collect::<Option<_>>()? })
        }
        _ => None,
    }
}

fn stepped(low: f64, high: f64, step: f64, value: impl Fn(f64) -> Value) -> Option<Domain> {
    let count = ((high - low) / step + 1e-9).floor() as usize + 1;
    let choices = (0..count).map(|i| value(low + i as f64 * step)).collect();
    (count <= MOST_STEPS).then_some(Domain::Choice { choices })
}

/// A choice as a value; `None` of Python becomes the text `None`.
fn scalar(json: &Json) -> Option<Value> {
    if json.is_null() { Some(Value::from("None")) } else { serde_json::from_value(json.clone()).ok() }
}

struct RawTrial {
    id: i64,
    number: u64,
    state: String,
    value: Option<f64>,
}

fn raw_trials(connection: &Connection, id: i64) -> Result<Vec<RawTrial>, ImportError> {
    let read = |row: &rusqlite::Row<'_>| {
        let number: i64 = row.get(1)?;
        Ok(RawTrial { id: row.get(0)?, number: number.unsigned_abs(), state: row.get(2)?, value: row.get(3)? })
    };
    rows(connection, TRIALS, Some(id), read)
}

fn reports(connection: &Connection, id: i64) -> Result<BTreeMap<i64, Vec<Report>>, ImportError> {
    let all: Vec<(i64, i64, Option<f64>)> =
        rows(connection, REPORTS, Some(id), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let mut by_trial: BTreeMap<i64, Vec<Report>> = BTreeMap::new();
    for (trial, step, value) in all {
        by_trial.entry(trial).or_default().extend(value.map(|value| Report { step, name: "value".to_owned(), value }));
    }
    Ok(by_trial)
}

fn record(space: &Space, raw: &RawTrial, params: Option<&Vec<Param>>) -> Option<TrialRecord> {
    let finite = raw.value.filter(|value| value.is_finite());
    let failed = |message: &str| TrialState::Failed { failure: Failure::new(FailureKind::Error, message) };
    let state = match (raw.state.as_str(), finite) {
        ("COMPLETE", Some(value)) => TrialState::Complete { value },
        ("COMPLETE", None) => failed("Optuna has no finite value for it"),
        ("PRUNED", Some(value)) => TrialState::Pruned { value },
        ("PRUNED", None) => failed("pruned in Optuna before its first value"),
        ("FAIL", _) => failed("failed in Optuna"),
        _ => return None,
    };
    let named = params?.iter().map(|param| Some((param.name.as_str(), param_value(param)?))).collect::<Option<Vec<_>>>()?;
    let point = space.point_from_named(named).ok()?;
    Some(TrialRecord {
        number: raw.number,
        params: Some(write_point(&point)),
        state,
        seq: None,
        proposal: Some(Provenance { origin: "known".to_owned(), ..Provenance::default() }),
        worker: "optuna".to_owned(),
        attempt: 1,
        lease_until_ms: 0,
        asked_ms: 0,
        finished_ms: None,
    })
}

fn param_value(param: &Param) -> Option<Value> {
    let at = &param.distribution["attributes"];
    match (&at["choices"], at["low"].as_f64(), at["step"].as_f64()) {
        (Json::Array(choices), ..) => choices.get(param.code as usize).and_then(scalar),
        // The step's own value, whose last digit may differ from the stored one.
        (_, Some(low), Some(step)) => Some(Value::Float(low + ((param.code - low) / step).round() * step)),
        _ => Some(Value::Float(param.code)),
    }
}
