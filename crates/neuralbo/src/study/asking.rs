//! From a worker's question to trials with points.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{Event, Study, StudyError};
use crate::limits;
use crate::record::{Batch, Provenance, StopReason, Token, Trial};
use crate::space::Point;
use crate::store::{Claim, Claimed, Lease, Proposal, Proposed};
use crate::strategy::{Exhausted, Origin, Request, Suggestion};

/// Who asks, and for how long a trial is theirs without being renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// A name for people.
    pub name: String,
    /// How long a trial is theirs.
    pub lease: Duration,
}

/// A worker that is alone with its study and needs no leases.
impl Default for Worker {
    fn default() -> Self {
        Self {
            name: String::new(),
            lease: Duration::MAX,
        }
    }
}

/// The answer to an ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// Trials to evaluate, each with its point; at least one if any was asked for.
    Trials(Vec<Trial>),
    /// All trials exist; other workers run some of them, which return if the workers die.
    Wait {
        /// How many.
        running: u64,
        /// When the first of their leases ends, in milliseconds since 1970 by the store's clock.
        until_ms: Option<i64>,
    },
    /// The study has ended.
    Ended(StopReason),
}

/// Claimed trials that were not returned yet: the store may fail between a claim and its point.
#[derive(Default)]
pub(super) struct ClaimedTrials {
    /// The token of an unanswered claim.
    token: Option<Token>,
    trials: BTreeMap<u64, Held>,
}

/// A claimed trial, with the point that was entered for it.
struct Held {
    trial: Trial,
    proposal: Option<Proposal>,
}

impl Held {
    /// Whether it has no point yet.
    fn is_fresh(&self) -> bool {
        self.trial.params.is_none() && self.proposal.is_none()
    }
}

impl ClaimedTrials {
    fn is_empty(&self) -> bool {
        self.trials.is_empty()
    }

    pub(super) fn fresh(&self) -> Vec<Trial> {
        self.trials
            .values()
            .filter(|held| held.is_fresh())
            .map(|held| held.trial.clone())
            .collect()
    }

    /// Up to `count` trials with points, those that waited for a worker first.
    fn take_placed(&mut self, count: usize) -> Vec<Trial> {
        let placed = self
            .trials
            .values()
            .filter(|held| held.trial.params.is_some());
        let mut order: Vec<(bool, u64)> = placed
            .map(|held| (held.proposal.is_some(), held.trial.number))
            .collect();
        order.sort_unstable();
        let taken = order
            .into_iter()
            .take(count)
            .filter_map(|(_, number)| self.trials.remove(&number));
        taken.map(|held| held.trial).collect()
    }
}

impl Study {
    /// Up to `count` trials (at most 100,000) to evaluate concurrently: waiting trials first, then new
    /// points. They are fewer if [`Study::cancel_flag`] is raised meanwhile.
    pub fn ask(&mut self, worker: &Worker, count: usize) -> Result<Asked, StudyError> {
        let count = count.min(limits::ASKED);
        if count == 0 {
            return Ok(Asked::Trials(Vec::new()));
        }
        self.refresh()?;
        if let Some(reason) = self.stop_reason() {
            self.give_back_claimed();
            return Ok(Asked::Ended(reason));
        }
        self.follow_branches()?;
        self.store.fail_expired(self.record.id)?;
        self.claim(worker, count)?;
        if self.claimed.is_empty() {
            return self.none_left(StopReason::Trials(
                self.record.limits.trials.unwrap_or(self.log.seq()),
            ));
        }
        if self
            .claimed
            .trials
            .values()
            .any(|held| held.is_fresh() && held.trial.version != self.record.version)
        {
            self.reload()?;
        }
        self.confirm()?;
        self.promote()?;
        for run in neighbours(self.claimed.fresh()) {
            self.choose(&run)?;
        }
        let trials = self.claimed.take_placed(count);
        if trials.is_empty() {
            self.none_left(StopReason::Exhausted)
        } else {
            Ok(Asked::Trials(trials))
        }
    }

    /// One trial, for a worker that is alone with its study.
    pub fn ask_one(&mut self) -> Result<Trial, StudyError> {
        match self.ask(&Worker::default(), 1)? {
            Asked::Trials(mut trials) => {
                trials.pop().ok_or(StudyError::Ended(StopReason::Exhausted))
            }
            Asked::Wait { running, .. } => Err(StudyError::Busy { running }),
            Asked::Ended(reason) => Err(StudyError::Ended(reason)),
        }
    }

