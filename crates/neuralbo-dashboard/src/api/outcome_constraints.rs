//! Outcome constraints: values, and how often each holds.

use neuralbo::record::OutcomeConstraint;
use serde_json::{Value as Json, json};

use super::downsample::envelope;
use super::{ApiResult, Query, answered};
use crate::cache::{JsonNumber, StudyData, numbers};

const POINTS: usize = 2000;
const MOST_POINTS: usize = 20_000;

pub(super) fn answer(data: &StudyData, query: &Query) -> ApiResult {
    let points = query.count("points", POINTS, MOST_POINTS)?;
    let constraints = data.record.definition.outcome_constraints.iter();
    let constraints: Vec<Json> = constraints.map(|c| series(data, c, points)).collect();
    let first = data.table.rows.iter().find(|row| row.is_eligible());
    answered(json!({
        "outcome_constraints": constraints,
        "first_feasible": first.map(|row| row.number),
    }))
}

fn series(data: &StudyData, constraint: &OutcomeConstraint, points: usize) -> Json {
    let column = data.table.values.get(&constraint.name);
    let value = |place: usize| Some((place, column?.number(place)?));
    let (places, values): (Vec<usize>, Vec<f64>) =
        (0..data.table.rows.len()).filter_map(value).unzip();
    let holds = |value: &&f64| constraint.violation(**value) <= 0.0;
    let satisfied = values.iter().filter(holds).count();
    let shown = envelope(&values, points, std::iter::empty());
    let number = |at: &usize| data.table.rows[places[*at]].number;
    json!({
        "name": constraint.name,
        "at_most": constraint.at_most.map(JsonNumber),
        "at_least": constraint.at_least.map(JsonNumber),
        "number": shown.iter().map(number).collect::<Vec<_>>(),
        "value": numbers(shown.iter().map(|at| values[*at])),
        "satisfied": satisfied,
        "violated": values.len() - satisfied,
    })
}
