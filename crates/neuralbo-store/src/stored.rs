//! A store and a strategy together: ask and tell, shared and durable.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use neuralbo::linalg::Points;
use neuralbo::space::{Point, Value};
use neuralbo::strategy::{Exhausted, History, Request, Strategy, Suggestion};
use neuralbo::study::{FailureKind, Recommendation, StopReason};

use crate::replay::all_finished;
use crate::{
    Claim, Claimed, Definition, Finished, Lease, Proposal, Proposed, Provenance, Store, StoreError, StudyRecord, TrialRecord,
    TrialState,
};

/// Finished trials are fetched in portions of this many.
const PORTION: u64 = 10_000;

/// A trial that one has the right to tell.
#[derive(Clone, Debug, PartialEq)]
pub struct LeasedTrial {
    /// The right.
    pub lease: Lease,
    /// What to evaluate.
    pub point: Point,
    /// How it was chosen.
    pub provenance: Provenance,
}

/// The answer to an ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// Something to evaluate.
    Trial(LeasedTrial),
    /// All trials exist; some are with other workers, and may come back if those die.
    Wait {
        /// How many.
        running: u64,
    },
    /// The study has ended.
    Ended(StopReason),
}

/// One worker's view of a stored study.
///
/// The history is pulled from the store piece by piece, in the order of the store, and only grows: a suggestion costs what is
/// new, not what is there.
///
/// ```
/// use std::time::Duration;
/// use neuralbo::space::Space;
/// use neuralbo::study::Direction;
/// use neuralbo_store::{Asked, Definition, Limits, Outcome, Retries, StoredStudy, open};
///
/// let store = open("memory://")?;
/// let definition = Definition {
///     space: Space::from_bounds(&[(-5.0, 10.0)])?,
///     direction: Direction::Minimize,
///     method: "random".into(),
///     options: vec![],
///     seed: 7,
///     retries: Retries::default(),
/// };
/// let record = store.create_study("parabola", &definition, &Limits { trials: Some(5), ..Limits::default() })?;
/// let mut study = StoredStudy::open(store.clone(), record)?;
/// while let Asked::Trial(trial) = study.ask("me", Duration::from_secs(60))? {
///     let x = trial.point.values()[0].as_f64().unwrap_or(0.0);
///     store.tell(&trial.lease, &Outcome::Value(x * x))?;
/// }
/// assert_eq!(store.counts(study.record().id)?.complete, 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StoredStudy {
    store: Arc<dyn Store>,
    record: StudyRecord,
    strategy: Box<dyn Strategy>,
    log: Log,
}

impl StoredStudy {
    /// The study as this process sees it; nothing is read yet.
    pub fn open(store: Arc<dyn Store>, record: StudyRecord) -> Result<Self, StoreError> {
        let strategy = strategy(&record)?;
        let log = Log::new(&record.definition);
        Ok(Self { store, record, strategy, log })
    }

    /// The study's record.
    pub fn record(&self) -> &StudyRecord {
        &self.record
    }

