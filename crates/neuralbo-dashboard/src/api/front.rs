//! Several objectives: the Pareto front, and how its hypervolume grew.

use std::collections::{BTreeSet, HashSet};

use neuralbo::linalg::Points;
use neuralbo::pareto;
use serde_json::{Value as Json, json};

use super::downsample::evenly;
use super::study::point;
use super::{ApiReply, ApiResult, Query};
use crate::cache::{JsonNumber, StudyData};

const POINTS: usize = 5000;
const MOST_POINTS: usize = 50_000;
/// Trials of the front that are listed with their parameters.
const MOST_MEMBERS: usize = 500;

pub(super) fn answer(data: &StudyData, query: &Query) -> ApiResult {
    let points = query.count("points", POINTS, MOST_POINTS)?;
    let objectives: Vec<&str> = data
        .record
        .definition
        .objectives
        .iter()
        .map(|objective| objective.name.as_str())
        .collect();
    let front: HashSet<u64> = data.log.front().into_iter().collect();
    let places = sample(data, points, &front);
    let rows = || places.iter().map(|place| &data.table.rows[*place]);
    let column = |name: &&str| -> Vec<JsonNumber> {
        let column = data.table.values.get(name);
        let number = |place: &usize| column.and_then(|column| column.number(*place)).into();
        places.iter().map(number).collect()
    };
    let numbers = data.log.front().into_iter().take(MOST_MEMBERS);
    let members: Vec<Json> = numbers.filter_map(|number| point(data, number)).collect();
    let reference = data.log.hypervolume().map(|volume| {
        volume
            .reference
            .into_iter()
            .map(JsonNumber)
            .collect::<Vec<_>>()
    });
    Ok(ApiReply::json(&json!({
        "objectives": objectives,
        "reference": reference,
        "trials": {
            "number": rows().map(|row| row.number).collect::<Vec<_>>(),
            "values": objectives.iter().map(column).collect::<Vec<_>>(),
            "feasible": rows().map(|row| row.feasible).collect::<Vec<_>>(),
            "on_front": rows().map(|row| front.contains(&row.number)).collect::<Vec<_>>(),
        },
        "front": members,
        "hypervolume": growth(data, points),
    })))
}

/// Finished trials with values: an even sample, and the whole front.
fn sample(data: &StudyData, points: usize, front: &HashSet<u64>) -> Vec<usize> {
    let rows = &data.table.rows;
    let measured: Vec<usize> = (0..rows.len())
        .filter(|place| !matches!(rows[*place].end, crate::cache::End::Failed(_)))
        .collect();
    let mut chosen: BTreeSet<usize> = evenly(measured.len(), points)
        .into_iter()
        .map(|at| measured[at])
        .collect();
    chosen.extend(
        measured
            .into_iter()
            .filter(|place| front.contains(&rows[*place].number)),
    );
    chosen.into_iter().collect()
}

/// How the hypervolume grew, from the reference point of today; `None` with one objective.
pub(super) fn growth(data: &StudyData, points: usize) -> Option<Json> {
    let definition = &data.record.definition;
    let reference = data.log.hypervolume()?.reference;
    let corner: Vec<f64> = definition
        .objectives
        .iter()
        .zip(reference)
        .map(|(objective, value)| objective.direction.reward(value))
        .collect();
    let columns: Vec<_> = definition
        .objectives
        .iter()
        .map(|o| (data.table.values.get(&o.name), o.direction))
        .collect();
    let mut eligible = data.table.by_number();
    eligible.retain(|place| data.table.rows[*place].is_eligible());
    let reward = |place: usize| {
        let row: Option<Vec<f64>> = columns
            .iter()
            .map(|(column, direction)| Some(direction.reward((*column)?.number(place)?)))
            .collect();
        row.unwrap_or_else(|| vec![f64::NAN; corner.len()])
    };
    let rewards = Points::from_rows(corner.len(), eligible.iter().map(|place| reward(*place)));
    let volumes = pareto::history(rewards.rows().map(Some), &corner);
    let chosen = kept(&volumes, points);
    let number = |place: &usize| data.table.rows[eligible[*place]].number;
    let value = |place: &usize| JsonNumber(volumes[*place]);
    Some(json!({
        "number": chosen.iter().map(number).collect::<Vec<_>>(),
        "value": chosen.iter().map(value).collect::<Vec<_>>(),
        "complete": volumes.len() == eligible.len(),
    }))
}

/// The steps of a curve that only rises, thinned where there are many, and its end.
fn kept(volumes: &[f64], points: usize) -> Vec<usize> {
    let rises =
        (0..volumes.len()).filter(|place| *place == 0 || volumes[*place] > volumes[*place - 1]);
    let mut steps: Vec<usize> = rises.collect();
    steps.extend(
        volumes
            .len()
            .checked_sub(1)
            .filter(|last| steps.last() != Some(last)),
    );
    evenly(steps.len(), points)
        .into_iter()
        .map(|at| steps[at])
        .collect()
}
