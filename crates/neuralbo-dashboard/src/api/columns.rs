//! Parameters and values of a sample of the trials, for charts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::downsample::evenly;
use super::{ApiError, ApiReply, ApiResult, Query, objective};
use crate::cache::{JsonNumber, StudyData};

const POINTS: usize = 5000;
const MOST_POINTS: usize = 100_000;
/// The best trials that are always in the sample.
const BEST: usize = 50;

pub(super) fn answer(data: &StudyData, query: &Query) -> ApiResult {
    let points = query.count("points", POINTS, MOST_POINTS)?;
    let objective = objective(data, query)?;
    let (table, wanted) = (&data.table, query.all("params"));
    let unknown = |name: &&&str| table.params.get(name).is_none();
    if let Some(name) = wanted.iter().find(unknown) {
        return Err(ApiError::bad(format!(
            "params: parameter `{name}` is unknown"
        )));
    }
    let places = sample(data, &objective.name, points);
    let values = table.values.get(&objective.name);
    let rows = || places.iter().map(|place| &table.rows[*place]);
    let value = |place: &usize| JsonNumber::from(values.and_then(|column| column.number(*place)));
    let columns = table
        .params
        .iter()
        .filter(|named| wanted.is_empty() || wanted.contains(&named.name.as_str()));
    let params = columns.map(|named| {
        let items = places.iter().map(|place| named.column.item(*place));
        (named.name.as_str(), json!(items.collect::<Vec<_>>()))
    });
    Ok(ApiReply::json(&json!({
        "number": rows().map(|row| row.number).collect::<Vec<_>>(),
        "state": rows().map(|row| row.end.name()).collect::<Vec<_>>(),
        "value": places.iter().map(value).collect::<Vec<_>>(),
        "feasible": rows().map(|row| row.feasible).collect::<Vec<_>>(),
        "params": params.collect::<BTreeMap<_, _>>(),
        "total": table.rows.len(),
    })))
}

/// An even sample, the best ones and the Pareto front, in the order of the table.
pub(super) fn sample(data: &StudyData, objective: &str, points: usize) -> Vec<usize> {
    let table = &data.table;
    if table.rows.len() <= points {
        return (0..table.rows.len()).collect();
    }
    let mut places: BTreeSet<usize> = evenly(table.rows.len(), points).into_iter().collect();
    places.extend(best(data, objective, BEST));
    let front: BTreeSet<u64> = data.log.front().into_iter().collect();
    places.extend((0..table.rows.len()).filter(|place| front.contains(&table.rows[*place].number)));
    places.into_iter().collect()
}

/// The places of the best complete, feasible trials, the best one first.
pub(super) fn best(data: &StudyData, objective: &str, count: usize) -> Vec<usize> {
    let definition = &data.record.definition;
    let (Some(column), Some(spec)) = (
        data.table.values.get(objective),
        definition
            .objectives
            .iter()
            .find(|spec| spec.name == objective),
    ) else {
        return Vec::new();
    };
    let eligible = data
        .table
        .rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.is_eligible())
        .map(|(place, _)| place);
    let reward = |place: usize| {
        column
            .number(place)
            .map(|value| (spec.direction.reward(value), place))
    };
    let mut ranked: Vec<(f64, usize)> = eligible.filter_map(reward).collect();
    let better = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if ranked.len() > count && count > 0 {
        ranked.select_nth_unstable_by(count - 1, better);
        ranked.truncate(count);
    }
    ranked.sort_by(better);
    ranked.into_iter().map(|(_, place)| place).collect()
}
