//! Studies of an Optuna SQLite storage (schema version 12, the one of Optuna 3 to 5).

mod goals;
mod query;

use std::collections::BTreeMap;
use std::path::Path;

use neuralbo::record::{
    Attributes, Definition, Direction, Failure, FailureKind, Limits, Report, State, Trial, VALUE,
};
use neuralbo::space::{
    Domain, Occurrence, Parameter, Params, Space, TrialEvidence, Value, derived_conditions,
};
use neuralbo::store::NewTrial;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value as Json;

use crate::sql::{guard, not_a_table};
use crate::{ImportError, Imported};
use goals::OptunaGoals;
use query::{rows, unreadable};

const TABLES: [&str; 8] = [
    "studies",
    "study_directions",
    "study_system_attributes",
    "trials",
    "trial_params",
    "trial_values",
    "trial_intermediate_values",
    "trial_system_attributes",
];
const STUDIES: &str = "SELECT study_id, study_name FROM studies ORDER BY study_id";
const TRIALS: &str = "SELECT t.trial_id, t.number, t.state, \
     (SELECT MAX(r.step) FROM trial_intermediate_values r WHERE r.trial_id = t.trial_id) FROM trials t \
     WHERE t.study_id = $1 ORDER BY t.datetime_complete IS NULL, t.datetime_complete, t.number";
const PARAMS: &str = "SELECT p.trial_id, p.param_name, p.param_value, p.distribution_json FROM trial_params p \
     JOIN trials t ON t.trial_id = p.trial_id WHERE t.study_id = $1 ORDER BY p.param_id";
const REPORTS: &str = "SELECT r.trial_id, r.step, r.intermediate_value FROM trial_intermediate_values r \
     JOIN trials t ON t.trial_id = r.trial_id WHERE t.study_id = $1 ORDER BY r.step";

/// Reads one study of an Optuna storage; the only one if none is named.
///
/// Several objectives have the names that Optuna knows (`set_metric_names`), or `value_0`, `value_1` and so on. The constraints of a
/// sampler's `constraints_func`, which hold at 0 and below, become outcome constraints `constraint_0 <= 0` and so on.
///
/// A trial that does not set every parameter is kept with those it has; where complete trials have a parameter exactly under a condition
/// on an earlier one, it gets that condition. A parameter whose range changed gets one that holds all of them. Trials that run or wait, and those whose parameters changed their kind, are left out and counted. The trials are known
/// results: they do not count for the study's limit.
pub fn read_optuna(path: &Path, study: Option<&str>) -> Result<Imported, ImportError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection =
        Connection::open_with_flags(path, flags).map_err(|error| unreadable(&error))?;
    guard(&mut connection).map_err(|error| unreadable(&error))?;
    let foreign = not_a_table(&connection, |name| TABLES.contains(&name));
    if let Some(reason) = foreign.map_err(|error| unreadable(&error))? {
        return Err(ImportError::NoStudy(reason));
    }
    let (id, name) = choose(&connection, study)?;
    let goals = OptunaGoals::read(&connection, id)?;
    let params = params(&connection, id)?;
    let space = space(&params)?;
    let reports = reports(&connection, id)?;
    let (mut trials, mut left_out) = (Vec::<NewTrial>::new(), 0);
    for raw in raw_trials(&connection, id)? {
        let params = params.get(&raw.id).map_or(&[][..], Vec::as_slice);
        match trial(&space, &goals, &raw, params) {
            Some(trial) => trials.push(NewTrial {
                trial,
                reports: reports.get(&raw.id).cloned().unwrap_or_default(),
            }),
            None => left_out += 1,
        }
    }
    let space = with_conditions(space, &trials);
    let definition = Definition {
        method: "random".to_owned(),
        objectives: goals.objectives,
        outcome_constraints: goals.outcome_constraints,
        ..Definition::new(space, Direction::Minimize)
    };
    Ok(Imported {
        name,
        definitions: vec![definition],
        limits: Limits::default(),
        attributes: Attributes::new(),
        trials,
        left_out,
    })
}

