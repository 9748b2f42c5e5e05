//! Failures by kind, with their messages and parameters.

use neuralbo::record::FailureKind;
use serde_json::{Value as Json, json};

use super::columns::params_at;
use super::downsample::evenly;
use super::{ApiResult, answered};
use crate::cache::{End, StudyData};

/// Latest numbers listed per kind.
const LISTED: usize = 200;
/// Failed trials whose parameters are shown.
const SHOWN: usize = 2000;

pub(super) fn answer(data: &StudyData) -> ApiResult {
    let table = &data.table;
    let rows = table.rows.iter().enumerate();
    let failed: Vec<(usize, FailureKind)> = rows
        .filter_map(|(place, row)| match row.end {
            End::Failed(kind) => Some((place, kind)),
            _ => None,
        })
        .collect();
    let mut kinds: Vec<(usize, Json)> = FailureKind::ALL
        .into_iter()
        .filter_map(|kind| of_kind(data, &failed, kind))
        .collect();
    kinds.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let shown = evenly(failed.len(), SHOWN).into_iter();
    let (places, shown_kinds): (Vec<usize>, Vec<&str>) =
        shown.map(|at| (failed[at].0, failed[at].1.name())).unzip();

    let numbers = places.iter().map(|place| table.rows[*place].number);
    answered(json!({
        "kinds": kinds.into_iter().map(|(_, kind)| kind).collect::<Vec<_>>(),
        "where": {
            "number": numbers.collect::<Vec<_>>(),
            "kind": shown_kinds,
            "params": params_at(data, &places, |_| true),
        },
    }))
}

fn of_kind(
    data: &StudyData,
    failed: &[(usize, FailureKind)],
    kind: FailureKind,
) -> Option<(usize, Json)> {
    let table = &data.table;
    let same = failed.iter().filter(|(_, found)| *found == kind);
    let places: Vec<usize> = same.map(|(place, _)| *place).collect();
    let latest = places.last()?;
    let listed = places.iter().rev().take(LISTED);
    let described = json!({
        "kind": kind.name(),
        "count": places.len(),
        "message": table.texts.get(table.rows[*latest].message),
        "trials": listed.map(|place| table.rows[*place].number).collect::<Vec<_>>(),
    });
    Some((places.len(), described))
}
