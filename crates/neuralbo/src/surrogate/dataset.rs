//! Observations as the models see them.

use std::borrow::Cow;

use crate::linalg::Points;

/// Encoded rows and their rewards, in the order they were told.
///
/// ```
/// use neuralbo::surrogate::Dataset;
///
/// let mut data = Dataset::new(1);
/// data.push(&[0.5], 2.0);
/// data.push(&[0.0], 3.0);
/// assert_eq!(data.best(), Some(1));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dataset {
    rows: Points,
    rewards: Vec<f64>,
}

impl Dataset {
    /// An empty data set of rows of dimension `dim`.
    pub fn new(dim: usize) -> Self {
        Self { rows: Points::new(dim), rewards: Vec::new() }
    }

    /// Rows with one reward each.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn from_parts(rows: Points, rewards: Vec<f64>) -> Self {
        assert_eq!(rows.len(), rewards.len(), "one reward a row");
        Self { rows, rewards }
    }

    /// Appends an observation.
    pub fn push(&mut self, row: &[f64], reward: f64) {
        self.rows.push(row);
        self.rewards.push(reward);
    }

    /// Number of observations `t`.
    pub fn len(&self) -> usize {
        self.rewards.len()
    }

    /// Whether there is no observation.
    pub fn is_empty(&self) -> bool {
        self.rewards.is_empty()
    }

    /// The rows.
    pub fn rows(&self) -> &Points {
        &self.rows
    }

    /// The rewards: larger is better.
    pub fn rewards(&self) -> &[f64] {
        &self.rewards
    }

    /// Index of the largest reward, the first of equals.
    pub fn best(&self) -> Option<usize> {
        let mut best = None;
        for (i, &reward) in self.rewards.iter().enumerate() {
            if best.is_none_or(|b: usize| reward > self.rewards[b]) {
                best = Some(i);
            }
        }
        best
    }

    /// The observations at `indices`, in that order.
    pub fn select(&self, indices: &[usize]) -> Dataset {
        Dataset { rows: self.rows.select(indices), rewards: indices.iter().map(|&i| self.rewards[i]).collect() }
    }

    /// Whether the first observations are those of `beginning`, in the same order.
    pub fn begins_with(&self, beginning: &Dataset) -> bool {
        self.rows.dim() == beginning.rows.dim()
            && self.rows.as_slice().starts_with(beginning.rows.as_slice())
            && self.rewards.starts_with(&beginning.rewards)
    }

    /// The observations from the one with index `start` on.
    pub fn since(&self, start: usize) -> Cow<'_, Dataset> {
        match start {
            0 => Cow::Borrowed(self),
            _ => Cow::Owned(Dataset { rows: self.rows.slice(start..self.len()), rewards: self.rewards[start..].to_vec() }),
        }
    }

    /// The first `len` observations.
    pub fn prefix(&self, len: usize) -> Dataset {
        Dataset { rows: self.rows.slice(0..len), rewards: self.rewards[..len].to_vec() }
    }

    /// Indices of at most `most` observations in their order: all, or the best and the most recent ones, half of each.
    ///
    /// ```
    /// use neuralbo::linalg::Points;
    /// use neuralbo::surrogate::Dataset;
    ///
    /// let rows = Points::from_rows(1, (0..8).map(|i| [f64::from(i)]));
    /// let data = Dataset::from_parts(rows, vec![1.0, 9.0, 2.0, 8.0, 0.0, 0.0, 0.0, 0.0]);
    /// assert_eq!(data.most_telling(4), [1, 3, 6, 7]);
    /// assert_eq!(data.most_telling(8).len(), 8);
    /// ```
    pub fn most_telling(&self, most: usize) -> Vec<usize> {
        if self.len() <= most {
            return (0..self.len()).collect();
        }
        let recent = self.len() - most / 2;
        let mut kept: Vec<usize> = (0..recent).collect();
        kept.sort_by(|&a, &b| self.rewards()[b].total_cmp(&self.rewards()[a]).then(a.cmp(&b)));
        kept.truncate(most - most / 2);
        kept.sort_unstable();
        kept.extend(recent..self.len());
        kept
    }
}
