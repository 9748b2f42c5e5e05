//! The table of trials: filtered, sorted, paged.

use std::cmp::Ordering;
use std::collections::HashSet;

use neuralbo::record::{Attributes, Failure, Trial};
use neuralbo::store::Store;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::columns::sample;
use super::filter::Filter;
use super::{ApiError, ApiReply, ApiResult, Query, answered};
use crate::cache::{ColumnItem, End, JsonNumber, StudyData, TrialTable, ValueColumn};

const LIMIT: usize = 100;
const MOST: usize = 1000;

/// A trial in the table.
#[derive(Serialize)]
struct TrialLine<'a> {
    number: u64,
    state: &'static str,
    values: ValuesByName<'a>,
    params: ParamsByName<'a>,
    worker: &'a str,
    asked: i64,
    started: Option<i64>,
    finished: Option<i64>,
    origin: &'a str,
    feasible: bool,
    on_front: bool,
    failure: Option<Failure>,
    /// Only where they are asked for: they are read from the storage.
    #[serde(skip_serializing_if = "Option::is_none")]
    attributes: Option<Attributes>,
}

/// The values of a row; nothing while a trial runs.
pub(super) struct ValuesByName<'a>(pub(super) Option<(&'a TrialTable, usize)>);

/// The parameters of a trial.
pub(super) enum ParamsByName<'a> {
    Finished(&'a TrialTable, usize),
    Running(Option<&'a neuralbo::space::Params>),
}

impl Serialize for ValuesByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some((table, row)) = self.0 {
            for named in table.values.iter() {
                if let Some(number) = named.column.number(row) {
                    map.serialize_entry(&named.name, &JsonNumber(number))?;
                }
            }
        }
        map.end()
    }
}

impl Serialize for ParamsByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Running(params) => params.serialize(serializer),
            Self::Finished(table, row) => {
                let mut map = serializer.serialize_map(None)?;
                for named in table.params.iter() {
                    let item = named.column.item(*row);
                    if item != ColumnItem::Absent {
                        map.serialize_entry(&named.name, &item)?;
                    }
                }
                map.end()
            }
        }
    }
}

/// A trial, finished or running.
#[derive(Clone, Copy)]
enum TableEntry {
    Finished(usize),
    Running(usize),
}

pub(super) fn answer(store: &dyn Store, data: &StudyData, query: &Query) -> ApiResult {
    let offset = query.count("offset", 0, usize::MAX)?;
    let limit = query.count("limit", LIMIT, MOST)?;
    let places = sorted(data, query, filtered(data, query)?)?;
    let front: HashSet<u64> = data.log.front().into_iter().collect();
    let lines = places
        .iter()
        .skip(offset)
        .take(limit)
        .map(|place| line(data, *place, &front));
    let total = data.table.rows.len() + data.running.len();
    let mut lines: Vec<TrialLine<'_>> = lines.collect();
    if query.get("attributes") == Some("1") {
        for line in &mut lines {
            line.attributes = Some(store.trial(data.record.id, line.number)?.attributes);
        }
    }
    answered(json!({ "total": total, "matched": places.len(), "trials": lines }))
}

fn filtered(data: &StudyData, query: &Query) -> Result<Vec<TableEntry>, ApiError> {
    let filter = Filter::read(data, query)?;
    let finished = (0..data.table.rows.len())
        .filter(|place| filter.takes(*place))
        .map(TableEntry::Finished);
    let running = (0..data.running.len())
        .filter(|place| filter.takes_running(&data.running[*place]))
        .map(TableEntry::Running);
    Ok(finished.chain(running).collect())
}

/// The numbers of the trials that the filters of a query take.
pub(super) fn matching(data: &StudyData, query: &Query) -> Result<HashSet<u64>, ApiError> {
    let number = |entry: TableEntry| match entry {
        TableEntry::Finished(row) => data.table.rows[row].number,
        TableEntry::Running(at) => data.running[at].number,
    };
    Ok(filtered(data, query)?.into_iter().map(number).collect())
}

/// All trials by number, or as many as fit into these bytes: an even sample with the best ones and the front.
pub(super) fn whole(data: &StudyData, bytes: usize) -> ApiReply {
    let front: HashSet<u64> = data.log.front().into_iter().collect();
    let page = |count: usize| {
        let mut places = sample(data, data.record.definition.objective(), count);
        places.sort_by_key(|place| data.table.rows[*place].number);
        let running = (0..data.running.len()).map(TableEntry::Running);
        let lines: Vec<TrialLine<'_>> = places
            .into_iter()
            .map(TableEntry::Finished)
            .chain(running)
            .map(|place| line(data, place, &front))
            .collect();
        let total = data.table.rows.len() + data.running.len();
        ApiReply::json(&json!({ "total": total, "matched": total, "trials": lines }))
    };
    let all = page(usize::MAX);
    match all.len() {
        size if size > bytes => {
            page((data.table.rows.len() as f64 * bytes as f64 / size as f64) as usize)
        }
        _ => all,
    }
}

