//! Several objectives: the Pareto front, and how its hypervolume grew.

use std::collections::{BTreeSet, HashSet};

use neuralbo::linalg::Points;
use neuralbo::pareto;
use serde::Serialize;

use super::downsample::evenly;
use super::{Answer, Problem};
use crate::cache::{Number, StudyData};
use crate::http::{Query, Reply};

const POINTS: usize = 5000;
const MOST_POINTS: usize = 50_000;

#[derive(Serialize)]
struct Front<'a> {
    objectives: Vec<&'a str>,
    reference: Option<Vec<Number>>,
    trials: Trials,
    hypervolume: Option<Growth>,
}

#[derive(Serialize)]
struct Trials {
    number: Vec<u64>,
    values: Vec<Vec<Number>>,
    feasible: Vec<bool>,
    on_front: Vec<bool>,
}

/// The hypervolume after trials.
#[derive(Serialize)]
pub(super) struct Growth {
    number: Vec<u64>,
    value: Vec<Number>,
}

pub(super) fn answer(data: &StudyData, query: &Query) -> Answer {
    let points = query
        .count("points", POINTS, MOST_POINTS)
        .map_err(Problem::bad)?;
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
    let column = |name: &&str| {
        let column = data.table.values.get(name);
        places
            .iter()
            .map(|place| column.and_then(|column| column.number(*place)).into())
            .collect()
    };
    let trials = Trials {
        number: rows().map(|row| row.number).collect(),
        values: objectives.iter().map(column).collect(),
        feasible: rows().map(|row| row.feasible).collect(),
        on_front: rows().map(|row| front.contains(&row.number)).collect(),
    };
    let reference = data
        .log
        .hypervolume()
        .map(|volume| volume.reference.into_iter().map(Number).collect());
    Ok(Reply::json(&Front {
        objectives,
        reference,
        trials,
        hypervolume: growth(data, points),
    }))
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
pub(super) fn growth(data: &StudyData, points: usize) -> Option<Growth> {
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
    let eligible: Vec<usize> = (0..data.table.rows.len())
        .filter(|place| data.table.rows[*place].is_eligible())
        .collect();
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
    Some(Growth {
        number: chosen
            .iter()
            .map(|place| data.table.rows[eligible[*place]].number)
            .collect(),
        value: chosen.iter().map(|place| Number(volumes[*place])).collect(),
    })
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
