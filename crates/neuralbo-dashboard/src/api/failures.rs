//! Failures by kind, with their messages and where they lie.

use std::collections::BTreeMap;

use neuralbo::record::FailureKind;
use serde::Serialize;

use super::Answer;
use super::downsample::evenly;
use crate::cache::{End, Item, StudyData};
use crate::http::Reply;

/// Numbers that are listed of a kind: the latest.
const LISTED: usize = 200;
/// Failed trials whose parameters are shown.
const SHOWN: usize = 2000;

#[derive(Serialize)]
struct Failures<'a> {
    kinds: Vec<Kind<'a>>,
    #[serde(rename = "where")]
    places: Places<'a>,
}

#[derive(Serialize)]
struct Kind<'a> {
    kind: &'static str,
    count: usize,
    message: &'a str,
    trials: Vec<u64>,
}

#[derive(Serialize)]
struct Places<'a> {
    number: Vec<u64>,
    kind: Vec<&'static str>,
    params: BTreeMap<&'a str, Vec<Item<'a>>>,
}

pub(super) fn answer(data: &StudyData) -> Answer {
    let table = &data.table;
    let failed: Vec<(usize, FailureKind)> = table
        .rows
        .iter()
        .enumerate()
        .filter_map(|(place, row)| match row.end {
            End::Failed(kind) => Some((place, kind)),
            _ => None,
        })
        .collect();
    let mut kinds: Vec<Kind<'_>> = FailureKind::ALL
        .into_iter()
        .filter_map(|kind| of_kind(data, &failed, kind))
        .collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    let shown: Vec<(usize, FailureKind)> = evenly(failed.len(), SHOWN)
        .into_iter()
        .map(|at| failed[at])
        .collect();
    let places = Places {
        number: shown
            .iter()
            .map(|(place, _)| table.rows[*place].number)
            .collect(),
        kind: shown.iter().map(|(_, kind)| kind.name()).collect(),
        params: table
            .params
            .iter()
            .map(|named| {
                (
                    named.name.as_str(),
                    shown
                        .iter()
                        .map(|(place, _)| named.column.item(*place))
                        .collect(),
                )
            })
            .collect(),
    };
    Ok(Reply::json(&Failures { kinds, places }))
}

fn of_kind<'a>(
    data: &'a StudyData,
    failed: &[(usize, FailureKind)],
    kind: FailureKind,
) -> Option<Kind<'a>> {
    let table = &data.table;
    let places: Vec<usize> = failed
        .iter()
        .filter(|(_, found)| *found == kind)
        .map(|(place, _)| *place)
        .collect();
    let latest = places.last()?;
    let listed = places
        .iter()
        .rev()
        .take(LISTED)
        .map(|place| table.rows[*place].number);
    let message = table.texts.get(table.rows[*latest].message);
    Some(Kind {
        kind: kind.name(),
        count: places.len(),
        message,
        trials: listed.collect(),
    })
}
