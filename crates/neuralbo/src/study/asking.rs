//! From a worker's question to trials with points.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::{Event, Study, StudyError};
use crate::record::{Batch, Provenance, StopReason, Trial};
use crate::store::{Claim, Claimed, Proposal, Proposed};
use crate::space::Point;
use crate::strategy::{Exhausted, Origin, Request, Suggestion};

/// Who asks, and for how long a trial is theirs without being renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// A name for people.
    pub name: String,
    /// How long a trial is theirs.
    pub lease: Duration,
}

/// A worker that is alone with its study: its trials are its own for ever.
impl Default for Worker {
    fn default() -> Self {
        Self { name: String::new(), lease: Duration::MAX }
    }
}

/// The answer to an ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// Something to evaluate, each with its point; at least one trial if any was asked for.
    Trials(Vec<Trial>),
    /// All trials exist; some are with other workers, and may come back if those die.
    Wait {
        /// How many.
        running: u64,
        /// When the first of their leases ends, in milliseconds since 1970 by the store's clock.
        until_ms: Option<i64>,
    },
    /// The study has ended.
    Ended(StopReason),
}

impl Study {
    /// Up to `count` trials to evaluate at the same time: trials that wait for a worker first, then new points.
    pub fn ask(&mut self, worker: &Worker, count: usize) -> Result<Asked, StudyError> {
        if count == 0 {
            return Ok(Asked::Trials(Vec::new()));
        }
        self.refresh()?;
        if let Some(reason) = self.stop_reason() {
            return Ok(Asked::Ended(reason));
        }
        self.store.fail_expired(self.record.id)?;
        let claimed = self.claim(worker, count)?;
        if claimed.is_empty() {
            return self.none_left(StopReason::Trials(self.record.limits.trials.unwrap_or(self.log.seq())));
        }
        if claimed.iter().any(|trial| trial.params.is_none() && trial.version != self.record.version) {
            self.reload()?;
        }
        let (ready, fresh): (Vec<Trial>, Vec<Trial>) = claimed.into_iter().partition(|trial| trial.params.is_some());
        let mut trials = ready;
        for run in neighbours(fresh) {
            trials.extend(self.choose(run)?);
        }
        if trials.is_empty() { self.none_left(StopReason::Exhausted) } else { Ok(Asked::Trials(trials)) }
    }

    /// One trial, for a worker that is alone with its study.
    pub fn ask_one(&mut self) -> Result<Trial, StudyError> {
        match self.ask(&Worker::default(), 1)? {
            Asked::Trials(mut trials) => trials.pop().ok_or(StudyError::Ended(StopReason::Exhausted)),
            Asked::Wait { running, .. } => Err(StudyError::Busy { running }),
            Asked::Ended(reason) => Err(StudyError::Ended(reason)),
        }
    }

    fn claim(&mut self, worker: &Worker, count: usize) -> Result<Vec<Trial>, StudyError> {
        let mut claimed = Vec::with_capacity(count);
        for _ in 0..count {
            let claim = Claim { worker: worker.name.clone(), token: token(&worker.name), lease: worker.lease };
            match self.store.claim(self.record.id, &claim)? {
                Claimed::Trial(trial) => claimed.push(*trial),
                Claimed::Full { .. } => break,
            }
        }
        Ok(claimed)
    }

    /// Nothing for this worker: others still have trials, or the study has ended.
    fn none_left(&mut self, reason: StopReason) -> Result<Asked, StudyError> {
        let running = self.refresh_running()?;
        if running.is_empty() {
            self.refresh()?;
            return Ok(Asked::Ended(self.stop_reason().unwrap_or(reason)));
        }
        let until_ms = running.iter().map(|trial| trial.lease_until_ms).filter(|until| *until > 0).min();
        Ok(Asked::Wait { running: running.len() as u64, until_ms })
    }

    /// Gives claimed trials of neighbouring numbers their points; those for which nothing is left are given back.
    fn choose(&mut self, claimed: Vec<Trial>) -> Result<Vec<Trial>, StudyError> {
        let suggestions = match self.suggest(&claimed) {
            Ok(Ok(suggestions)) => suggestions,
            Ok(Err(Exhausted)) => Vec::new(),
            Err(error) => {
                // The error is what the caller must hear; a trial that cannot be given back either waits for its lease to end.
                claimed.iter().for_each(|trial| _ = self.give_back(trial));
                return Err(error);
            }
        };
        // The last number first, so that the next trial gets the first one that is free again.
        for left_over in claimed.iter().skip(suggestions.len()).rev() {
            self.give_back(left_over)?;
        }
        let mut trials = Vec::with_capacity(suggestions.len());
        for (trial, (suggestion, provenance)) in claimed.into_iter().zip(suggestions) {
            trials.extend(self.enter(trial, suggestion, provenance)?);
        }
        Ok(trials)
    }