    /// Claims trials until there are `count`. An unanswered claim is repeated with its token, which
    /// makes it idempotent.
    fn claim(&mut self, worker: &Worker, count: usize) -> Result<(), StudyError> {
        while self.claimed.trials.len() < count {
            let token = *self.claimed.token.get_or_insert_with(Token::fresh);
            let claim = Claim {
                worker: worker.name.clone(),
                token,
                lease: worker.lease,
            };
            let answer = self.store.claim(self.record.id, &claim)?;
            self.claimed.token = None;
            match answer {
                Claimed::Trial(trial) => {
                    _ = self.claimed.trials.insert(
                        trial.number,
                        Held {
                            trial: *trial,
                            proposal: None,
                        },
                    )
                }
                Claimed::Full { .. } => break,
            }
            if self.cancel.is_raised() {
                break;
            }
        }
        Ok(())
    }

    /// No trial for this worker: others run some, or the study has ended.
    fn none_left(&mut self, reason: StopReason) -> Result<Asked, StudyError> {
        let running = self.refresh_running()?;
        if running.is_empty() {
            self.refresh()?;
            return Ok(Asked::Ended(self.stop_reason().unwrap_or(reason)));
        }
        let until_ms = running
            .iter()
            .map(|trial| trial.lease_until_ms)
            .filter(|until| *until > 0)
            .min();
        Ok(Asked::Wait {
            running: running.len() as u64,
            until_ms,
        })
    }

    /// Suggests points for claimed trials of consecutive numbers; trials without one are released.
    fn choose(&mut self, run: &[Trial]) -> Result<(), StudyError> {
        let suggestions = match self.suggest(run) {
            Ok(suggestions) => suggestions.unwrap_or_default(),
            Err(error) => {
                // After an outage the next ask continues with the claimed trials.
                if !matches!(&error, StudyError::Store(error) if error.is_outage()) {
                    self.give_back_claimed();
                }
                return Err(error);
            }
        };
        let mut suggestions = suggestions.into_iter();
        for trial in run {
            match suggestions.next() {
                Some((suggestion, provenance)) => self.enter(trial, &suggestion, provenance)?,
                None => self.give_back(trial)?,
            }
        }
        Ok(())
    }

    fn give_back(&mut self, trial: &Trial) -> Result<(), StudyError> {
        self.store.release(&self.lease(trial))?;
        self.claimed.trials.remove(&trial.number);
        self.log.apply(Event::Released(trial.number));
        Ok(())
    }

    /// Releases claimed trials. One that cannot be released waits for its lease to end.
    pub(crate) fn give_back_claimed(&mut self) {
        for held in std::mem::take(&mut self.claimed.trials).into_values() {
            let _ = self.give_back(&held.trial);
        }
    }

    /// Proposes a suggested point. If another worker has just taken it, a second suggestion may repeat
    /// a point.
    fn enter(
        &mut self,
        trial: &Trial,
        suggestion: &Suggestion,
        provenance: Provenance,
    ) -> Result<(), StudyError> {
        if self.propose(
            trial.number,
            Some(self.proposal(suggestion, provenance, false)),
        )? {
            return Ok(());
        }
        self.refresh()?;
        match self
            .suggest(std::slice::from_ref(trial))?
            .ok()
            .and_then(|mut again| again.pop())
        {
            Some((suggestion, provenance)) => self
                .propose(
                    trial.number,
                    Some(self.proposal(&suggestion, provenance, true)),
                )
                .map(|_| ()),
            None => self.give_back(trial),
        }
    }

    fn proposal(
        &self,
        suggestion: &Suggestion,
        provenance: Provenance,
        repeat_allowed: bool,
    ) -> Proposal {
        let params = self.record.definition.space.params(&suggestion.point);
        Proposal {
            version: self.record.version,
            params,
            provenance,
            repeat_allowed,
        }
    }

    /// Repeats unanswered proposals: another point might contradict the store.
    fn confirm(&mut self) -> Result<(), StudyError> {
        let unanswered = self
            .claimed
            .trials
            .iter()
            .filter(|(_, held)| held.proposal.is_some() && held.trial.params.is_none());
        let numbers: Vec<u64> = unanswered.map(|(number, _)| *number).collect();
        numbers
            .into_iter()
            .try_for_each(|number| self.propose(number, None).map(|_| ()))
    }

