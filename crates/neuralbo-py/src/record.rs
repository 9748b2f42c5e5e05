//! The trials of a study in memory as JSON.

use std::time::Duration;

use neuralbo::space::Point;
use neuralbo::strategy::Origin;
use neuralbo::study::{Failure, State, Study, Trial};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::errors::{runtime_error, value_error};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    trials: Vec<Line>,
    /// Numbers in the order of the results.
    told: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    x: Point,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
    origin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sd: Option<f64>,
}

/// All trials of a study.
pub fn write(study: &Study) -> PyResult<String> {
    let line = |trial: &Trial| Line {
        x: trial.point.clone(),
        value: trial.value(),
        failure: trial.failure().cloned(),
        origin: trial.origin.to_string(),
        mean: trial.mean,
        sd: trial.sd,
    };
    let record =
        Record { trials: study.trials().iter().map(line).collect(), told: study.finished().map(|trial| trial.number).collect() };
    serde_json::to_string(&record).map_err(runtime_error)
}

/// A study with the trials of a record.
pub fn restore(study: Study, text: &str) -> PyResult<Study> {
    let record: Record = serde_json::from_str(text).map_err(|error| value_error(format!("state cannot be read: {error}")))?;
    let trials = record.trials.into_iter().enumerate().map(|(number, line)| trial(&study, number as u64, line));
    let trials = trials.collect::<PyResult<Vec<_>>>()?;
    study.restored(trials, &record.told).map_err(value_error)
}

fn trial(study: &Study, number: u64, line: Line) -> PyResult<Trial> {
    let wrong = |reason: String| value_error(format!("state cannot be read: trial {number}: {reason}"));
    let origin = Origin::parse(&line.origin).ok_or_else(|| wrong(format!("origin `{}` is unknown", line.origin)))?;
    // JSON does not tell 1 from 1.0; the space does.
    let point = study.space().point(line.x.values()).map_err(|error| wrong(error.to_string()))?;
    let state = match (line.value, line.failure) {
        (Some(value), None) if value.is_finite() => State::Complete(value),
        (None, Some(failure)) => State::Failed(failure),
        (None, None) => State::Running,
        _ => return Err(wrong("it must have a finite value, a failure, or none of both".to_owned())),
    };
    Ok(Trial { number, point, row: Vec::new(), state, origin, mean: line.mean, sd: line.sd, suggest_time: Duration::ZERO })
}
