//! The log: one fold over the events of a study.

use std::collections::BTreeMap;

use super::curves::{FinalEstimate, LearningCurves};
use super::front::{TrialFront, least_violation};
use super::plan::goals_of;
use super::promotion::Rungs;
use crate::linalg::Points;
use crate::pareto::Hypervolume;
use crate::record::{Definition, Direction, FailureKind, Learn, Limits, State, StopReason};
use crate::space::Params;
use crate::store::{Counts, Finished};
use crate::strategy::History;

/// An event of a study.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A trial was claimed; it has no point yet.
    Asked(u64),
    /// A trial got its point.
    Proposed(u64, &'a Params),
    /// A trial ended, or was known from elsewhere.
    Told(&'a Finished),
    /// A trial without a point was released: its number is free again.
    Released(u64),
}

/// The state of a study's trials under one definition.
///
/// Pure: no clock, no files, no randomness. The same events give the same log, from memory, a file
/// or a server. A study whose definition changes folds its trials again; parameters that they did
/// not have are absent.
#[derive(Clone, Debug)]
pub struct Log {
    definition: Definition,
    history: History,
    /// Extrapolated final values of pruned trials (`learn=curve`).
    curves: Option<LearningCurves>,
    /// The trials at each rung, if pruned trials can be promoted.
    rungs: Option<Rungs>,
    observed: Vec<ObservedTrial>,
    /// Of every finished trial, its index in `observed` if it is eligible.
    course: Vec<Option<usize>>,
    running: BTreeMap<u64, Option<Vec<f64>>>,
    seq: u64,
    counts: Counts,
    best: Option<(u64, f64)>,
    front: TrialFront,
    since_improvement: u64,
}

/// The trial behind an observation of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ObservedTrial {
    number: u64,
    complete: bool,
    /// Whether it may be recommended: complete and feasible.
    eligible: bool,
}

impl Log {
    /// An empty log.
    pub fn new(definition: Definition) -> Self {
        Self {
            curves: definition
                .pruner
                .as_ref()
                .filter(|pruner| pruner.learn == Learn::Curve)
                .map(LearningCurves::new),
            rungs: definition
                .pruner
                .as_ref()
                .and_then(|pruner| pruner.halving())
                .map(Rungs::new),
            history: History::with_goals(definition.space.encoded_dim(), &goals_of(&definition)),
            definition,
            observed: Vec::new(),
            course: Vec::new(),
            running: BTreeMap::new(),
            seq: 0,
            counts: Counts::default(),
            best: None,
            front: TrialFront::default(),
            since_improvement: 0,
        }
    }

    /// Applies an event. A finished trial whose parameters cannot be read has failed; it does not hide the others.
    pub fn apply(&mut self, event: Event<'_>) {
        match event {
            Event::Asked(number) => _ = self.running.insert(number, None),
            Event::Proposed(number, params) => {
                _ = self
                    .running
                    .insert(number, Some(self.definition.space.row_of(params)))
            }
            Event::Released(number) => _ = self.running.remove(&number),
            Event::Told(finished) => match self.row(finished) {
                Ok(row) => self.finish(finished, row),
                Err(reason) => self.finish(&finished.unreadable(&reason), None),
            },
        }
    }

    fn finish(&mut self, finished: &Finished, row: Option<Vec<f64>>) {
        self.running.remove(&finished.number);
        self.seq = finished.seq;
        self.counts.known += u64::from(finished.known);
        self.since_improvement += u64::from(!finished.known);
        match &finished.state {
            State::Complete => self.counts.complete += 1,
            State::Pruned { .. } => self.counts.pruned += 1,
            State::Failed { .. } | State::Running => self.counts.failed += 1,
        }
        let eligible =
            finished.state == State::Complete && self.definition.is_feasible(&finished.values);
        if eligible {
            self.rank(finished);
        }
        let place = self.observed.len();
        if let Some(row) = row {
            self.learn(finished, &row, eligible);
        }
        let is_eligible = eligible && self.observed.len() > place;
        self.course.push(is_eligible.then_some(place));
    }