fn line<'a>(data: &'a StudyData, place: TableEntry, front: &HashSet<u64>) -> TrialLine<'a> {
    match place {
        TableEntry::Finished(row) => finished_line(&data.table, row, front),
        TableEntry::Running(at) => running_line(&data.running[at]),
    }
}

fn finished_line<'a>(table: &'a TrialTable, place: usize, front: &HashSet<u64>) -> TrialLine<'a> {
    let row = &table.rows[place];
    let failure = match row.end {
        End::Failed(kind) => Some(Failure::new(kind, table.texts.get(row.message))),
        _ => None,
    };
    TrialLine {
        number: row.number,
        state: row.end.name(),
        values: ValuesByName(Some((table, place))),
        params: ParamsByName::Finished(table, place),
        worker: table.texts.get(row.worker),
        asked: row.asked,
        started: row.started,
        finished: row.finished,
        origin: table.texts.get(row.origin),
        feasible: row.feasible,
        on_front: front.contains(&row.number),
        failure,
        attributes: None,
    }
}

fn running_line(trial: &Trial) -> TrialLine<'_> {
    TrialLine {
        number: trial.number,
        state: trial.state.name(),
        values: ValuesByName(None),
        params: ParamsByName::Running(trial.params.as_ref()),
        worker: &trial.worker,
        asked: trial.asked_ms,
        started: trial.started_ms,
        finished: None,
        origin: trial
            .provenance
            .as_ref()
            .map_or("", |provenance| &provenance.origin),
        feasible: false,
        on_front: false,
        failure: None,
        attributes: None,
    }
}

/// Trials in the order asked for; those without what it is by come last, whichever way.
fn sorted(
    data: &StudyData,
    query: &Query,
    places: Vec<TableEntry>,
) -> Result<Vec<TableEntry>, ApiError> {
    let key = SortKey::read(data, query.get("sort").unwrap_or("number"))?;
    let descending = query.get("desc") == Some("1");
    let keyed = places.into_iter().map(|place| {
        let value = match place {
            TableEntry::Finished(row) => key.of(&data.table, row),
            TableEntry::Running(at) => key.of_running(&data.running[at]),
        };
        (value, place)
    });
    let mut keyed: Vec<(Option<SortValue>, TableEntry)> = keyed.collect();
    keyed.sort_by(|(a, _), (b, _)| compared(a, b, descending));
    Ok(keyed.into_iter().map(|(_, place)| place).collect())
}

/// What trials are sorted by.
enum SortKey<'a> {
    Number,
    Duration,
    Finished,
    State,
    Column(&'a ValueColumn),
}

impl<'a> SortKey<'a> {
    fn read(data: &'a StudyData, text: &str) -> Result<Self, ApiError> {
        let (values, params) = (&data.table.values, &data.table.params);
        let column = match text {
            "number" => return Ok(Self::Number),
            "duration" => return Ok(Self::Duration),
            "finished" => return Ok(Self::Finished),
            "state" => return Ok(Self::State),
            "value" => values.get(data.record.definition.objective()),
            other => other
                .strip_prefix("param:")
                .map_or_else(|| values.get(other), |name| params.get(name)),
        };
        let allowed = "number, value, an objective, duration, state, finished or param:NAME";
        column.map(Self::Column).ok_or_else(|| {
            ApiError::bad(format!("sort: `{text}` is unknown, it must be {allowed}"))
        })
    }

    fn of(&self, table: &TrialTable, place: usize) -> Option<SortValue> {
        let row = &table.rows[place];
        match self {
            Self::Number => Some(SortValue::Number(row.number as f64)),
            Self::Duration => row.duration().map(|ms| SortValue::Number(ms as f64)),
            Self::Finished => row.finished.map(|ms| SortValue::Number(ms as f64)),
            Self::State => Some(SortValue::Text(row.end.name().to_owned())),
            Self::Column(column) => match column.item(place) {
                ColumnItem::Absent => None,
                ColumnItem::Number(number) => Some(SortValue::Number(number)),
                ColumnItem::Label(label) => Some(SortValue::Text(label.to_string())),
            },
        }
    }

    fn of_running(&self, trial: &Trial) -> Option<SortValue> {
        match self {
            Self::Number => Some(SortValue::Number(trial.number as f64)),
            Self::State => Some(SortValue::Text(trial.state.name().to_owned())),
            _ => None,
        }
    }
}

enum SortValue {
    Number(f64),
    Text(String),
}

/// Numbers come before texts; what is absent comes last, whichever way.
fn compared(a: &Option<SortValue>, b: &Option<SortValue>, descending: bool) -> Ordering {
    let order = match (a, b) {
        (Some(SortValue::Number(a)), Some(SortValue::Number(b))) => a.total_cmp(b),
        (Some(SortValue::Text(a)), Some(SortValue::Text(b))) => a.cmp(b),
        (Some(SortValue::Number(_)), Some(SortValue::Text(_))) => Ordering::Less,
        (Some(SortValue::Text(_)), Some(SortValue::Number(_))) => Ordering::Greater,
        _ => return b.is_some().cmp(&a.is_some()),
    };
    if descending { order.reverse() } else { order }
}
