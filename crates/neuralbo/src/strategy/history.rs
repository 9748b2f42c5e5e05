//! The finished trials as a strategy sees them.

use std::borrow::Cow;

use super::Goals;
use crate::linalg::Points;
use crate::surrogate::Dataset;

/// Finished trials in the order they were told; it only ever grows at the end.
///
/// Failed trials are kept apart from the observations: they say where not to go and never become values.
///
/// Of several objectives and of outcome constraints every observation has its rewards (larger is better) and its slacks (a bound
/// holds where its slack is at least 0). A trial that was stopped before all was measured, or that is older than an objective,
/// teaches what it has: the rest is NaN. The first reward is always there; a trial without it is not an observation.
///
/// ```
/// use neuralbo::strategy::{Goals, History};
///
/// let mut history = History::with_goals(1, &Goals { slacks: 1, ..Goals::objectives(2) });
/// history.push_measured(&[0.5], &[3.0, -1.0], &[0.25]);
/// history.push_measured(&[0.1], &[2.0, f64::NAN], &[-1.0]);
/// assert_eq!((history.reward(0, 1), history.slacks(0)), (-1.0, [0.25].as_slice()));
/// assert_eq!(history.measured(1).len(), 1);
/// assert!(history.is_feasible(0) && !history.is_feasible(1));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    observed: Dataset,
    failed: Points,
    outcomes: Vec<HistoryEntry>,
    /// Objectives after the first, and slacks.
    more: usize,
    slacks: usize,
    /// The rewards after the first and the slacks, observation after observation; empty where there are none.
    others: Vec<f64>,
}

/// How one finished trial ended, pointing into [`History::observed`] or [`History::failed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryEntry {
    /// Index of the observation.
    Observed(usize),
    /// Index of the failed row.
    Failed(usize),
}

impl History {
    /// No trials yet, for rows of dimension `dim`, of one objective.
    pub fn new(dim: usize) -> Self {
        Self {
            observed: Dataset::new(dim),
            failed: Points::new(dim),
            ..Self::default()
        }
    }

    /// No trials yet, of a study with these goals.
    pub fn with_goals(dim: usize, goals: &Goals) -> Self {
        Self {
            more: goals.objectives.saturating_sub(1),
            slacks: goals.slacks,
            ..Self::new(dim)
        }
    }

    /// Appends a trial that returned a finite reward; of several objectives and constraints nothing else was measured.
    pub fn push_observed(&mut self, row: &[f64], reward: f64) {
        self.outcomes
            .push(HistoryEntry::Observed(self.observed.len()));
        self.observed.push(row, reward);
        let values = self.observed.len() * self.stride();
        self.others.resize(values, f64::NAN);
    }

    /// Appends a trial with the rewards of all objectives and all slacks; NaN is what was not measured. The first reward is finite.
    ///
    /// # Panics
    /// When there are more or fewer of them than the study has.
    pub fn push_measured(&mut self, row: &[f64], rewards: &[f64], slacks: &[f64]) {
        let expected = (self.more + 1, self.slacks);
        assert_eq!(
            (rewards.len(), slacks.len()),
            expected,
            "rewards and slacks"
        );
        self.outcomes
            .push(HistoryEntry::Observed(self.observed.len()));
        self.observed.push(row, rewards[0]);
        self.others.extend_from_slice(&rewards[1..]);
        self.others.extend_from_slice(slacks);
    }

    /// The last observation's first reward is an estimate with this standard deviation: its trial was stopped early.
    pub fn set_last_observation_sd(&mut self, sd: f64) {
        self.observed.set_last_observation_sd(sd);
    }

    /// Appends a trial that failed.
    pub fn push_failed(&mut self, row: &[f64]) {
        self.outcomes.push(HistoryEntry::Failed(self.failed.len()));
        self.failed.push(row);
    }

    /// Number of finished trials, failed ones included.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether no trial has finished.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// The trials that returned a value, with the rewards of the first objective.
    pub fn observed(&self) -> &Dataset {
        &self.observed
    }

    /// The rows of the failed trials.
    pub fn failed(&self) -> &Points {
        &self.failed
    }

    /// All trials in order.
    pub fn outcomes(&self) -> &[HistoryEntry] {
        &self.outcomes
    }

    /// The row of the `i`-th finished trial.
    pub fn row(&self, i: usize) -> &[f64] {
        match self.outcomes[i] {
            HistoryEntry::Observed(k) => self.observed.rows().row(k),
            HistoryEntry::Failed(k) => self.failed.row(k),
        }
    }

    /// Number of objectives.
    pub fn objectives(&self) -> usize {
        self.more + 1
    }

    /// Number of bounds on measured quantities.
    pub fn outcome_constraints(&self) -> usize {
        self.slacks
    }

    /// The `objective`-th reward of the `i`-th observation; NaN where it was not measured.
    pub fn reward(&self, i: usize, objective: usize) -> f64 {
        match objective {
            0 => self.observed.rewards()[i],
            later => self.others[i * self.stride() + later - 1],
        }
    }

    /// The slacks of the `i`-th observation; NaN where one was not measured, none without outcome constraints.
    pub fn slacks(&self, i: usize) -> &[f64] {
        &self.others[i * self.stride() + self.more..(i + 1) * self.stride()]
    }

    /// Whether the `i`-th observation satisfies all outcome constraints.
    pub fn is_feasible(&self, i: usize) -> bool {
        self.slacks(i).iter().all(|slack| *slack >= 0.0)
    }

    /// The observations of one quantity, the objectives before the slacks: only those that have it.
    pub fn measured(&self, quantity: usize) -> Cow<'_, Dataset> {
        if quantity == 0 {
            return Cow::Borrowed(&self.observed);
        }
        let value = |i: usize| self.others[i * self.stride() + quantity - 1];
        let having = (0..self.observed.len()).filter(|i| !value(*i).is_nan());
        let having: Vec<usize> = having.collect();
        let rows = self.observed.rows().select(&having);
        let values = having.into_iter().map(value).collect();
        Cow::Owned(Dataset::from_parts(rows, values))
    }

    /// All rewards, one row an observation.
    pub fn rewards(&self) -> Points {
        let count = self.objectives();
        let row = |i| (0..count).map(|k| self.reward(i, k)).collect::<Vec<_>>();
        Points::from_rows(count, (0..self.observed.len()).map(row))
    }

    fn stride(&self) -> usize {
        self.more + self.slacks
    }
}
