//! Observations as the models see them.

use std::borrow::Cow;
use std::ops::Range;

use super::{FitError, Standardizer};
use crate::linalg::{Points, squared_distance};

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
    sds: Vec<f64>,
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
        assert_eq!(rows.len(), rewards.len(), "one reward per row");
        Self {
            rows,
            rewards,
            sds: Vec::new(),
        }
    }

    /// Appends an observation.
    pub fn push(&mut self, row: &[f64], reward: f64) {
        self.rows.push(row);
        self.rewards.push(reward);
        if !self.sds.is_empty() {
            self.sds.push(0.0);
        }
    }

    /// Marks the last reward as an estimate with this standard deviation, beside the noise that all rewards have.
    pub fn set_last_observation_sd(&mut self, sd: f64) {
        self.sds.resize(self.len(), 0.0);
        self.sds.last_mut().into_iter().for_each(|last| *last = sd);
    }

    /// Standard deviations of rewards that are estimates (the final values of pruned trials), 0 for the others; empty where
    /// none is.
    pub fn observation_sds(&self) -> &[f64] {
        &self.sds
    }

    /// Variances of all rewards as estimates, in standard units: 0 for those that are not.
    pub(super) fn noise_variances(&self, units: &Standardizer) -> Vec<f64> {
        let sds = self.sds.iter().map(|&sd| units.forward_sd(sd).powi(2));
        sds.chain(std::iter::repeat(0.0)).take(self.len()).collect()
    }

    /// The same observations in standard units.
    pub(super) fn in_units(&self, units: &Standardizer) -> Self {
        Self {
            rows: self.rows.clone(),
            rewards: units.forward_all(&self.rewards),
            sds: self.sds.iter().map(|&sd| units.forward_sd(sd)).collect(),
        }
    }

    /// An error where there is no reward, or one that is not finite.
    pub fn check_finite(&self) -> Result<(), FitError> {
        let mut rewards = self.rewards.iter().copied().enumerate();
        match rewards.find(|(_, reward)| !reward.is_finite()) {
            Some((index, value)) => Err(FitError::NotFinite { index, value }),
            None if self.is_empty() => Err(FitError::TooFewObservations {
                needed: 1,
                found: 0,
            }),
            None => Ok(()),
        }
    }

    /// The same observations with other rewards.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn with_rewards(&self, rewards: Vec<f64>) -> Self {
        assert_eq!(self.len(), rewards.len(), "one reward per row");
        Self {
            rewards,
            ..self.clone()
        }
    }

    /// The same observations at other rows, e.g. in other coordinates.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn with_rows(&self, rows: Points) -> Self {
        assert_eq!(self.len(), rows.len(), "one reward per row");
        Self {
            rows,
            rewards: self.rewards.clone(),
            sds: self.sds.clone(),
        }
    }

    fn sds_at(&self, places: impl Iterator<Item = usize>) -> Vec<f64> {
        places
            .filter_map(|place| self.sds.get(place).copied())
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
        Dataset {
            rows: self.rows.select(indices),
            rewards: indices.iter().map(|&i| self.rewards[i]).collect(),
            sds: self.sds_at(indices.iter().copied()),
        }
    }

    /// Whether the first observations are those of `beginning`, in the same order.
    pub fn begins_with(&self, beginning: &Dataset) -> bool {
        let sd = |data: &Dataset, i: usize| data.sds.get(i).copied().unwrap_or(0.0);
        self.rows.dim() == beginning.rows.dim()
            && self.rows.as_slice().starts_with(beginning.rows.as_slice())
            && self.rewards.starts_with(&beginning.rewards)
            && (0..beginning.len()).all(|i| sd(self, i) == sd(beginning, i))
    }

    /// The observations from the one with index `start` on.
    pub fn since(&self, start: usize) -> Cow<'_, Dataset> {
        match start {
            0 => Cow::Borrowed(self),
            _ => Cow::Owned(self.range(start..self.len())),
        }
    }

    /// The first `len` observations.
    pub fn prefix(&self, len: usize) -> Dataset {
        self.range(0..len)
    }

    fn range(&self, range: Range<usize>) -> Dataset {
        Dataset {
            rows: self.rows.slice(range.clone()),
            rewards: self.rewards[range.clone()].to_vec(),
            sds: self.sds_at(range),
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
    /// assert_eq!(data.best_and_recent(4), [1, 3, 6, 7]);
    /// assert_eq!(data.best_and_recent(8).len(), 8);
    /// ```
    pub fn best_and_recent(&self, most: usize) -> Vec<usize> {
        best_and_recent(&self.rewards, most)
    }

    /// The `size` observations nearest to `center`, in the order they were made.
    pub(crate) fn nearest(&self, center: &[f64], size: usize) -> Dataset {
        self.nearest_by(size, |row| squared_distance(row, center))
    }

    /// The `size` observations of the smallest distance, in the order they were made.
    pub(crate) fn nearest_by(&self, size: usize, distance: impl Fn(&[f64]) -> f64) -> Dataset {
        match self.len() <= size {
            true => self.clone(),
            false => self.select(&nearest_indices(&self.rows, size, distance)),
        }
    }

    /// Root mean square distance from `center` in a coordinate.
    pub(crate) fn spread(&self, center: &[f64]) -> f64 {
        let squares = self.rows.rows().map(|row| squared_distance(row, center));
        (squares.sum::<f64>() / (self.len() * center.len()).max(1) as f64).sqrt()
    }

    /// The rows of the `count` largest rewards, the largest first and the first of equals before the others.
    pub(crate) fn best_rows(&self, count: usize) -> Points {
        let rewards = &self.rewards;
        let by_reward = |&a: &usize, &b: &usize| rewards[b].total_cmp(&rewards[a]).then(a.cmp(&b));
        let mut order: Vec<usize> = (0..rewards.len()).collect();
        if order.len() > count && count > 0 {
            order.select_nth_unstable_by(count - 1, by_reward);
        }
        order.truncate(count);
        order.sort_by(by_reward);
        self.rows.select(&order)
    }
}

/// [`Dataset::best_and_recent`] of rewards.
pub(super) fn best_and_recent(rewards: &[f64], most: usize) -> Vec<usize> {
    if rewards.len() <= most {
        return (0..rewards.len()).collect();
    }
    let recent = rewards.len() - most / 2;
    let mut kept: Vec<usize> = (0..recent).collect();
    kept.sort_by(|&a, &b| rewards[b].total_cmp(&rewards[a]).then(a.cmp(&b)));
    kept.truncate(most - most / 2);
    kept.sort_unstable();
    kept.extend(recent..rewards.len());
    kept
}

/// The indices of the `size` rows of the smallest distance, in their order.
pub(crate) fn nearest_indices(
    rows: &Points,
    size: usize,
    distance: impl Fn(&[f64]) -> f64,
) -> Vec<usize> {
    if rows.len() <= size {
        return (0..rows.len()).collect();
    }
    let mut order: Vec<(f64, usize)> = rows.rows().map(distance).zip(0..).collect();
    order.select_nth_unstable_by(size - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<usize> = order[..size].iter().map(|(_, i)| *i).collect();
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_kept_in_their_order() {
        let rows = Points::from_rows(1, (0..10).map(|i| [f64::from(i) / 10.0]));
        let data = Dataset::from_parts(rows, vec![0.0; 10]);
        assert_eq!(data.nearest(&[0.32], 3).rows().as_slice(), [0.2, 0.3, 0.4]);
        assert_eq!(data.nearest(&[0.32], 10), data);
    }

    #[test]
    fn best_rows_are_in_order() {
        let rows = Points::from_rows(1, (0..5).map(|i| [f64::from(i)]));
        let data = Dataset::from_parts(rows, vec![3.0, 9.0, 1.0, 9.0, 5.0]);
        assert_eq!(data.best_rows(3).as_slice(), [1.0, 3.0, 4.0]);
        assert_eq!(data.best_rows(9).len(), 5);
        assert!(data.best_rows(0).is_empty());
    }

    #[test]
    fn the_spread_is_that_of_one_coordinate() {
        let rows = Points::from_rows(2, [[1.0, 2.0], [3.0, 2.0]]);
        // Squared differences 0, 1, 4 and 1 over two rows of two coordinates.
        let data = Dataset::from_parts(rows, vec![0.0; 2]);
        assert_eq!(data.spread(&[1.0, 1.0]), 1.5f64.sqrt());
        assert_eq!(Dataset::new(2).spread(&[1.0, 1.0]), 0.0);
    }
}