    /// The store it lives in.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Pulls what has finished since the last time.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        loop {
            let portion = self.store.finished_since(self.record.id, self.log.seq, PORTION)?;
            portion.iter().for_each(|trial| self.log.push(&self.record.definition, trial));
            if (portion.len() as u64) < PORTION {
                return Ok(());
            }
        }
    }

    /// How many finished trials this process knows.
    pub fn finished(&self) -> u64 {
        self.log.seq
    }

    /// The best trial this process knows, and its value.
    pub fn best(&self) -> Option<(u64, f64)> {
        self.log.best
    }

    /// The complete trial to rely on where evaluations are noisy, as [`neuralbo::study::Study::recommend`] chooses it; `None` when
    /// the method has no model, or none yet. Like the best trial, it is never a pruned one.
    pub fn recommend(&mut self) -> Result<Option<Recommendation>, StoreError> {
        self.refresh()?;
        let Ok(model) = self.strategy.local_model(&self.log.history) else { return Ok(None) };
        let Definition { space, direction, .. } = &self.record.definition;
        let complete = |trial: Finished| match trial.state {
            TrialState::Complete { .. } => Some((trial.number, read_point(trial.params.as_deref()?)?)),
            _ => None,
        };
        let finished = all_finished(self.store.as_ref(), &self.record)?;
        let trials: Vec<(u64, Point)> = finished.into_iter().filter_map(complete).collect();
        Ok(Recommendation::of(space, *direction, &model, &trials))
    }

    /// Which of the study's rules other than the number of trials says that it is over, by what this process knows.
    pub fn stop_reason(&self) -> Option<StopReason> {
        let (limits, direction) = (&self.record.limits, self.record.definition.direction);
        let reached = |target: &f64| self.log.best.is_some_and(|(_, best)| !direction.is_better(*target, best));
        let stale = |count: &u64| self.log.since_improvement >= *count;
        limits.target.filter(reached).map(StopReason::Target).or(limits.patience.filter(stale).map(StopReason::NoImprovement))
    }

    /// Something to evaluate: a trial left behind by a dead worker, or a new point.
    pub fn ask(&mut self, worker: &str, lease: Duration) -> Result<Asked, StoreError> {
        self.refresh()?;
        if let Some(reason) = self.stop_reason() {
            return Ok(Asked::Ended(reason));
        }
        self.store.fail_expired(self.record.id)?;
        let claim = Claim { worker: worker.to_owned(), token: token(worker), lease };
        match self.store.claim(self.record.id, &claim)? {
            Claimed::Full { running: 0 } => {
                Ok(Asked::Ended(StopReason::Trials(self.record.limits.trials.unwrap_or(self.log.seq))))
            }
            Claimed::Full { running } => Ok(Asked::Wait { running }),
            Claimed::Trial(lease, trial) => self.equip(lease, *trial),
        }
    }

    /// Gives a claimed trial its point, unless it has one from an earlier attempt.
    fn equip(&mut self, lease: Lease, trial: TrialRecord) -> Result<Asked, StoreError> {
        if let (Some(params), Some(provenance)) = (&trial.params, trial.proposal) {
            let point = read_point(params).ok_or_else(|| unreadable(trial.number))?;
            return Ok(Asked::Trial(LeasedTrial { lease, point, provenance }));
        }
        // A point that somebody else has just taken is chosen once more; after that a repetition is better than waiting.
        for repeat_allowed in [false, true] {
            self.refresh()?;
            let running = self.store.running(self.record.id)?;
            let Ok((suggestion, provenance)) = self.suggest(lease.number, &running) else {
                self.store.release(&lease)?;
                let others = running.iter().any(|other| other.number != lease.number);
                return Ok(if others {
                    Asked::Wait { running: running.len() as u64 - 1 }
                } else {
                    Asked::Ended(StopReason::Exhausted)
                });
            };
            let params = write_point(&suggestion.point);
            let proposal = Proposal { params, provenance: provenance.clone(), repeat_allowed };
            if self.store.propose(&lease, &proposal)? == Proposed::Accepted {
                return Ok(Asked::Trial(LeasedTrial { lease, point: suggestion.point, provenance }));
            }
        }
        Err(unreadable(trial.number))
    }

    fn suggest(&mut self, number: u64, running: &[TrialRecord]) -> Result<(Suggestion, Provenance), Exhausted> {
        let started = Instant::now();
        let others = running.iter().filter(|trial| trial.number != number);
        let known: Vec<(u64, Vec<f64>)> = others.filter_map(|trial| Some((trial.number, self.row(trial)?))).collect();
        let pending = Points::from_rows(self.record.definition.space.encoded_dim(), known.iter().map(|(_, row)| row));
        let request = Request { history: &self.log.history, pending: &pending, number, count: 1 };
        let suggestion = self.strategy.suggest(&request)?.pop().ok_or(Exhausted)?;
        let provenance = Provenance {
            origin: suggestion.origin.to_string(),
            mean: suggestion.mean.map(|mean| self.record.definition.direction.value(mean)),
            sd: suggestion.sd,
            suggest_ms: started.elapsed().as_secs_f64() * 1e3,
            based_on: self.log.seq,
            pending: known.iter().map(|(number, _)| *number).collect(),
        };
        Ok((suggestion, provenance))
    }

    fn row(&self, trial: &TrialRecord) -> Option<Vec<f64>> {
        read_row(&self.record.definition, trial.params.as_deref())
    }
}

/// The finished trials as the strategy sees them, and what the stop rules need.
pub(crate) struct Log {
    pub(crate) history: History,
    pub(crate) seq: u64,
    best: Option<(u64, f64)>,
    since_improvement: u64,
}

impl Log {
    pub(crate) fn new(definition: &Definition) -> Self {
        Self { history: History::new(definition.space.encoded_dim()), seq: 0, best: None, since_improvement: 0 }
    }

    /// Appends the next finished trial. A pruned one counts with its last value, but is never the best; points that a changed
    /// space no longer has are left out.
    pub(crate) fn push(&mut self, definition: &Definition, trial: &Finished) {
        self.seq = trial.seq;
        self.since_improvement += u64::from(!trial.known);
        let direction = definition.direction;
        if let TrialState::Complete { value } = trial.state
            && self.best.is_none_or(|(_, best)| direction.is_better(value, best))
        {
            self.best = Some((trial.number, value));
            self.since_improvement = 0;
        }
        let Some(row) = read_row(definition, trial.params.as_deref()) else { return };
        match &trial.state {
            TrialState::Complete { value } | TrialState::Pruned { value } => {
                self.history.push_observed(&row, direction.reward(*value));
            }
            TrialState::Failed { failure } if failure.kind != FailureKind::Interrupted => self.history.push_failed(&row),
            TrialState::Failed { .. } | TrialState::Running => {}
        }
    }
}

pub(crate) fn strategy(record: &StudyRecord) -> Result<Box<dyn Strategy>, StoreError> {
    let wrong = |error: &dyn std::fmt::Display| StoreError::Method { study: record.name.clone(), reason: error.to_string() };
    record.definition.strategy().map_err(|error| wrong(&error))
}

pub(crate) fn read_point(params: &str) -> Option<Point> {
    serde_json::from_str::<Vec<Value>>(params).ok().map(Point::new)
}

pub(crate) fn write_point(point: &Point) -> String {
    serde_json::to_string(point).unwrap_or_default()
}

pub(crate) fn read_row(definition: &Definition, params: Option<&str>) -> Option<Vec<f64>> {
    definition.space.encode(&read_point(params?)?).ok()
}

fn unreadable(number: u64) -> StoreError {
    StoreError::Record { what: format!("trial {number}"), reason: "its parameters cannot be read".to_owned() }
}

/// Different for every claim: who, which process, when, and a count.
fn token(worker: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let worker: String = worker.chars().filter(|c| !c.is_control()).take(60).collect();
    format!("{worker}/{}/{since}/{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
