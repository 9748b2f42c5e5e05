//! One study at a glance.

use std::collections::BTreeMap;

use neuralbo::space::{NumberRange, Parameter};
use neuralbo::store::Counts;
use serde_json::{Value as Json, json};

use super::studies::{state, workers};
use super::trials::{ParamsByName, ValuesByName};
use super::{ApiResult, App, answered, now_ms};
use crate::cache::{End, JsonNumber, StudyData, numbers};

impl App {
    pub(super) fn study(&self, name: &str) -> ApiResult {
        self.studies.with(name, |data| {
            answer(data, self.recommended(name, data.record.version))
        })?
    }
}

fn answer(data: &StudyData, recommended: Option<(u64, f64, f64)>) -> ApiResult {
    let (record, definition, now) = (&data.record, &data.record.definition, now_ms());
    let stop_reason = data.log.stop_reason(&record.limits);
    let several = definition.objectives.len() > 1;
    let best = data.log.best().filter(|_| !several);
    let best = best.and_then(|(number, _)| point(data, number));
    let constrained = !definition.outcome_constraints.is_empty();
    let eligible = data.table.rows.iter().filter(|row| row.is_eligible());
    let feasible = eligible.count();
    let recommended = recommended.map(
        |(number, mean, sd)| json!({ "number": number, "mean": JsonNumber(mean), "sd": JsonNumber(sd) }),
    );
    let least_violation = (constrained && feasible == 0).then(|| least_violation(data));
    let axes: Vec<Json> = definition.space.parameters().iter().map(axis).collect();
    let constraints = definition.space.constraints().iter();
    answered(json!({
        "name": record.name,
        "version": record.version,
        "seq": data.seq(),
        "state": state(&data.running, now, stop_reason.is_some()),
        "stop_reason": stop_reason.map(|reason| reason.to_string()),
        "method": definition.method,
        "options": definition.options,
        "seed": definition.seed,
        "limits": record.limits,
        "created": record.created_ms,
        "space": axes,
        "constraints": constraints.map(ToString::to_string).collect::<Vec<_>>(),
        "objectives": definition.objectives,
        "outcome_constraints": definition.outcome_constraints,
        "counts": Counts {
            running: data.running.len() as u64,
            ..data.log.counts()
        },
        "best": best,
        "recommended": recommended,
        "front": if several { data.log.front() } else { Vec::new() },
        "hypervolume": volume(data),
        "least_violation": least_violation.flatten(),
        "feasible": constrained.then_some(feasible),
        "pruner": definition.pruner.as_ref().map(ToString::to_string),
        "failures": failures(data),
        "attributes": record.attributes,
        "workers": workers(&data.running, now),
        "damage": data.damage,
    }))
}

/// A trial with its values and parameters.
pub(super) fn point(data: &StudyData, number: u64) -> Option<Json> {
    let (table, row) = (&data.table, data.table.find(number)?);
    let (values, params) = (
        ValuesByName(Some((table, row))),
        ParamsByName::Finished(table, row),
    );
    Some(json!({ "number": number, "values": values, "params": params }))
}

fn volume(data: &StudyData) -> Option<Json> {
    let volume = data.log.hypervolume()?;
    let (reference, value) = (numbers(volume.reference), volume.value.map(JsonNumber));
    Some(json!({ "reference": reference, "value": value }))
}

/// The trial closest to feasibility.
fn least_violation(data: &StudyData) -> Option<Json> {
    let (number, violation) = data.log.least_violation()?;
    let mut found = point(data, number)?;
    found["violation"] = json!(JsonNumber(violation));
    Some(found)
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

/// A parameter for charts.
fn axis(parameter: &Parameter) -> Json {
    let domain = parameter.domain();
    let choices = domain.values();
    // The rows of a pool are shown by their numbers.
    let rows = || NumberRange {
        low: 0.0,
        high: domain.count().unwrap_or(1) as f64 - 1.0,
        log: false,
        step: None,
        is_whole: true,
    };
    let is_number = choices.is_none();
    let range = is_number.then(|| domain.range().unwrap_or_else(rows));
    let kind = match &range {
        Some(range) if range.is_whole => "int",
        Some(_) => "float",
        None if domain.fixed().is_some() => "choice",
        None => domain.kind(),
    };
    let range = range.as_ref();
    json!({
        "name": parameter.name(),
        "kind": kind,
        "low": range.map(|range| JsonNumber(range.low)),
        "high": range.map(|range| JsonNumber(range.high)),
        "log": range.is_some_and(|range| range.log),
        "step": range.and_then(|range| range.step).map(JsonNumber),
        "choices": choices,
        "condition": parameter.condition().map(ToString::to_string),
    })
}
