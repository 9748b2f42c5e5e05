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
    /// Standard deviations of rewards that are estimates, 0 for the others; empty where none is.
    doubts: Vec<f64>,
}

impl Dataset {
    /// An empty data set of rows of dimension `dim`.
    pub fn new(dim: usize) -> Self {
        Self {
            rows: Points::new(dim),
            ..Self::default()
        }
    }

    /// Rows with one reward each.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn from_parts(rows: Points, rewards: Vec<f64>) -> Self {
        assert_eq!(rows.len(), rewards.len(), "one reward a row");
        Self {
            rows,
            rewards,
            doubts: Vec::new(),
        }
    }

    /// Appends an observation.
    pub fn push(&mut self, row: &[f64], reward: f64) {
        self.rows.push(row);
        self.rewards.push(reward);
        if !self.doubts.is_empty() {
            self.doubts.push(0.0);
        }
    }

    /// The last reward is an estimate with this standard deviation, beside the noise that all rewards have.
    pub fn doubt_last(&mut self, sd: f64) {
        self.doubts.resize(self.len(), 0.0);
        self.doubts
            .last_mut()
            .into_iter()
            .for_each(|last| *last = sd);
    }

    /// Standard deviations of rewards that are estimates, 0 for the others; empty where none is.
    pub fn doubts(&self) -> &[f64] {
        &self.doubts
    }

    /// The same observations with other rewards.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn with_rewards(&self, rewards: Vec<f64>) -> Self {
        assert_eq!(self.len(), rewards.len(), "one reward a row");
        Self {
            rewards,
            ..self.clone()
        }
    }

    fn doubts_at(&self, places: impl Iterator<Item = usize>) -> Vec<f64> {
        places
            .filter_map(|place| self.doubts.get(place).copied())
            .collect()
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
        let doubts = self.doubts_at(indices.iter().copied());
        Dataset {
            rows: self.rows.select(indices),
            rewards: indices.iter().map(|&i| self.rewards[i]).collect(),
            doubts,
        }
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
            _ => {
                let (rows, rewards) = (
                    self.rows.slice(start..self.len()),
                    self.rewards[start..].to_vec(),
                );
                Cow::Owned(Dataset {
                    rows,
                    rewards,
                    doubts: self.doubts_at(start..self.len()),
                })
            }
        }
    }

    /// The first `len` observations.
    pub fn prefix(&self, len: usize) -> Dataset {
        let (rows, rewards) = (self.rows.slice(0..len), self.rewards[..len].to_vec());
        Dataset {
            rows,
            rewards,
            doubts: self.doubts_at(0..len),
        }
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
        kept.sort_by(|&a, &b| {
            self.rewards()[b]
                .total_cmp(&self.rewards()[a])
                .then(a.cmp(&b))
        });
        kept.truncate(most - most / 2);
        kept.sort_unstable();
        kept.extend(recent..self.len());
        kept
    }
}