    /// The row of a finished trial; the parameters of earlier versions under their present names.
    pub(super) fn row(&self, finished: &Finished) -> Result<Option<Vec<f64>>, String> {
        let Some(params) = &finished.params else {
            return Ok(None);
        };
        let row = if self.definition.renames_after(finished.version) {
            params.params().map(|params| {
                self.definition
                    .space
                    .row_of(&self.definition.renamed(&params, finished.version))
            })
        } else {
            params.row(&self.definition.space)
        };
        row.map(Some)
    }

    fn learn(&mut self, finished: &Finished, row: &[f64], eligible: bool) {
        match &finished.state {
            State::Complete | State::Pruned { .. } => {
                if let Some(value) = finished.values.get(self.definition.objective()) {
                    let known =
                        self.follow_curve(finished, self.definition.direction().reward(*value));
                    self.observe(finished, row, known);
                    let complete = finished.state == State::Complete;
                    self.observed.push(ObservedTrial {
                        number: finished.number,
                        complete,
                        eligible,
                    });
                } else if finished.state != State::Complete && finished.values.is_empty() {
                    // Given up before there was a value: nothing to predict from, a region to avoid.
                    self.history.push_failed(row);
                }
            }
            State::Failed { failure } if failure.kind != FailureKind::Interrupted => {
                self.history.push_failed(row)
            }
            State::Failed { .. } | State::Running => {}
        }
    }

    /// A trial with a value of the first objective is observed with all its measurements.
    fn observe(&mut self, finished: &Finished, row: &[f64], known: FinalEstimate) {
        if self.history.objectives() == 1 && self.history.outcome_constraints() == 0 {
            self.history.push_observed(row, known.reward);
        } else {
            let (mut rewards, slacks) = (
                self.definition.rewards(&finished.values),
                self.definition.slacks(&finished.values),
            );
            rewards[0] = known.reward;
            self.history.push_measured(row, &rewards, &slacks);
        }
        if known.sd > 0.0 {
            self.history.set_last_observation_sd(known.sd);
        }
    }

    /// The reward of a complete trial, or the extrapolated one of a pruned trial, which is at most
    /// the best complete one: otherwise it would not have been pruned.
    fn follow_curve(&mut self, finished: &Finished, reward: f64) -> FinalEstimate {
        let exact = FinalEstimate { reward, sd: 0.0 };
        let direction = self.definition.direction();
        let reports: Vec<(i64, f64)> = finished
            .curve
            .iter()
            .map(|(step, value)| (*step, direction.reward(*value)))
            .collect();
        let complete = finished.state == State::Complete;
        if let Some(rungs) = &mut self.rungs {
            rungs.learn(finished, &reports);
        }
        let Some(curves) = &mut self.curves else {
            return exact;
        };
        let estimate = if complete {
            None
        } else {
            curves.estimate(&reports)
        };
        curves.learn(finished, &reports, Some(reward).filter(|_| complete));
        let best = self
            .best
            .map_or(f64::INFINITY, |(_, best)| direction.reward(best));
        estimate.map_or(exact, |estimate| FinalEstimate {
            reward: estimate.reward.min(best),
            ..estimate
        })
    }

    /// The trials at each rung, if pruned trials can be promoted.
    pub(super) fn rungs(&self) -> Option<&Rungs> {
        self.rungs.as_ref()
    }

    /// Compares a complete, feasible trial with the best ones so far.
    fn rank(&mut self, finished: &Finished) {
        let direction = self.definition.direction();
        if let Some(value) = finished.values.get(self.definition.objective())
            && self
                .best
                .is_none_or(|(_, best)| direction.is_better(*value, best))
        {
            self.best = Some((finished.number, *value));
            self.since_improvement = 0;
        }
        // A new member of the front is an improvement.
        if self.definition.objectives.len() > 1
            && self
                .front
                .join(finished.number, self.definition.rewards(&finished.values))
        {
            self.since_improvement = 0;
        }
    }

    /// The definition under which the trials are read.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The history for strategies.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The numbers and rows of the running trials that have a point, without `except`.
    pub(super) fn pending(&self, except: &[u64]) -> (Vec<u64>, Points) {
        let placed = self
            .running
            .iter()
            .filter(|(number, _)| !except.contains(number));
        let (numbers, rows): (Vec<u64>, Vec<&Vec<f64>>) = placed
            .filter_map(|(number, row)| Some((*number, row.as_ref()?)))
            .unzip();
        (
            numbers,
            Points::from_rows(self.definition.space.encoded_dim(), rows),
        )
    }

