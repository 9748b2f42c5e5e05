//! Parameters and values of a sample of the trials, for charts.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::downsample::evenly;
use super::{Answer, Problem, objective};
use crate::cache::{Item, Number, StudyData};
use crate::http::{Query, Reply};

const POINTS: usize = 5000;
const MOST_POINTS: usize = 100_000;
/// The best trials that are always in the sample.
const BEST: usize = 50;

#[derive(Serialize)]
struct Sample<'a> {
    number: Vec<u64>,
    state: Vec<&'static str>,
    value: Vec<Number>,
    feasible: Vec<bool>,
    params: BTreeMap<&'a str, Vec<Item<'a>>>,
    total: usize,
}

pub(super) fn answer(data: &StudyData, query: &Query) -> Answer {
    let points = query
        .count("points", POINTS, MOST_POINTS)
        .map_err(Problem::bad)?;
    let objective = objective(data, query)?;
    let (table, wanted) = (&data.table, query.list("params"));
    let unknown = |name: &&&str| table.params.get(name).is_none();
    if let Some(name) = wanted.iter().flatten().find(unknown) {
        return Err(Problem::bad(format!(
            "params: parameter `{name}` is unknown"
        )));
    }
    let places = sample(data, &objective.name, points);
    let values = table.values.get(&objective.name);
    let rows = || places.iter().map(|place| &table.rows[*place]);
    let columns = table.params.iter().filter(|named| {
        wanted
            .as_ref()
            .is_none_or(|names| names.contains(&named.name.as_str()))
    });
    Ok(Reply::json(&Sample {
        number: rows().map(|row| row.number).collect(),
        state: rows().map(|row| row.end.name()).collect(),
        value: places
            .iter()
            .map(|place| values.and_then(|column| column.number(*place)).into())
            .collect(),
        feasible: rows().map(|row| row.feasible).collect(),
        params: columns
            .map(|named| {
                (
                    named.name.as_str(),
                    places.iter().map(|p| named.column.item(*p)).collect(),
                )
            })
            .collect(),
        total: table.rows.len(),
    }))
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
