//! The study itself.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{Clock, Direction, Failure, FailureKind, Observer, State, StopReason, StopRules, SystemClock, Trial};
use crate::linalg::Points;
use crate::space::{Point, Space, SpaceError};
use crate::strategy::{Exhausted, History, Request, Strategy, Suggestion};

/// Why a result was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TellError {
    /// No trial has this number.
    #[error("trial {number} is unknown; the study has {count} trials, numbered from 0")]
    Unknown {
        /// The number told.
        number: u64,
        /// How many trials there are.
        count: u64,
    },
    /// The trial has a result already.
    #[error("trial {number} is already {state}; a result is told once")]
    Finished {
        /// The number told.
        number: u64,
        /// `complete` or `failed`.
        state: &'static str,
    },
}

/// The trials of one optimization and the strategy that chooses them.
///
/// Trials only ever get appended, and a trial is told once. A tell costs the same however long the study is.
///
/// ```
/// use neuralbo::space::Space;
/// use neuralbo::strategy::presets;
/// use neuralbo::study::{Direction, Study};
///
/// let space: Space = Space::new(vec!["x=float(-5,10)".parse()?, "y=float(0,15)".parse()?])?;
/// let strategy = presets::build("random", &space, 7, &presets::Options::new())?;
/// let mut study = Study::new(space, Direction::Minimize, strategy);
/// for _ in 0..10 {
///     let trial = study.ask()?;
///     let value = trial.row.iter().map(|u| u * u).sum();
///     study.tell(trial.number, value)?;
/// }
/// assert!(study.best().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Study {
    pub(super) space: Space,
    pub(super) direction: Direction,
    pub(super) strategy: Box<dyn Strategy>,
    clock: Box<dyn Clock>,
    observers: Vec<Box<dyn Observer>>,
    pub(super) trials: Vec<Trial>,
    pub(super) running: BTreeSet<usize>,
    finished: Vec<usize>,
    best: Option<usize>,
    pub(super) history: History,
    pub(super) known: u64,
    failed: u64,
    since_improvement: u64,
}

impl Study {
    /// A study without trials.
    pub fn new(space: Space, direction: Direction, strategy: Box<dyn Strategy>) -> Self {
        let history = History::new(space.encoded_dim());
        Self {
            space,
            direction,
            strategy,
            clock: Box::new(SystemClock::start()),
            observers: Vec::new(),
            trials: Vec::new(),
            running: BTreeSet::new(),
            finished: Vec::new(),
            best: None,
            history,
            known: 0,
            failed: 0,
            since_improvement: 0,
        }
    }

