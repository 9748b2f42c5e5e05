//! One study at a glance.

use std::collections::BTreeMap;

use neuralbo::record::{Limits, ObjectiveSpec, OutcomeConstraint};
use neuralbo::space::{NumberRange, Parameter, Value};
use neuralbo::store::Counts;
use serde::Serialize;

use super::studies::{state, workers};
use super::trials::{Params, Values};
use super::{Answer, App, now_ms};
use crate::cache::{Damage, End, Number, StudyData};
use crate::http::Reply;

#[derive(Serialize)]
struct Overview<'a> {
    name: &'a str,
    version: u64,
    seq: u64,
    state: &'static str,
    stop_reason: Option<String>,
    method: &'a str,
    options: &'a [String],
    seed: u64,
    limits: Limits,
    created: i64,
    space: Vec<Axis<'a>>,
    constraints: Vec<String>,
    objectives: &'a [ObjectiveSpec],
    outcome_constraints: &'a [OutcomeConstraint],
    counts: Counts,
    best: Option<Best<'a>>,
    recommended: Option<Recommended>,
    front: Vec<u64>,
    hypervolume: Option<Volume>,
    least_violation: Option<LeastViolation<'a>>,
    feasible: Option<usize>,
    pruner: Option<String>,
    failures: BTreeMap<&'static str, usize>,
    workers: Vec<&'a str>,
    damage: &'a [Damage],
}

#[derive(Serialize)]
struct Best<'a> {
    number: u64,
    values: Values<'a>,
    params: Params<'a>,
}

#[derive(Serialize)]
struct Recommended {
    number: u64,
    mean: Number,
    sd: Number,
}

#[derive(Serialize)]
struct Volume {
    reference: Vec<Number>,
    value: Number,
}

/// What is shown while no trial is feasible.
#[derive(Serialize)]
struct LeastViolation<'a> {
    number: u64,
    values: Values<'a>,
    params: Params<'a>,
    violation: Number,
}

/// A parameter as charts need it.
#[derive(Serialize, Default)]
struct Axis<'a> {
    name: &'a str,
    kind: &'static str,
    low: Option<Number>,
    high: Option<Number>,
    log: bool,
    step: Option<Number>,
    choices: Option<Vec<Value>>,
    condition: Option<String>,
}

impl App {
    pub(super) fn study(&self, name: &str) -> Answer {
        self.studies.with(name, |data| {
            answer(data, self.outlooks.recommended(name, data.record.version))
        })?
    }
}

fn answer(data: &StudyData, recommended: Option<(u64, f64, f64)>) -> Answer {
    let (record, definition, now) = (&data.record, &data.record.definition, now_ms());
    let stop_reason = data.log.stop_reason(&record.limits);
    let several = definition.objectives.len() > 1;
    let best = data
        .log
        .best()
        .filter(|_| !several)
        .and_then(|(number, _)| {
            let row = data.table.find(number)?;
            Some(Best {
                number,
                values: Values::of(&data.table, row),
                params: Params::of(&data.table, row),
            })
        });
    let constrained = !definition.outcome_constraints.is_empty();
    let feasible = || {
        data.table
            .rows
            .iter()
            .filter(|row| row.is_eligible())
            .count()
    };
    Ok(Reply::json(&Overview {
        name: &record.name,
        version: record.version,
        seq: data.seq(),
        state: state(&data.running, now, stop_reason.is_some()),
        stop_reason: stop_reason.map(|reason| reason.to_string()),
        method: &definition.method,
        options: &definition.options,
        seed: definition.seed,
        limits: record.limits,
        created: record.created_ms,
        space: definition.space.parameters().iter().map(axis).collect(),
        constraints: definition
            .space
            .constraints()
            .iter()
            .map(ToString::to_string)
            .collect(),
        objectives: &definition.objectives,
        outcome_constraints: &definition.outcome_constraints,
        counts: Counts {
            running: data.running.len() as u64,
            ..data.log.counts()
        },
        best,
        recommended: recommended.map(|(number, mean, sd)| Recommended {
            number,
            mean: Number(mean),
            sd: Number(sd),
        }),
        front: if several {
            data.log.front()
        } else {
            Vec::new()
        },
        hypervolume: volume(data),
        least_violation: least_violation(data),
        feasible: constrained.then(feasible),
        pruner: definition.pruner.as_ref().map(ToString::to_string),
        failures: failures(data),
        workers: workers(&data.running, now),
        damage: &data.damage,
    }))
}

fn volume(data: &StudyData) -> Option<Volume> {
    let volume = data.log.hypervolume()?;
    Some(Volume {
        reference: volume.reference.into_iter().map(Number).collect(),
        value: Number(volume.value),
    })
}

fn least_violation(data: &StudyData) -> Option<LeastViolation<'_>> {
    if data.record.definition.outcome_constraints.is_empty()
        || data.table.rows.iter().any(|row| row.is_eligible())
    {
        return None;
    }
    let (number, violation) = data.log.least_violation()?;
    let row = data.table.find(number)?;
    let (values, params) = (Values::of(&data.table, row), Params::of(&data.table, row));
    Some(LeastViolation {
        number,
        values,
        params,
        violation: Number(violation),
    })
}

fn failures(data: &StudyData) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    for row in &data.table.rows {
        if let End::Failed(kind) = row.end {
            *kinds.entry(kind.name()).or_insert(0) += 1;
        }
    }
    kinds
}

fn axis(parameter: &Parameter) -> Axis<'_> {
    let condition = parameter.condition().map(ToString::to_string);
    let axis = Axis {
        name: parameter.name(),
        condition,
        ..Axis::default()
    };
    let domain = parameter.domain();
    if let Some(values) = domain.values() {
        return Axis {
            kind: if domain.fixed().is_some() {
                "choice"
            } else {
                domain.kind()
            },
            choices: Some(values.to_vec()),
            ..axis
        };
    }
    // The rows of a pool are shown by their numbers.
    let range = domain.range().unwrap_or(NumberRange {
        low: 0.0,
        high: domain.count().unwrap_or(1) as f64 - 1.0,
        log: false,
        step: None,
        is_whole: true,
    });
    Axis {
        kind: if range.is_whole { "int" } else { "float" },
        low: Some(Number(range.low)),
        high: Some(Number(range.high)),
        log: range.log,
        step: range.step.map(Number),
        ..axis
    }
}
