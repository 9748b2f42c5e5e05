//! What is known of a study that is watched; only what is new is read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use neuralbo::record::{Failure, FailureKind, State, StopReason, Trial};
use neuralbo::store::{Store, StoreError, StudyRecord, each_finished};
use neuralbo::study::{Event, Log};

use crate::exit::CommandError;

/// How many of the last trials are kept.
const LAST: usize = 20;

/// A study as it was when it was looked at last.
pub struct Watched {
    store: Arc<dyn Store>,
    /// The study.
    pub record: StudyRecord,
    /// The fold of its trials.
    pub log: Log,
    /// The best value after each finished trial, or the size of the Pareto front.
    pub progress: Vec<f64>,
    /// How many failures of each kind there were, and the last one.
    pub failures: BTreeMap<FailureKind, u64>,
    /// The last failure with its trial.
    pub last_failure: Option<(u64, Failure)>,
    /// The last finished trials, the newest first.
    pub last: Vec<Trial>,
    /// The running ones.
    pub running: Vec<Trial>,
    /// When that was, in milliseconds since 1970.
    pub now_ms: i64,
}

impl Watched {
    /// Nothing is read yet.
    pub fn new(store: Arc<dyn Store>, record: StudyRecord) -> Self {
        Self {
            log: Log::new(record.definition.clone()),
            store,
            record,
            progress: Vec::new(),
            failures: BTreeMap::new(),
            last_failure: None,
            last: Vec::new(),
            running: Vec::new(),
            now_ms: 0,
        }
    }

    /// Reads what is new.
    pub fn refresh(&mut self) -> Result<(), CommandError> {
        let record = self.store.study(&self.record.name)?;
        if record.version != self.record.version {
            *self = Self::new(Arc::clone(&self.store), record);
        } else {
            self.record = record;
        }
        let (mut numbers, seq) = (Vec::new(), self.log.seq());
        let Self {
            store,
            record,
            log,
            progress,
            failures,
            last_failure,
            ..
        } = self;
        each_finished(store.as_ref(), record.id, seq, None, |finished| {
            log.apply(Event::Told(finished))?;
            if let State::Failed { failure } = &finished.state {
                *failures.entry(failure.kind).or_default() += 1;
                *last_failure = Some((finished.number, failure.clone()));
            }
            let several = record.definition.objectives.len() > 1;
            progress.extend(if several {
                Some(log.front().len() as f64)
            } else {
                log.best().map(|(_, value)| value)
            });
            numbers.push(finished.number);
            Ok::<(), StoreError>(())
        })?;
        self.keep_last(&numbers)?;
        self.running = self.store.running(self.record.id)?;
        self.now_ms = now_ms();
        Ok(())
    }

    fn keep_last(&mut self, numbers: &[u64]) -> Result<(), CommandError> {
        for number in &numbers[numbers.len().saturating_sub(LAST)..] {
            self.last
                .insert(0, self.store.trial(self.record.id, *number)?);
        }
        self.last.truncate(LAST);
        Ok(())
    }

    /// Why it has ended, if it has: nothing runs and a limit is reached.
    pub fn ending(&self) -> Option<StopReason> {
        self.log
            .stop_reason(&self.record.limits)
            .filter(|_| self.running.is_empty())
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.ending().is_some()
    }

    /// Finished trials a second, over the last ones; `None` before two of them have ended.
    pub fn rate(&self) -> Option<f64> {
        let ends: Vec<i64> = self
            .last
            .iter()
            .filter_map(|trial| trial.finished_ms)
            .filter(|end| *end > 0)
            .collect();
        let (newest, oldest) = (ends.first()?, ends.last()?);
        let span = (newest - oldest) as f64 / 1e3;
        (ends.len() > 1 && span > 0.0).then(|| (ends.len() - 1) as f64 / span)
    }

    /// Trials that are still to come, where the study says how many.
    pub fn left(&self) -> Option<u64> {
        let counts = self.log.counts();
        let done = counts.finished().saturating_sub(counts.known);
        self.record
            .limits
            .trials
            .map(|limit| limit.saturating_sub(done))
    }
}

fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
