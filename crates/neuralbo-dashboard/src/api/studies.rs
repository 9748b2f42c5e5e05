//! The list of studies, without reading their trials.

use neuralbo::record::{Limits, ObjectiveSpec, Trial};
use neuralbo::store::{Counts, StudyRecord};
use serde::Serialize;

use super::{Answer, App, Problem, now_ms};
use crate::cache::Number;
use crate::http::Reply;

/// The rate is that of the last trials, as many as this, and no older ones than ten minutes.
const LAST: u64 = 20;
const WINDOW_MS: i64 = 10 * 60 * 1000;
const HOUR_MS: f64 = 3_600_000.0;

#[derive(Serialize)]
struct List {
    studies: Vec<Entry>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Study(Box<Summary>),
    /// A study that cannot be read; the others can.
    Unreadable {
        name: String,
        error: String,
    },
}

#[derive(Serialize)]
struct Summary {
    name: String,
    method: String,
    state: &'static str,
    counts: Counts,
    objectives: Vec<ObjectiveSpec>,
    best: Option<Leader>,
    workers: usize,
    rate: Option<f64>,
    created: i64,
    last: Option<i64>,
    limits: Limits,
}

#[derive(Serialize)]
struct Leader {
    number: u64,
    value: Number,
}

impl App {
    pub(super) fn list(&self, names: &[String]) -> Answer {
        let entry = |name: &String| match self.summary(name) {
            Ok(summary) => Entry::Study(Box::new(summary)),
            Err(problem) => Entry::Unreadable {
                name: name.clone(),
                error: problem.text,
            },
        };
        Ok(Reply::json(&List {
            studies: names.iter().map(entry).collect(),
        }))
    }

    fn summary(&self, name: &str) -> Result<Summary, Problem> {
        let record = self.store.study(name)?;
        let counts = self.store.counts(record.id)?;
        let best = self.store.best(record.id)?;
        let running = if counts.running > 0 {
            self.store.running(record.id)?
        } else {
            Vec::new()
        };
        let recent =
            self.store
                .trials_since(record.id, counts.finished().saturating_sub(LAST), LAST)?;
        let now = now_ms();
        let value = best
            .as_ref()
            .and_then(|trial| trial.value(record.definition.objective()));
        Ok(Summary {
            state: state(&running, now, is_over(&record, &counts, value)),
            workers: workers(&running, now).len(),
            rate: rate(&recent, now),
            last: recent.iter().filter_map(|trial| trial.finished_ms).max(),
            best: best.map(|trial| Leader {
                number: trial.number,
                value: value.into(),
            }),
            counts,
            method: record.definition.method,
            objectives: record.definition.objectives,
            created: record.created_ms,
            limits: record.limits,
            name: record.name,
        })
    }
}

/// `running` while a worker holds a lease, otherwise `finished` or `idle`.
pub(super) fn state(running: &[Trial], now: i64, over: bool) -> &'static str {
    match running.iter().any(|trial| trial.lease_until_ms > now) {
        true => "running",
        false if over => "finished",
        false => "idle",
    }
}

/// The workers that hold leases, by name.
pub(super) fn workers(running: &[Trial], now: i64) -> Vec<&str> {
    let mut names: Vec<&str> = running
        .iter()
        .filter(|trial| trial.lease_until_ms > now)
        .map(|trial| trial.worker.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// By the limits that need no log; patience does.
fn is_over(record: &StudyRecord, counts: &Counts, best: Option<f64>) -> bool {
    let direction = record.definition.direction();
    let reached =
        |target: f64| best.is_some_and(|best| best == target || direction.is_better(best, target));
    record
        .limits
        .trials
        .is_some_and(|trials| counts.finished() - counts.known >= trials)
        || record.limits.target.is_some_and(reached)
}

/// Trials an hour; `None` without two of the last ten minutes.
fn rate(recent: &[Trial], now: i64) -> Option<f64> {
    let times = recent
        .iter()
        .filter_map(|trial| trial.finished_ms)
        .filter(|at| *at > now - WINDOW_MS);
    let (count, first) = times.fold((0_u32, i64::MAX), |(count, first), at| {
        (count + 1, first.min(at))
    });
    (count >= 2).then(|| f64::from(count - 1) * HOUR_MS / ((now - first).max(1) as f64))
}
