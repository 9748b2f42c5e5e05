//! What an Optuna study optimizes and limits, and what its trials measured.

use std::collections::BTreeMap;

use neuralbo::record::{Direction, ObjectiveSpec, OutcomeConstraint, VALUE, Values};
use rusqlite::Connection;

use super::query::rows;
use crate::ImportError;

const DIRECTIONS: &str =
    "SELECT direction FROM study_directions WHERE study_id = $1 ORDER BY objective";
const NAMES: &str = "SELECT value_json FROM study_system_attributes WHERE study_id = $1 AND key = 'study:metric_names'";
const VALUES: &str = "SELECT v.trial_id, v.objective, v.value FROM trial_values v JOIN trials t ON t.trial_id = v.trial_id \
     WHERE t.study_id = $1";
const CONSTRAINTS: &str = "SELECT a.trial_id, a.key, a.value_json FROM trial_system_attributes a \
     JOIN trials t ON t.trial_id = a.trial_id \
     WHERE t.study_id = $1 AND (a.key = 'constraints' OR a.key LIKE 'constraints:%') ORDER BY t.number, a.key";

/// The objectives and outcome constraints of a study, with the numbers of its trials.
pub(crate) struct OptunaGoals {
    pub objectives: Vec<ObjectiveSpec>,
    /// Each is at most 0.
    pub outcome_constraints: Vec<OutcomeConstraint>,
    values: BTreeMap<(i64, i64), Option<f64>>,
    limited: BTreeMap<i64, Values>,
}

impl OptunaGoals {
    /// Reads those of one study.
    pub fn read(connection: &Connection, study: i64) -> Result<Self, ImportError> {
        let directions: Vec<String> = rows(connection, DIRECTIONS, Some(study), |row| row.get(0))?;
        let values = rows(connection, VALUES, Some(study), |row| {
            Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
        })?;
        let limited: Vec<(i64, String, String)> =
            attributes(connection, CONSTRAINTS, study, |row| row.try_into())?;
        let mut goals = Self {
            objectives: objectives(&directions, &metric_names(connection, study)?),
            outcome_constraints: Vec::new(),
            values: values.into_iter().collect(),
            limited: BTreeMap::new(),
        };
        for (trial, key, json) in &limited {
            goals.limit(*trial, key, json);
        }
        Ok(goals)
    }

    /// Takes in what a trial measured of constraints: Optuna keeps them as one list, or one by one by name.
    fn limit(&mut self, trial: i64, key: &str, json: &str) {
        // Python writes NaN and infinities, which are no JSON: such a constraint was not measured.
        let found: Vec<(String, f64)> = match key.split_once(':') {
            Some((_, name)) => {
                let value = serde_json::from_str(json).ok();
                value
                    .map(|value| (name.to_owned(), value))
                    .into_iter()
                    .collect()
            }
            None => {
                let values: Vec<f64> = serde_json::from_str(json).unwrap_or_default();
                let named = |(place, value)| (format!("constraint_{place}"), value);
                values.into_iter().enumerate().map(named).collect()
            }
        };
        for (name, value) in found {
            let mut known = self.outcome_constraints.iter();
            if !known.any(|constraint| constraint.name == name) {
                self.outcome_constraints.push(OutcomeConstraint {
                    name: name.clone(),
                    at_most: Some(0.0),
                    at_least: None,
                });
            }
            self.limited.entry(trial).or_default().insert(name, value);
        }
    }

    /// What a trial measured; the error is the name of an objective it did not measure, or not as a finite number.
    pub fn values(&self, trial: i64) -> Result<Values, String> {
        let mut values = Values::new();
        for (place, objective) in (0..).zip(&self.objectives) {
            let value = self.values.get(&(trial, place)).copied().flatten();
            let value = value.filter(|value| value.is_finite());
            let value = value.ok_or_else(|| objective.name.clone())?;
            values.insert(objective.name.clone(), value);
        }
        // A trial without the value of a constraint is not feasible.
        let limited = self.limited.get(&trial).into_iter().flatten();
        let limited = limited.filter(|(_, value)| value.is_finite());
        values.extend(limited.map(|(name, value)| (name.clone(), *value)));
        Ok(values)
    }
}

/// The rows of a table that small storages of other tools may lack.
fn attributes<T>(
    connection: &Connection,
    sql: &'static str,
    study: i64,
    read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, ImportError> {
    let there = "SELECT name FROM sqlite_master WHERE name IN ('study_system_attributes', 'trial_system_attributes')";
    let tables: Vec<String> = rows(connection, there, None, |row| row.get(0))?;
    if tables.len() < 2 {
        Ok(Vec::new())
    } else {
        rows(connection, sql, Some(study), read)
    }
}

fn metric_names(connection: &Connection, study: i64) -> Result<Vec<String>, ImportError> {
    let found: Vec<String> = attributes(connection, NAMES, study, |row| row.get(0))?;
    Ok(found
        .first()
        .and_then(|json| serde_json::from_str(json).ok())
        .unwrap_or_default())
}

fn objectives(directions: &[String], names: &[String]) -> Vec<ObjectiveSpec> {
    let objective = |(place, word): (usize, &String)| {
        let name = match directions.len() {
            1 => VALUE.to_owned(),
            count if count == names.len() => names[place].clone(),
            _ => format!("value_{place}"),
        };
        let direction = match word.as_str() {
            "MAXIMIZE" => Direction::Maximize,
            _ => Direction::Minimize,
        };
        ObjectiveSpec::new(name, direction)
    };
    match directions {
        [] => vec![ObjectiveSpec::new(VALUE, Direction::Minimize)],
        _ => directions.iter().enumerate().map(objective).collect(),
    }
}