    /// The numbers of the running trials.
    pub fn running(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.running.keys().copied()
    }

    /// Replaces the running trials by those of the store.
    pub(super) fn set_running<'a>(
        &mut self,
        running: impl Iterator<Item = (u64, Option<&'a Params>)>,
    ) {
        let space = &self.definition.space;
        self.running = running
            .map(|(number, params)| (number, params.map(|params| space.row_of(params))))
            .collect();
    }

    /// The number of finished trials, which is the position of the last one.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The number of trials by state.
    pub fn counts(&self) -> Counts {
        Counts {
            running: self.running.len() as u64,
            ..self.counts
        }
    }

    /// Number and value of the best complete, feasible trial by the first objective, the earliest of
    /// equals.
    pub fn best(&self) -> Option<(u64, f64)> {
        self.best
    }

    /// The numbers of the trials on the Pareto front, in the order of finishing; with one objective
    /// the best one.
    pub fn front(&self) -> Vec<u64> {
        if self.definition.objectives.len() > 1 {
            return self.front.numbers();
        }
        self.best.iter().map(|(number, _)| *number).collect()
    }

    /// The hypervolume of the Pareto front, from the reference point of the definition or one inferred
    /// from the front; `None` with one objective or without a reference point.
    pub fn hypervolume(&self) -> Option<Hypervolume> {
        (self.definition.objectives.len() > 1)
            .then(|| self.front.hypervolume(&self.definition))
            .flatten()
    }

    /// The complete trial with the least total violation of the outcome constraints: the sum of the
    /// violations, each in units of the constraint's median violation.
    pub fn least_violation(&self) -> Option<(u64, f64)> {
        let complete = self
            .observed
            .iter()
            .enumerate()
            .filter(|(_, observed)| observed.complete)
            .map(|(place, _)| place);
        let (place, violation) = least_violation(&self.definition, &self.history, complete)?;
        Some((self.observed[place].number, violation))
    }

    /// The numbers of the observed complete, feasible trials, and their indices among the observations.
    pub(super) fn eligible(&self) -> impl Iterator<Item = (u64, usize)> + '_ {
        self.observed
            .iter()
            .enumerate()
            .filter(|(_, observed)| observed.eligible)
            .map(|(place, observed)| (observed.number, place))
    }

    /// The finished trials in their order, each by its index among the observations if it is complete and feasible.
    pub(super) fn course(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        self.course.iter().copied()
    }

    /// The number of trials since the last improvement, without known results.
    pub fn since_improvement(&self) -> u64 {
        self.since_improvement
    }

    /// The limit that ends the study, if any; a target comes first.
    ///
    /// The store limits how many trials may be asked for; here the limit means that all have finished.
    pub fn stop_reason(&self, limits: &Limits) -> Option<StopReason> {
        let direction = self.definition.direction();
        // A target applies to a single objective; one from before there were more is ignored.
        let single = self.definition.objectives.len() == 1;
        let reached = |target: &f64| {
            single
                && self
                    .best
                    .is_some_and(|(_, best)| !is_worse(direction, best, *target))
        };
        let evaluated = self.counts.finished() - self.counts.known;
        None.or(limits.target.filter(reached).map(StopReason::Target))
            .or(limits
                .trials
                .filter(|count| evaluated >= *count)
                .map(StopReason::Trials))
            .or(limits
                .patience
                .filter(|count| self.since_improvement >= *count)
                .map(StopReason::NoImprovement))
    }
}

