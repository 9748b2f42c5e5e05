//! The trials of each worker over time, and where the time went.

use std::collections::HashMap;

use neuralbo::record::Trial;
use serde::Serialize;
use serde_json::json;

use super::downsample::evenly;
use super::{ApiResult, Query, answered};
use crate::cache::{JsonNumber, StudyData, TrialRow, numbers};

const BARS: usize = 2000;
const MOST_BARS: usize = 20_000;
const POINTS: usize = 2000;

#[derive(Serialize)]
struct Bar<'a> {
    number: u64,
    worker: &'a str,
    start: i64,
    end: Option<i64>,
    state: &'static str,
    attempt: u64,
}

/// The latest trials and the running ones.
pub(super) fn timeline(data: &StudyData, query: &Query) -> ApiResult {
    let bars = query.count("bars", BARS, MOST_BARS)?;
    let timed: Vec<&TrialRow> = data.table.rows.iter().filter(|row| !row.known).collect();
    let latest = timed.iter().skip(timed.len().saturating_sub(bars));
    let running = data.running.iter().filter_map(running_bar);
    let drawn: Vec<Bar<'_>> = latest
        .filter_map(|row| bar(data, row))
        .chain(running)
        .collect();
    let mut workers: Vec<&str> = drawn.iter().map(|bar| bar.worker).collect();
    workers.sort_unstable();
    workers.dedup();
    let held = data.running.iter().filter(|trial| trial.lease_until_ms > 0);
    let leases = held.map(
        |trial| json!({ "number": trial.number, "worker": trial.worker, "until": trial.lease_until_ms }),
    );
    answered(json!({
        "workers": workers,
        "leases": leases.collect::<Vec<_>>(),
        "bars": drawn,
        "total": timed.len() + data.running.len(),
    }))
}

fn bar<'a>(data: &'a StudyData, row: &TrialRow) -> Option<Bar<'a>> {
    Some(Bar {
        number: row.number,
        worker: data.table.texts.get(row.worker),
        start: row.started?,
        end: row.finished,
        state: row.end.name(),
        attempt: row.attempt.into(),
    })
}

fn running_bar(trial: &Trial) -> Option<Bar<'_>> {
    Some(Bar {
        number: trial.number,
        worker: &trial.worker,
        start: trial.started_ms.filter(|_| !trial.is_waiting())?,
        end: None,
        state: "running",
        attempt: trial.attempt,
    })
}

/// Seconds of evaluations and suggestions. The rest of a worker's time, from its first trial to its
/// last, is spent on storage, waiting and the surrounding program.
pub(super) fn times(data: &StudyData) -> ApiResult {
    let rows = data.table.rows.iter().filter(|row| !row.known);
    let timed: Vec<(&TrialRow, f64)> = rows
        .filter_map(|row| Some((row, row.duration()? as f64 / 1e3)))
        .collect();
    let suggestion_s = |row: &TrialRow| f64::from(row.suggest_ms) / 1e3;
    let objective: f64 = timed.iter().map(|(_, seconds)| seconds).sum();
    let suggestion: f64 = timed.iter().map(|(row, _)| suggestion_s(row)).sum();
    let shown = evenly(timed.len(), POINTS);
    let rows = || shown.iter().map(|place| timed[*place]);
    answered(json!({
        "objective_s": JsonNumber(objective),
        "suggestion_s": JsonNumber(suggestion),
        "other_s": JsonNumber((present(&timed) - objective - suggestion).max(0.0)),
        "per_trial": {
            "number": rows().map(|(row, _)| row.number).collect::<Vec<_>>(),
            "objective_s": numbers(rows().map(|(_, seconds)| seconds)),
            "suggestion_s": numbers(rows().map(|(row, _)| suggestion_s(row))),
        },
    }))
}

/// The first request and the last result of those trials of a worker that ran one after the other.
struct WorkerLane {
    start: i64,
    end: i64,
}

/// Total presence of the workers in seconds: of each, its lanes, because one process may run several trials at the same time.
fn present(timed: &[(&TrialRow, f64)]) -> f64 {
    let mut rows: Vec<&TrialRow> = timed.iter().map(|(row, _)| *row).collect();
    rows.sort_by_key(|row| row.asked);
    let mut workers: HashMap<u32, Vec<WorkerLane>> = HashMap::new();
    for row in rows {
        let (start, end) = (row.asked, row.finished.unwrap_or(row.asked));
        let lanes = workers.entry(row.worker).or_default();
        match lanes.iter_mut().find(|lane| lane.end <= start) {
            Some(lane) => lane.end = end,
            None => lanes.push(WorkerLane { start, end }),
        }
    }
    let lanes = workers.values().flatten();
    lanes.map(|lane| (lane.end - lane.start) as f64 / 1e3).sum()
}
