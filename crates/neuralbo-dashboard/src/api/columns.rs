//! Parameters and values of a sample of the trials, for charts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::downsample::evenly;
use super::{ApiError, ApiResult, Query, answered, objective};
use crate::cache::{ColumnItem, JsonNumber, NamedColumn, StudyData};

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
        let text = format!("params: parameter `{name}` is unknown");
        return Err(ApiError::bad(text));
    }
    let places = sample(data, &objective.name, points);
    let values = table.values.get(&objective.name);
    let rows = || places.iter().map(|place| &table.rows[*place]);
    let value = |place: &usize| JsonNumber::from(values.and_then(|column| column.number(*place)));
    let is_wanted = |name: &str| wanted.is_empty() || wanted.contains(&name);
    answered(json!({
        "number": rows().map(|row| row.number).collect::<Vec<_>>(),
        "state": rows().map(|row| row.end.name()).collect::<Vec<_>>(),
        "value": places.iter().map(value).collect::<Vec<_>>(),
        "feasible": rows().map(|row| row.feasible).collect::<Vec<_>>(),
        "params": params_at(data, &places, is_wanted),
        "total": table.rows.len(),
    }))
}

/// The parameters of some trials by name, of those that are wanted.
pub(super) fn params_at<'a>(
    data: &'a StudyData,
    places: &[usize],
    is_wanted: impl Fn(&str) -> bool,
) -> BTreeMap<&'a str, Vec<ColumnItem<'a>>> {
    let named = data.table.params.iter();
    let named = named.filter(|named| is_wanted(&named.name));
    let items = named.map(|NamedColumn { name, column }| {
        let items = places.iter().map(|place| column.item(*place));
        (name.as_str(), items.collect())
    });
    items.collect()
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
    let mut specs = data.record.definition.objectives.iter();
    let (Some(column), Some(spec)) = (
        data.table.values.get(objective),
        specs.find(|spec| spec.name == objective),
    ) else {
        return Vec::new();
    };
    let rows = data.table.rows.iter().enumerate();
    let ranked = rows.filter(|(_, row)| row.is_eligible());
    let ranked =
        ranked.filter_map(|(place, _)| Some((spec.direction.reward(column.number(place)?), place)));
    let mut ranked: Vec<(f64, usize)> = ranked.collect();
    let better = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if ranked.len() > count && count > 0 {
        ranked.select_nth_unstable_by(count - 1, better);
        ranked.truncate(count);
    }
    ranked.sort_by(better);
    ranked.into_iter().map(|(_, place)| place).collect()
}
