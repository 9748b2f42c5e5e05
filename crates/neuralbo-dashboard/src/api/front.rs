//! Several objectives: the Pareto front, and how its hypervolume grew.

use std::collections::{BTreeSet, HashSet};

use neuralbo::linalg::Points;
use neuralbo::pareto;
use neuralbo::record::ObjectiveSpec;
use serde_json::{Value as Json, json};

use super::downsample::evenly;
use super::study::point;
use super::{ApiResult, Query, answered};
use crate::cache::{End, JsonNumber, StudyData, numbers};

const POINTS: usize = 5000;
const MOST_POINTS: usize = 50_000;
/// Trials of the front that are listed with their parameters.
const MOST_MEMBERS: usize = 500;

pub(super) fn answer(data: &StudyData, query: &Query) -> ApiResult {
    let points = query.count("points", POINTS, MOST_POINTS)?;
    let objectives = data.record.definition.objectives.iter();
    let objectives: Vec<&str> = objectives.map(|one| one.name.as_str()).collect();
    let front: HashSet<u64> = data.log.front().into_iter().collect();
    let places = sample(data, points, &front);
    let rows = || places.iter().map(|place| &data.table.rows[*place]);
    let column = |name: &&str| -> Vec<JsonNumber> {
        let column = data.table.values.get(name);
        let number = |place: &usize| column.and_then(|column| column.number(*place)).into();
        places.iter().map(number).collect()
    };
    let members = data.log.front().into_iter().take(MOST_MEMBERS);
    let members: Vec<Json> = members.filter_map(|number| point(data, number)).collect();
    let volume = data.log.hypervolume();
    let reference = volume.map(|volume| numbers(volume.reference));
    answered(json!({
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
    }))
}

/// Finished trials with values: an even sample, and the whole front.
fn sample(data: &StudyData, points: usize, front: &HashSet<u64>) -> Vec<usize> {
    let rows = &data.table.rows;
    let measured: Vec<usize> = (0..rows.len())
        .filter(|place| !matches!(rows[*place].end, End::Failed(_)))
        .collect();
    let even = evenly(measured.len(), points).into_iter();
    let mut chosen: BTreeSet<usize> = even.map(|at| measured[at]).collect();
    let on_front = |place: &usize| front.contains(&rows[*place].number);
    chosen.extend(measured.into_iter().filter(on_front));
    chosen.into_iter().collect()
}

/// How the hypervolume grew, from the reference point of today; `None` with one objective.
pub(super) fn growth(data: &StudyData, points: usize) -> Option<Json> {
    let objectives = &data.record.definition.objectives;
    let reference = data.log.hypervolume()?.reference;
    let corner = objectives.iter().zip(reference);
    let corner: Vec<f64> = corner.map(|(o, value)| o.direction.reward(value)).collect();
    let column = |o: &ObjectiveSpec| (data.table.values.get(&o.name), o.direction);
    let columns: Vec<_> = objectives.iter().map(column).collect();
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
    Some(json!({
        "number": chosen.iter().map(number).collect::<Vec<_>>(),
        "value": numbers(chosen.iter().map(|place| volumes[*place])),
        "complete": volumes.len() == eligible.len(),
    }))
}

/// The steps of a curve that only rises, thinned where there are many, and its end.
fn kept(volumes: &[f64], points: usize) -> Vec<usize> {
    let last = volumes.len().saturating_sub(1);
    let rises = |place: &usize| *place == 0 || volumes[*place] > volumes[*place - 1];
    let steps = (0..volumes.len()).filter(|place| rises(place) || *place == last);
    let steps: Vec<usize> = steps.collect();
    let chosen = evenly(steps.len(), points).into_iter();
    chosen.map(|at| steps[at]).collect()
}