fn choose(connection: &Connection, name: Option<&str>) -> Result<(i64, String), ImportError> {
    let studies: Vec<(i64, String)> = rows(connection, STUDIES, None, |row| row.try_into())?;
    let listed = studies.iter().map(|(_, name)| format!("`{name}`"));
    let listed = listed.collect::<Vec<_>>().join(", ");
    let missing = |what: String| ImportError::NoStudy(format!("{what}; its studies: {listed}"));
    match (name, studies.as_slice()) {
        (None, [only]) => Ok(only.clone()),
        (None, several) => {
            let count = several.len();
            let reason = format!("it has {count} studies, and one must be named");
            Err(missing(reason))
        }
        (Some(name), several) => {
            let found = several.iter().find(|(_, known)| known == name).cloned();
            found.ok_or_else(|| missing(format!("no study is called `{name}`")))
        }
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
        rows(connection, PARAMS, Some(id), |row| row.try_into())?;
    let mut by_trial: BTreeMap<i64, Vec<Param>> = BTreeMap::new();
    for (trial, name, code, json) in all {
        let wrong = |error| format!("the distribution of `{name}` cannot be read: {error}");
        let distribution = serde_json::from_str(&json).map_err(wrong);
        let distribution = distribution.map_err(ImportError::NoStudy)?;
        by_trial.entry(trial).or_default().push(Param {
            name,
            code,
            distribution,
        });
    }
    Ok(by_trial)
}

/// The parameters in the order of their first appearance, each with a domain that holds all it had.
fn space(params: &BTreeMap<i64, Vec<Param>>) -> Result<Space, ImportError> {
    let wrong = |error: &dyn std::fmt::Display| ImportError::NoStudy(error.to_string());
    let mut domains: Vec<(&str, Domain)> = Vec::new();
    for param in params.values().flatten() {
        let Param {
            name, distribution, ..
        } = param;
        let unknown = || format!("the distribution {distribution} of `{name}` is unknown");
        let domain = domain(distribution).ok_or_else(|| wrong(&unknown()))?;
        match domains.iter_mut().find(|(known, _)| known == name) {
            None => domains.push((name, domain)),
            Some((_, known)) if *known == domain => {}
            Some((_, known)) => *known = known.joined(&domain).unwrap_or_else(|| known.clone()),
        }
    }
    let parameter = |(name, domain)| Parameter::new(name, domain);
    let parameters = domains.into_iter().map(parameter).collect::<Result<_, _>>();
    let space = parameters.and_then(Space::new);
    space.map_err(|error| wrong(&error))
}

/// The space with the conditions that its trials imply.
fn with_conditions(space: Space, trials: &[NewTrial]) -> Space {
    let evidence = |new: &NewTrial| {
        Some(TrialEvidence {
            params: new.trial.params.clone()?,
            is_complete: new.trial.state == State::Complete,
        })
    };
    let trials: Vec<TrialEvidence> = trials.iter().filter_map(evidence).collect();
    let found = derived_conditions(space.parameters(), &trials);
    let parameters = space.parameters().iter().cloned().zip(found);
    let parameters = parameters.map(|(parameter, occurrence)| match occurrence {
        Occurrence::If(condition) => parameter.only_if(condition),
        Occurrence::Always | Occurrence::Unexplained => parameter,
    });
    Space::new(parameters.collect()).unwrap_or(space)
}

fn domain(distribution: &Json) -> Option<Domain> {
    let at = &distribution["attributes"];
    let log = at["log"].as_bool().unwrap_or(false);
    match distribution["name"].as_str()? {
        "FloatDistribution" => {
            let (low, high) = (at["low"].as_f64()?, at["high"].as_f64()?);
            if low == high {
                let value = Value::Float(low);
                return Some(Domain::Fixed { value });
            }
            Some(Domain::Float {
                low,
                high,
                log,
                step: at["step"].as_f64(),
            })
        }
        "IntDistribution" => {
            let step = at["step"].as_i64().filter(|step| *step != 1);
            Some(Domain::Int {
                low: at["low"].as_i64()?,
                high: at["high"].as_i64()?,
                log,
                step,
            })
        }
        "CategoricalDistribution" => {
            let choices = at["choices"].as_array()?.iter();
            let choices = choices.filter_map(scalar).collect();
            Some(Domain::Choice { choices })
        }
        _ => None,
    }
}

fn scalar(json: &Json) -> Option<Value> {
    serde_json::from_value(json.clone()).ok()
}

struct RawTrial {
    id: i64,
    number: u64,
    state: String,
    last_step: Option<i64>,
}

fn raw_trials(connection: &Connection, id: i64) -> Result<Vec<RawTrial>, ImportError> {
    let read = |row: &rusqlite::Row<'_>| {
        let number: i64 = row.get(1)?;
        Ok(RawTrial {
            id: row.get(0)?,
            number: number.unsigned_abs(),
            state: row.get(2)?,
            last_step: row.get(3)?,
        })
    };
    rows(connection, TRIALS, Some(id), read)
}

fn reports(connection: &Connection, id: i64) -> Result<BTreeMap<i64, Vec<Report>>, ImportError> {
    let all: Vec<(i64, i64, Option<f64>)> =
        rows(connection, REPORTS, Some(id), |row| row.try_into())?;
    let mut by_trial: BTreeMap<i64, Vec<Report>> = BTreeMap::new();
    for (trial, step, value) in all {
        let report = value.map(|value| Report {
            step,
            name: VALUE.to_owned(),
            value,
        });
        by_trial.entry(trial).or_default().extend(report);
    }
    Ok(by_trial)
}

/// A known result; `None` if it is none, or does not fit.
fn trial(space: &Space, goals: &OptunaGoals, raw: &RawTrial, params: &[Param]) -> Option<Trial> {
    let measured = goals.values(raw.id);
    let failed = |message: &str| State::Failed {
        failure: Failure::new(FailureKind::Error, message),
    };
    let state = match (raw.state.as_str(), &measured) {
        ("COMPLETE", Ok(_)) => State::Complete,
        ("COMPLETE", Err(missing)) => failed(&format!("Optuna has no finite {missing} for it")),
        ("PRUNED", Ok(_)) => State::Pruned {
            step: raw.last_step,
        },
        ("PRUNED", Err(_)) => failed("pruned in Optuna before its first value"),
        ("FAIL", _) => failed("failed in Optuna"),
        _ => return None,
    };
    let values = measured.ok();
    let values = values.filter(|_| !matches!(state, State::Failed { .. }));
    let values = values.unwrap_or_default();
    let named = |param: &Param| Some((param.name.clone(), param_value(param)?));
    let named = params.iter().map(named).collect::<Option<Params>>()?;
    let known = Trial::known(space.check_domains(&named).ok()?, state, values);
    Some(Trial {
        number: raw.number,
        worker: "optuna".to_owned(),
        ..known
    })
}

fn param_value(param: &Param) -> Option<Value> {
    match &param.distribution["attributes"]["choices"] {
        Json::Array(choices) => choices.get(param.code as usize).and_then(scalar),
        _ => Some(Value::Float(param.code)),
    }
}
