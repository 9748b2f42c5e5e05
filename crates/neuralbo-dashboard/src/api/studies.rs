//! The list of studies, without reading their trials.

use neuralbo::record::Trial;
use neuralbo::store::{Counts, StudyRecord};
use serde_json::{Value as Json, json};

use super::changes::BestValue;
use super::{ApiError, ApiResult, App, answered, now_ms};

/// The rate is computed from the last trials, at most ten minutes old.
const LAST: u64 = 20;
const WINDOW_MS: i64 = 10 * 60 * 1000;
const HOUR_MS: f64 = 3_600_000.0;

impl App {
    pub(super) fn list(&self, names: &[String]) -> ApiResult {
        // An unreadable study does not hide the others.
        let entry = |name: &String| {
            let summary = self.summary(name);
            summary.unwrap_or_else(|error| json!({ "name": name, "error": error.text }))
        };
        let studies: Vec<Json> = names.iter().map(entry).collect();
        answered(json!({ "studies": studies }))
    }

    fn summary(&self, name: &str) -> Result<Json, ApiError> {
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
        Ok(json!({
            "name": record.name,
            "method": record.definition.method,
            "state": state(&running, now, is_over(&record, &counts, value)),
            "counts": counts,
            "objectives": record.definition.objectives,
            "best": best.map(|trial| BestValue {
                number: trial.number,
                value: value.into(),
            }),
            "workers": workers(&running, now).len(),
            "rate": rate(&recent, now),
            "created": record.created_ms,
            "last": recent.iter().filter_map(|trial| trial.finished_ms).max(),
            "limits": record.limits,
        }))
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

/// By the limits on trials and target; patience needs the log.
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

/// Trials per hour; `None` with fewer than two in the last ten minutes.
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