    fn give_back(&mut self, trial: &Trial) -> Result<(), StudyError> {
        self.store.release(&self.lease(trial))?;
        Ok(self.log.apply(Event::Released(trial.number))?)
    }

    /// Enters a suggested point. One that somebody else has just taken is chosen once more; after that a repetition is better
    /// than waiting.
    fn enter(&mut self, trial: Trial, suggestion: Suggestion, provenance: Provenance) -> Result<Option<Trial>, StudyError> {
        if let Some(trial) = self.propose(&trial, &suggestion, provenance, false)? {
            return Ok(Some(trial));
        }
        self.refresh()?;
        match self.suggest(std::slice::from_ref(&trial))?.ok().and_then(|mut again| again.pop()) {
            Some((suggestion, provenance)) => self.propose(&trial, &suggestion, provenance, true),
            None => self.give_back(&trial).map(|()| None),
        }
    }

    fn propose(
        &mut self,
        trial: &Trial,
        suggestion: &Suggestion,
        provenance: Provenance,
        repeat_allowed: bool,
    ) -> Result<Option<Trial>, StudyError> {
        let params = self.record.definition.space.params(&suggestion.point);
        let proposal = Proposal { version: self.record.version, params, provenance, repeat_allowed };
        if self.store.propose(&self.lease(trial), &proposal)? == Proposed::Repeated {
            return Ok(None);
        }
        self.changes = self.changes.map(|count| count + 1);
        self.log.apply(Event::Proposed(trial.number, &proposal.params))?;
        let Proposal { version, params, provenance, .. } = proposal;
        Ok(Some(Trial { version, params: Some(params), provenance: Some(provenance), ..trial.clone() }))
    }

    /// The only point of a space that is still to grow: what the trial needs is chosen while it runs.
    fn without_parameters(&self) -> (Suggestion, Provenance) {
        let (point, origin) = (Point::new(Vec::new()), Origin::Initial);
        let provenance = Provenance { origin: origin.to_string(), based_on: self.log.seq(), ..Provenance::default() };
        (Suggestion { point, row: Vec::new(), origin, mean: None, sd: None }, provenance)
    }

    /// The strategy's choice for trials of neighbouring numbers, with where it came from.
    #[allow(clippy::type_complexity)]
    fn suggest(&mut self, claimed: &[Trial]) -> Result<Result<Vec<(Suggestion, Provenance)>, Exhausted>, StudyError> {
        let started = Instant::now();
        self.follow_running()?;
        let numbers: Vec<u64> = claimed.iter().map(|trial| trial.number).collect();
        if self.record.definition.space.is_empty() {
            return Ok(Ok(numbers.iter().map(|_| self.without_parameters()).collect()));
        }
        let (pending, rows) = self.log.pending(&numbers);
        let first = numbers.first().copied().unwrap_or_default();
        let request = Request { history: self.log.history(), pending: &rows, number: first, count: numbers.len() };
        let suggestions = match self.strategy.suggest(&request) {
            Ok(suggestions) => suggestions,
            Err(exhausted) => return Ok(Err(exhausted)),
        };
        let direction = self.record.definition.direction();
        let suggest_ms = started.elapsed().as_secs_f64() * 1e3 / suggestions.len().max(1) as f64;
        let batch = (numbers.len() > 1).then_some(Batch { first, count: numbers.len() as u64 });
        let provenance = |suggestion: &Suggestion| Provenance {
            origin: suggestion.origin.to_string(),
            mean: suggestion.mean.map(|mean| direction.value(mean)),
            sd: suggestion.sd,
            suggest_ms,
            based_on: self.log.seq(),
            pending: pending.clone(),
            batch,
        };
        let with_provenance = |suggestion: Suggestion| {
            let provenance = provenance(&suggestion);
            (suggestion, provenance)
        };
        Ok(Ok(suggestions.into_iter().map(with_provenance).collect()))
    }
}

/// Trials in runs of neighbouring numbers: a strategy keys the random streams of a batch by the numbers from the first one on.
fn neighbours(trials: Vec<Trial>) -> Vec<Vec<Trial>> {
    let mut runs: Vec<Vec<Trial>> = Vec::new();
    for trial in trials {
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|last| last.number + 1 == trial.number) => run.push(trial),
            _ => runs.push(vec![trial]),
        }
    }
    runs
}

/// Different for every claim: who, which process, when, and a count.
fn token(worker: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let worker: String = worker.chars().filter(|c| !c.is_control()).take(60).collect();
    format!("{worker}/{}/{since}/{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