    /// The same study with another clock.
    pub fn with_clock(mut self, clock: Box<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The same study, watched by one more observer.
    pub fn with_observer(mut self, observer: Box<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// The next trial; the error is a finite space with nothing left in it.
    pub fn ask(&mut self) -> Result<Trial, Exhausted> {
        self.ask_many(1)?.pop().ok_or(Exhausted)
    }

    /// Up to `count` trials to run at the same time, fewer only when the space runs out.
    pub fn ask_many(&mut self, count: usize) -> Result<Vec<Trial>, Exhausted> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let started = self.clock.elapsed();
        let pending = Points::from_rows(self.space.encoded_dim(), self.running.iter().map(|&i| &self.trials[i].row));
        let request = Request { history: &self.history, pending: &pending, number: self.trials.len() as u64, count };
        let suggestions = self.strategy.suggest(&request)?;
        let spent = self.clock.elapsed().saturating_sub(started) / suggestions.len().max(1) as u32;
        Ok(suggestions.into_iter().take(count).map(|suggestion| self.start(suggestion, spent)).collect())
    }

    fn start(&mut self, suggestion: Suggestion, suggest_time: Duration) -> Trial {
        let trial = Trial {
            number: self.trials.len() as u64,
            point: suggestion.point,
            row: suggestion.row,
            state: State::Running,
            origin: suggestion.origin,
            mean: suggestion.mean.map(|mean| self.direction.value(mean)),
            sd: suggestion.sd,
            suggest_time,
        };
        self.running.insert(self.trials.len());
        self.trials.push(trial.clone());
        self.observers.iter_mut().for_each(|observer| observer.asked(&trial));
        trial
    }

    /// Gives a running trial its value; NaN and infinities make it a failed trial of kind [`FailureKind::NonFinite`].
    pub fn tell(&mut self, number: u64, value: f64) -> Result<&Trial, TellError> {
        let state = if value.is_finite() { State::Complete(value) } else { State::Failed(Failure::nonfinite(value)) };
        self.tell_state(number, state)
    }

    /// Ends a running trial without a value.
    ///
    /// The strategy learns that the point fails, unless the kind is [`FailureKind::Interrupted`].
    pub fn tell_failed(&mut self, number: u64, failure: Failure) -> Result<&Trial, TellError> {
        self.tell_state(number, State::Failed(failure))
    }

    fn tell_state(&mut self, number: u64, state: State) -> Result<&Trial, TellError> {
        let unknown = TellError::Unknown { number, count: self.trials.len() as u64 };
        let index = usize::try_from(number).ok().filter(|&i| i < self.trials.len()).ok_or(unknown)?;
        let trial = &mut self.trials[index];
        if !trial.is_running() {
            return Err(TellError::Finished { number, state: trial.state.name() });
        }
        trial.state = state;
        self.running.remove(&index);
        Ok(self.finish(index))
    }

    /// Adds a result known from elsewhere, as a trial of origin [`Origin::Known`](crate::strategy::Origin::Known).
    ///
    /// The error is a point that does not belong to the space.
    pub fn tell_known(&mut self, point: Point, value: f64) -> Result<&Trial, SpaceError> {
        let state = if value.is_finite() { State::Complete(value) } else { State::Failed(Failure::nonfinite(value)) };
        let index = self.append(point, state)?;
        Ok(self.finish(index))
    }

    pub(super) fn finish(&mut self, index: usize) -> &Trial {
        self.finished.push(index);
        let improved = self.record(index);
        let best = self.best.map(|i| &self.trials[i]);
        for observer in &mut self.observers {
            observer.finished(&self.trials[index], best, improved);
        }
        &self.trials[index]
    }

    /// Passes a finished trial to the history; whether it is the new best one.
    fn record(&mut self, index: usize) -> bool {
        let trial = &self.trials[index];
        self.since_improvement += 1;
        match &trial.state {
            State::Complete(value) => {
                self.history.push_observed(&trial.row, self.direction.reward(*value));
                let beaten = self.best_value().is_none_or(|best| self.direction.is_better(*value, best));
                if beaten {
                    self.best = Some(index);
                    self.since_improvement = 0;
                }
                beaten
            }
            State::Failed(failure) => {
                self.failed += 1;
                if failure.kind != FailureKind::Interrupted {
                    self.history.push_failed(&trial.row);
                }
                false
            }
            State::Running => false,
        }
    }

    /// Which of `rules` says that the study is over, if any.
    ///
    /// A target comes before the other rules, because it is what was wanted.
    pub fn stop_reason(&self, rules: &StopRules) -> Option<StopReason> {
        let reached = |target: &f64| self.best_value().is_some_and(|best| !self.direction.is_better(*target, best));
        let evaluated = self.finished.len() as u64 - self.known;
        None.or(rules.target.filter(reached).map(StopReason::Target))
            .or(rules.trials.filter(|&count| evaluated >= count).map(StopReason::Trials))
            .or(rules.patience.filter(|&count| self.since_improvement >= count).map(StopReason::NoImprovement))
            .or(rules.time.filter(|&limit| self.clock.elapsed() >= limit).map(StopReason::Time))
    }

    /// How many more trials may be asked for before `rules.trials` is used up by finished and running ones.
    pub fn room(&self, rules: &StopRules) -> u64 {
        rules.trials.map_or(u64::MAX, |count| count.saturating_sub(self.trials.len() as u64 - self.known))
    }

    /// Tells the observers that the study has ended.
    pub fn announce_stop(&mut self, reason: &StopReason) {
        self.observers.iter_mut().for_each(|observer| observer.stopped(reason));
    }

    /// All trials by number.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// The finished trials in the order they were told.
    pub fn finished(&self) -> impl ExactSizeIterator<Item = &Trial> {
        self.finished.iter().map(|&i| &self.trials[i])
    }

    /// The trials that were asked for and not yet told.
    pub fn running(&self) -> impl ExactSizeIterator<Item = &Trial> {
        self.running.iter().map(|&i| &self.trials[i])
    }

    /// How many trials have failed.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// The complete trial with the best value; the earliest told one among equals.
    pub fn best(&self) -> Option<&Trial> {
        self.best.map(|i| &self.trials[i])
    }

    /// The best value.
    pub fn best_value(&self) -> Option<f64> {
        self.best().and_then(Trial::value)
    }

    /// What is searched.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Which way is better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Time since the study was made.
    pub fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}