fn is_worse(direction: Direction, value: f64, target: f64) -> bool {
    direction.is_better(target, value)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::record::{Failure, ObjectiveSpec, Values};
    use crate::space::Space;
    use crate::store::StoredParams;

    fn log() -> Log {
        Log::new(Definition::new(
            Space::from_bounds(&[(0.0, 1.0)]).unwrap(),
            Direction::Minimize,
        ))
    }

    fn params(x: f64) -> Params {
        [("x0".to_owned(), x)].into_iter().collect()
    }

    fn told(seq: u64, x: f64, value: f64, known: bool) -> Finished {
        let values = Values::from([("value".to_owned(), value)]);
        let params = Some(StoredParams::Params(params(x)));
        Finished {
            seq,
            number: seq - 1,
            version: 1,
            params,
            state: State::Complete,
            values,
            known,
            resumes: None,
            curve: Vec::new(),
        }
    }

    #[test]
    fn known_results_set_the_mark_and_cost_no_patience() {
        let mut log = log();
        for seq in 1..=31 {
            log.apply(Event::Told(&told(seq, 0.5, 1.0, true)));
        }
        let limits = Limits {
            patience: Some(20),
            ..Limits::default()
        };
        assert_eq!(log.stop_reason(&limits), None);
        for seq in 32..=51 {
            assert_eq!(log.stop_reason(&limits), None);
            log.apply(Event::Told(&told(seq, 0.5, 2.0, false)));
        }
        assert_eq!(
            log.stop_reason(&limits),
            Some(StopReason::NoImprovement(20))
        );
        assert_eq!((log.best(), log.counts().known), (Some((0, 1.0)), 31));
    }

    #[test]
    fn a_trial_whose_record_cannot_be_read_has_failed() {
        let mut log = log();
        let broken = Finished {
            params: Some(StoredParams::Json("{\"x0\": ".into())),
            ..told(1, 0.5, 1.0, false)
        };
        log.apply(Event::Told(&broken));
        let failed = Counts {
            failed: 1,
            ..Counts::default()
        };
        assert_eq!((log.seq(), log.counts(), log.best()), (1, failed, None));
    }

    #[test]
    fn failed_and_interrupted_trials_teach_different_things() {
        let mut log = log();
        let failed = |seq, kind| Finished {
            state: State::Failed {
                failure: Failure::new(kind, ""),
            },
            values: Values::new(),
            ..told(seq, 0.5, 0.0, false)
        };
        log.apply(Event::Told(&failed(1, FailureKind::Exit)));
        log.apply(Event::Told(&failed(2, FailureKind::Interrupted)));
        assert_eq!((log.history().failed().len(), log.counts().failed), (1, 2));
    }

    #[test]
    fn pruned_trials_teach_but_are_never_the_best() {
        let mut log = log();
        log.apply(Event::Told(&Finished {
            state: State::Pruned { step: Some(3) },
            ..told(1, 0.5, -9.0, false)
        }));
        log.apply(Event::Told(&told(2, 0.25, 1.0, false)));
        assert_eq!(
            (log.best(), log.history().observed().len()),
            (Some((1, 1.0)), 2)
        );
        assert_eq!(log.eligible().collect::<Vec<_>>(), [(1, 1)]);
        log.apply(Event::Told(&Finished {
            state: State::Pruned { step: None },
            values: Values::new(),
            ..told(3, 0.75, 0.0, false)
        }));
        let history = log.history();
        assert_eq!((history.observed().len(), history.failed().len()), (2, 1));
        assert_eq!(log.counts().pruned, 2);
    }

    #[test]
    fn the_front_keeps_what_nothing_else_covers() {
        let mut definition = Definition::new(
            Space::from_bounds(&[(0.0, 1.0)]).unwrap(),
            Direction::Minimize,
        );
        definition
            .objectives
            .push(ObjectiveSpec::new("speed", Direction::Maximize));
        let mut log = Log::new(definition);
        for (seq, (loss, speed)) in (1..).zip([
            (3.0, 1.0),
            (2.0, 0.5),
            (2.0, 2.0),
            (1.0, 0.1),
            (5.0, 5.0),
            (5.0, 5.0),
        ]) {
            let values = Values::from([("value".to_owned(), loss), ("speed".to_owned(), speed)]);
            log.apply(Event::Told(&Finished {
                values,
                ..told(seq, 0.5, 0.0, false)
            }));
        }
        assert_eq!(log.front(), [2, 3, 4]);
        assert_eq!(log.since_improvement(), 1);
    }

    #[test]
    fn running_trials_are_known_by_their_points() {
        let mut log = log();
        log.apply(Event::Asked(0));
        log.apply(Event::Asked(1));
        log.apply(Event::Proposed(1, &params(0.5)));
        assert_eq!((log.counts().running, log.pending(&[]).0), (2, vec![1]));
        log.apply(Event::Released(0));
        log.apply(Event::Told(&told(2, 0.5, 1.0, false)));
        assert_eq!(log.counts().running, 0);
    }
}
