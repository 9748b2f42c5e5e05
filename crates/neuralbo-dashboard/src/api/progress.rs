//! Values and the best so far, over the trials.

use neuralbo::record::ObjectiveSpec;
use serde::Serialize;

use super::downsample::envelope;
use super::front::{Growth, growth};
use super::{Answer, Problem};
use crate::cache::{End, Number, StudyData};
use crate::http::{Query, Reply};

const POINTS: usize = 2000;
const MOST_POINTS: usize = 20_000;

#[derive(Serialize)]
struct Progress {
    objectives: Vec<Series>,
    hypervolume: Option<Growth>,
    total: usize,
}

#[derive(Serialize)]
struct Series {
    name: String,
    direction: String,
    number: Vec<u64>,
    finished: Vec<Option<i64>>,
    value: Vec<Number>,
    best: Vec<Number>,
    /// Only where the study has outcome constraints.
    #[serde(skip_serializing_if = "Option::is_none")]
    feasible: Option<Vec<bool>>,
}

pub(super) fn answer(data: &StudyData, query: &Query) -> Answer {
    let points = query
        .count("points", POINTS, MOST_POINTS)
        .map_err(Problem::bad)?;
    let objectives = data
        .record
        .definition
        .objectives
        .iter()
        .map(|objective| series(data, objective, points))
        .collect();
    Ok(Reply::json(&Progress {
        objectives,
        hypervolume: growth(data, points),
        total: data.table.rows.len(),
    }))
}

fn series(data: &StudyData, objective: &ObjectiveSpec, points: usize) -> Series {
    let Curve {
        rows,
        value,
        best,
        improved,
    } = curve(data, objective);
    let chosen = envelope(&value, points, improved.into_iter());
    let table = &data.table;
    Series {
        name: objective.name.clone(),
        direction: objective.direction.to_string(),
        number: chosen
            .iter()
            .map(|place| table.rows[rows[*place]].number)
            .collect(),
        finished: chosen
            .iter()
            .map(|place| table.rows[rows[*place]].finished)
            .collect(),
        value: chosen.iter().map(|place| Number(value[*place])).collect(),
        best: chosen.iter().map(|place| Number(best[*place])).collect(),
        feasible: (!data.record.definition.outcome_constraints.is_empty()).then(|| {
            chosen
                .iter()
                .map(|place| table.rows[rows[*place]].feasible)
                .collect()
        }),
    }
}

/// The complete trials of an objective, with the best feasible value up to each.
pub(super) struct Curve {
    /// Places in the table.
    pub(super) rows: Vec<usize>,
    pub(super) value: Vec<f64>,
    /// NaN before the first feasible one.
    pub(super) best: Vec<f64>,
    /// Places in this curve where the best became better.
    pub(super) improved: Vec<usize>,
}

pub(super) fn curve(data: &StudyData, objective: &ObjectiveSpec) -> Curve {
    let mut curve = Curve {
        rows: Vec::new(),
        value: Vec::new(),
        best: Vec::new(),
        improved: Vec::new(),
    };
    let Some(column) = data.table.values.get(&objective.name) else {
        return curve;
    };
    let mut best: Option<f64> = None;
    for (place, row) in data
        .table
        .rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.end == End::Complete)
    {
        let Some(value) = column.number(place) else {
            continue;
        };
        if row.is_eligible() && best.is_none_or(|best| objective.direction.is_better(value, best)) {
            best = Some(value);
            curve.improved.push(curve.rows.len());
        }
        curve.rows.push(place);
        curve.value.push(value);
        curve.best.push(best.unwrap_or(f64::NAN));
    }
    curve
}
