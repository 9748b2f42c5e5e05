//! Values and the best so far, over the trials.

use neuralbo::record::ObjectiveSpec;
use serde_json::{Value as Json, json};

use super::downsample::{envelope, evenly};
use super::front::growth;
use super::{ApiResult, Query, answered};
use crate::cache::{End, StudyData, TrialRow, numbers};

const POINTS: usize = 2000;
const MOST_POINTS: usize = 20_000;

pub(super) fn answer(data: &StudyData, query: &Query) -> ApiResult {
    let points = query.count("points", POINTS, MOST_POINTS)?;
    let objectives = data.record.definition.objectives.iter();
    answered(json!({
        "objectives": objectives.map(|o| series(data, o, points)).collect::<Vec<_>>(),
        "hypervolume": growth(data, points),
        "without_value": without_value(data, points),
        "total": data.table.rows.len(),
    }))
}

/// The pruned and failed trials, by number.
fn without_value(data: &StudyData, points: usize) -> Json {
    let rows = data.table.by_number().into_iter();
    let ended: Vec<&TrialRow> = rows
        .map(|place| &data.table.rows[place])
        .filter(|row| row.end != End::Complete)
        .collect();
    let shown = evenly(ended.len(), points);
    json!({
        "number": shown.iter().map(|at| ended[*at].number).collect::<Vec<_>>(),
        "state": shown.iter().map(|at| ended[*at].end.name()).collect::<Vec<_>>(),
    })
}

fn series(data: &StudyData, objective: &ObjectiveSpec, points: usize) -> Json {
    let curve = best_so_far(data, objective);
    let shown = envelope(&curve.value, points, curve.improved.iter().copied());
    let rows: Vec<&TrialRow> = shown
        .iter()
        .map(|at| &data.table.rows[curve.rows[*at]])
        .collect();
    let pick = |values: &[f64]| numbers(shown.iter().map(|at| values[*at]));
    let mut series = json!({
        "name": objective.name,
        "direction": objective.direction.to_string(),
        "number": rows.iter().map(|row| row.number).collect::<Vec<_>>(),
        "finished": rows.iter().map(|row| row.finished).collect::<Vec<_>>(),
        "value": pick(&curve.value),
        "best": pick(&curve.best),
    });
    if !data.record.definition.outcome_constraints.is_empty() {
        series["feasible"] = rows.iter().map(|row| row.feasible).collect();
    }
    series
}

/// The complete trials of an objective by number, with the best feasible value up to each. Parallel workers finish in another
/// order, which a curve over the numbers must not follow.
#[derive(Default)]
pub(super) struct BestSoFar {
    /// Rows of the table.
    pub(super) rows: Vec<usize>,
    pub(super) value: Vec<f64>,
    /// NaN before the first feasible trial.
    pub(super) best: Vec<f64>,
    /// Indices in this curve where the best value improved.
    pub(super) improved: Vec<usize>,
}

pub(super) fn best_so_far(data: &StudyData, objective: &ObjectiveSpec) -> BestSoFar {
    let mut curve = BestSoFar::default();
    let Some(column) = data.table.values.get(&objective.name) else {
        return curve;
    };
    let mut best: Option<f64> = None;
    for place in data.table.by_number() {
        let row = &data.table.rows[place];
        let Some(value) = column.number(place).filter(|_| row.end == End::Complete) else {
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
