//! Which outcome constraints hold.

use neuralbo::record::OutcomeConstraint;
use serde::Serialize;

use super::downsample::envelope;
use super::{Answer, Problem};
use crate::cache::{Number, StudyData};
use crate::http::{Query, Reply};

const POINTS: usize = 2000;
const MOST_POINTS: usize = 20_000;

#[derive(Serialize)]
struct Feasibility<'a> {
    outcome_constraints: Vec<Series<'a>>,
    first_feasible: Option<u64>,
}

#[derive(Serialize)]
struct Series<'a> {
    name: &'a str,
    at_most: Option<Number>,
    at_least: Option<Number>,
    number: Vec<u64>,
    value: Vec<Number>,
    satisfied: usize,
    violated: usize,
}

pub(super) fn answer(data: &StudyData, query: &Query) -> Answer {
    let points = query
        .count("points", POINTS, MOST_POINTS)
        .map_err(Problem::bad)?;
    let outcome_constraints = data
        .record
        .definition
        .outcome_constraints
        .iter()
        .map(|constraint| series(data, constraint, points))
        .collect();
    let first = data.table.rows.iter().find(|row| row.is_eligible());
    Ok(Reply::json(&Feasibility {
        outcome_constraints,
        first_feasible: first.map(|row| row.number),
    }))
}

fn series<'a>(data: &StudyData, constraint: &'a OutcomeConstraint, points: usize) -> Series<'a> {
    let column = data.table.values.get(&constraint.name);
    let number = |place: usize| {
        column
            .and_then(|column| column.number(place))
            .map(|value| (place, value))
    };
    let measured: Vec<(usize, f64)> = (0..data.table.rows.len()).filter_map(number).collect();
    let satisfied = measured
        .iter()
        .filter(|(_, value)| constraint.violation(*value) <= 0.0)
        .count();
    let values: Vec<f64> = measured.iter().map(|(_, value)| *value).collect();
    let chosen = envelope(&values, points, std::iter::empty());
    Series {
        name: &constraint.name,
        at_most: constraint.at_most.map(Number),
        at_least: constraint.at_least.map(Number),
        number: chosen
            .iter()
            .map(|place| data.table.rows[measured[*place].0].number)
            .collect(),
        value: chosen.iter().map(|place| Number(values[*place])).collect(),
        satisfied,
        violated: measured.len() - satisfied,
    }
}