    /// Proposes a new point of a claimed trial, or the previous one; `false` if another running trial
    /// has it. A trial that now belongs to another worker is dropped.
    pub(super) fn propose(
        &mut self,
        number: u64,
        proposal: Option<Proposal>,
    ) -> Result<bool, StudyError> {
        let Some(held) = self.claimed.trials.get_mut(&number) else {
            return Ok(true);
        };
        held.proposal = proposal.or(held.proposal.take());
        let (Some(proposal), lease) = (
            held.proposal.clone(),
            Lease::of(self.record.id, &held.trial),
        ) else {
            return Ok(true);
        };
        match self.store.propose(&lease, &proposal) {
            Ok(Proposed::Accepted) => {}
            Ok(Proposed::Repeated) => {
                held.proposal = None;
                return Ok(false);
            }
            Err(error) if error.is_too_late() => {
                self.claimed.trials.remove(&number);
                return Ok(true);
            }
            Err(error) => return Err(error.into()),
        }
        self.changes = self.changes.map(|count| count + 1);
        self.log.apply(Event::Proposed(number, &proposal.params));
        held.trial.version = proposal.version;
        held.trial.params = Some(proposal.params);
        held.trial.provenance = Some(proposal.provenance);
        Ok(true)
    }

    /// The point of an empty space, which grows while the trial runs.
    fn without_parameters(&self) -> (Suggestion, Provenance) {
        let (point, origin) = (Point::new(Vec::new()), Origin::Initial);
        let provenance = Provenance {
            origin: origin.to_string(),
            based_on: self.log.seq(),
            ..Provenance::default()
        };
        (
            Suggestion {
                point,
                row: Vec::new(),
                origin,
                mean: None,
                sd: None,
            },
            provenance,
        )
    }

    /// The strategy's suggestions for trials of consecutive numbers, with their provenance.
    #[allow(clippy::type_complexity)]
    fn suggest(
        &mut self,
        claimed: &[Trial],
    ) -> Result<Result<Vec<(Suggestion, Provenance)>, Exhausted>, StudyError> {
        let started = Instant::now();
        self.follow_running()?;
        let numbers: Vec<u64> = claimed.iter().map(|trial| trial.number).collect();
        if self.record.definition.space.is_empty() {
            return Ok(Ok(numbers
                .iter()
                .map(|_| self.without_parameters())
                .collect()));
        }
        let (pending, rows) = self.log.pending(&numbers);
        let first = numbers.first().copied().unwrap_or_default();
        let request = Request {
            history: self.log.history(),
            pending: &rows,
            number: first,
            count: numbers.len(),
            cancel: Some(&self.cancel),
        };
        let suggestions = match self.strategy.suggest(&request) {
            Ok(suggestions) => suggestions,
            Err(exhausted) => return Ok(Err(exhausted)),
        };
        let space = &self.record.definition.space;
        if space.is_constrained() {
            // An external method may ignore constraints.
            suggestions
                .iter()
                .try_for_each(|suggestion| space.satisfies(&space.params(&suggestion.point)))?;
        }
        let direction = self.record.definition.direction();
        let suggest_ms = started.elapsed().as_secs_f64() * 1e3 / suggestions.len().max(1) as f64;
        let batch = (numbers.len() > 1).then_some(Batch {
            first,
            count: numbers.len() as u64,
        });
        let provenance = |suggestion: &Suggestion| Provenance {
            origin: suggestion.origin.to_string(),
            mean: suggestion.mean.map(|mean| direction.value(mean)),
            sd: suggestion.sd,
            suggest_ms,
            based_on: self.log.seq(),
            pending: pending.clone(),
            batch,
            resumes: None,
        };
        let with_provenance = |suggestion: Suggestion| {
            let provenance = provenance(&suggestion);
            (suggestion, provenance)
        };
        Ok(Ok(suggestions.into_iter().map(with_provenance).collect()))
    }
}

/// Trials in runs of consecutive numbers, which key the random streams of a batch.
fn neighbours(trials: Vec<Trial>) -> Vec<Vec<Trial>> {
    let mut runs: Vec<Vec<Trial>> = Vec::new();
    for trial in trials {
        match runs.last_mut() {
            Some(run)
                if run
                    .last()
                    .is_some_and(|last| last.number + 1 == trial.number) =>
            {
                run.push(trial)
            }
            _ => runs.push(vec![trial]),
        }
    }
    runs
}
