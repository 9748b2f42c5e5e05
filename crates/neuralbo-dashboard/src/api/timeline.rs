//! Who worked on what, and when; where the time went.

use neuralbo::record::Trial;
use serde::Serialize;

use super::downsample::evenly;
use super::{Answer, Problem};
use crate::cache::{Number, Row, StudyData};
use crate::http::{Query, Reply};

const BARS: usize = 2000;
const MOST_BARS: usize = 20_000;
const POINTS: usize = 2000;

#[derive(Serialize)]
struct Timeline<'a> {
    bars: Vec<Bar<'a>>,
    workers: Vec<&'a str>,
    leases: Vec<Lease<'a>>,
    total: usize,
}

#[derive(Serialize)]
struct Bar<'a> {
    number: u64,
    worker: &'a str,
    start: i64,
    end: Option<i64>,
    state: &'static str,
    attempt: u64,
}

#[derive(Serialize)]
struct Lease<'a> {
    number: u64,
    worker: &'a str,
    until: i64,
}

/// The latest trials with the running ones.
pub(super) fn timeline(data: &StudyData, query: &Query) -> Answer {
    let bars = query.count("bars", BARS, MOST_BARS).map_err(Problem::bad)?;
    let timed: Vec<&Row> = data.table.rows.iter().filter(|row| !row.known).collect();
    let latest = timed
        .iter()
        .skip(timed.len().saturating_sub(bars))
        .filter_map(|row| bar(data, row));
    let drawn: Vec<Bar<'_>> = latest
        .chain(data.running.iter().filter_map(running_bar))
        .collect();
    let mut workers: Vec<&str> = drawn.iter().map(|bar| bar.worker).collect();
    workers.sort_unstable();
    workers.dedup();
    let held = data.running.iter().filter(|trial| trial.lease_until_ms > 0);
    let leases = held.map(|trial| Lease {
        number: trial.number,
        worker: &trial.worker,
        until: trial.lease_until_ms,
    });
    Ok(Reply::json(&Timeline {
        workers,
        leases: leases.collect(),
        bars: drawn,
        total: timed.len() + data.running.len(),
    }))
}

fn bar<'a>(data: &'a StudyData, row: &Row) -> Option<Bar<'a>> {
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
    let start = trial.started_ms.filter(|_| !trial.is_waiting())?;
    let (number, worker, attempt) = (trial.number, trial.worker.as_str(), trial.attempt);
    Some(Bar {
        number,
        worker,
        start,
        end: None,
        state: "running",
        attempt,
    })
}

#[derive(Serialize)]
struct Times {
    objective_s: Number,
    suggestion_s: Number,
    other_s: Number,
    per_trial: PerTrial,
}

#[derive(Serialize)]
struct PerTrial {
    number: Vec<u64>,
    objective_s: Vec<Number>,
    suggestion_s: Vec<Number>,
}

/// Seconds of evaluations and suggestions. The rest of a worker's time, from its first trial to its last, is storage, waiting and
/// whatever the program around it did.
pub(super) fn times(data: &StudyData) -> Answer {
    let timed: Vec<(&Row, f64)> = data
        .table
        .rows
        .iter()
        .filter_map(|row| Some((row, row.duration().filter(|_| !row.known)? as f64 / 1e3)))
        .collect();
    let objective: f64 = timed.iter().map(|(_, seconds)| seconds).sum();
    let suggestion: f64 = timed
        .iter()
        .map(|(row, _)| f64::from(row.suggest_ms) / 1e3)
        .sum();
    let chosen = evenly(timed.len(), POINTS);
    let pick = |read: &dyn Fn(&(&Row, f64)) -> f64| {
        chosen
            .iter()
            .map(|place| Number(read(&timed[*place])))
            .collect()
    };
    Ok(Reply::json(&Times {
        objective_s: Number(objective),
        suggestion_s: Number(suggestion),
        other_s: Number((present(&timed) - objective - suggestion).max(0.0)),
        per_trial: PerTrial {
            number: chosen.iter().map(|place| timed[*place].0.number).collect(),
            objective_s: pick(&|(_, seconds)| *seconds),
            suggestion_s: pick(&|(row, _)| f64::from(row.suggest_ms) / 1e3),
        },
    }))
}

/// For how long workers were there, in seconds: each from when it first asked to its last result.
fn present(timed: &[(&Row, f64)]) -> f64 {
    let mut spans: std::collections::HashMap<u32, (i64, i64)> = std::collections::HashMap::new();
    for (row, _) in timed {
        let end = row.finished.unwrap_or(row.asked);
        let span = spans.entry(row.worker).or_insert((row.asked, end));
        *span = (span.0.min(row.asked), span.1.max(end));
    }
    spans
        .values()
        .map(|(start, end)| (end - start) as f64 / 1e3)
        .sum()
}
