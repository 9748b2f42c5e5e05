//! The finished trials as a strategy sees them.

use crate::linalg::Points;
use crate::surrogate::Dataset;

/// Finished trials in the order they were told; it only ever grows at the end.
///
/// Failed trials are kept apart from the observations: they say where not to go and never become values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    observed: Dataset,
    failed: Points,
    outcomes: Vec<Entry>,
}

/// How one finished trial ended, pointing into [`History::observed`] or [`History::failed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Index of the observation.
    Observed(usize),
    /// Index of the failed row.
    Failed(usize),
}

impl History {
    /// No trials yet, for rows of dimension `dim`.
    pub fn new(dim: usize) -> Self {
        Self { observed: Dataset::new(dim), failed: Points::new(dim), outcomes: Vec::new() }
    }

    /// Appends a trial that returned a finite reward.
    pub fn push_observed(&mut self, row: &[f64], reward: f64) {
        self.outcomes.push(Entry::Observed(self.observed.len()));
        self.observed.push(row, reward);
    }

    /// Appends a trial that failed.
    pub fn push_failed(&mut self, row: &[f64]) {
        self.outcomes.push(Entry::Failed(self.failed.len()));
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

    /// The trials that returned a value.
    pub fn observed(&self) -> &Dataset {
        &self.observed
    }

    /// The rows of the failed trials.
    pub fn failed(&self) -> &Points {
        &self.failed
    }

    /// All trials in order.
    pub fn outcomes(&self) -> &[Entry] {
        &self.outcomes
    }

    /// The row of the `i`-th finished trial.
    pub fn row(&self, i: usize) -> &[f64] {
        match self.outcomes[i] {
            Entry::Observed(k) => self.observed.rows().row(k),
            Entry::Failed(k) => self.failed.row(k),
        }
    }
}
