//! What repeated evaluations of a point say about noise, as a fold over the observations.
//!
//! A model can mistake ripples of a function for noise, and noise for ripples. Two evaluations of
//! one point cannot be mistaken: where the model sees noise and no point was evaluated twice, the
//! best one is. Equal values tell a function from noise unless other points have that value also,
//! as with an objective that counts.

use std::collections::HashMap;

use super::model::admissible;
use crate::acquisition::maximize::row_fingerprint;
use crate::space::{Coordinate, Space};
use crate::strategy::History;
use crate::surrogate::Dataset;

/// The fold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Replicates {
    /// The first observation of every point.
    first: HashMap<u128, usize>,
    seen: usize,
    pairs: usize,
    /// Sum of the squared differences of all pairs.
    squares: f64,
}

impl Replicates {
    /// Takes in the observations made since the last call.
    pub(in super::super) fn update(&mut self, data: &Dataset) {
        let is_estimate = |i: usize| data.observation_sds().get(i).is_some_and(|sd| *sd > 0.0);
        for i in (self.seen..data.len()).filter(|&i| !is_estimate(i)) {
            let print = row_fingerprint(data.rows().row(i));
            let first = *self.first.entry(print).or_insert(i);
            if first != i && !is_tie(data, first, i) {
                self.pairs += 1;
                self.squares += (data.rewards()[i] - data.rewards()[first]).powi(2);
            }
        }
        self.seen = data.len();
    }

    /// Variance of the noise; `None` where no point was evaluated again.
    pub(in super::super) fn variance(&self) -> Option<f64> {
        (self.pairs > 0).then(|| 0.5 * self.squares / self.pairs as f64)
    }

    /// The row of the best score, where a second evaluation of it would decide: not in a finite
    /// space, whose points are evaluated once, not where a repetition has failed, and not beyond the
    /// space, where earlier trials may lie.
    pub(super) fn wanted<'a>(
        &self,
        space: &Space,
        history: &History,
        data: &'a Dataset,
    ) -> Option<&'a [f64]> {
        let continuous = space.coordinates().contains(&Coordinate::Continuous);
        let best = data.best().filter(|_| continuous && self.pairs == 0)?;
        let reward = data.rewards()[best];
        let alone = data.rewards().iter().filter(|r| **r == reward).count() == 1;
        let row = data.rows().row(best);
        let failed = history.failed().rows().any(|failed| failed == row);
        let may_run = admissible(space, row.to_vec()) == row;
        (alone && !failed && may_run).then_some(row)
    }
}

/// Whether two equal rewards of one point are those of another point also.
fn is_tie(data: &Dataset, first: usize, second: usize) -> bool {
    let (rows, rewards) = (data.rows(), data.rewards());
    let elsewhere = |i: usize| rewards[i] == rewards[first] && rows.row(i) != rows.row(first);
    rewards[first] == rewards[second] && (0..second).any(elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::tests::parse;

    fn history(observed: &[(f64, f64)]) -> History {
        let mut history = History::new(1);
        for (x, reward) in observed {
            history.push_observed(&[*x], *reward);
        }
        history
    }

    fn replicates(history: &History) -> Replicates {
        let mut replicates = Replicates::default();
        replicates.update(history.observed());
        replicates
    }

    fn variance(observed: &[(f64, f64)]) -> Option<f64> {
        replicates(&history(observed)).variance()
    }

    #[test]
    fn half_the_mean_squared_difference_is_the_variance() {
        assert_eq!(variance(&[(0.1, 1.0), (0.2, 4.0)]), None);
        assert_eq!(variance(&[(0.1, 1.0), (0.2, 4.0), (0.1, 1.0)]), Some(0.0));
        let two = [(0.1, 1.0), (0.2, 4.0), (0.1, 3.0), (0.2, 4.0)];
        assert_eq!(variance(&two), Some(1.0));
    }

    #[test]
    fn a_value_of_several_points_proves_nothing_when_it_returns() {
        assert_eq!(variance(&[(0.1, 1.0), (0.2, 1.0), (0.1, 1.0)]), None);
        let flips = [(0.1, 1.0), (0.2, 1.0), (0.1, 1.0), (0.1, 0.0)];
        assert_eq!(variance(&flips), Some(0.5));
    }

    #[test]
    fn an_extrapolated_value_is_no_evaluation() {
        let mut history = history(&[(0.1, 1.0), (0.1, 2.0)]);
        history.set_last_observation_sd(0.3);
        assert_eq!(replicates(&history).variance(), None);
    }

    #[test]
    fn growing_step_by_step_is_the_same_fold() {
        let all = [(0.1, 1.0), (0.2, 4.0), (0.1, 3.0), (0.2, 4.0), (0.2, 5.0)];
        let mut stepwise = Replicates::default();
        for known in 1..=all.len() {
            stepwise.update(history(&all[..known]).observed());
        }
        assert_eq!(stepwise, replicates(&history(&all)));
    }

    #[test]
    fn the_best_point_is_wanted_once_where_its_value_is_its_own() {
        let space = parse("x=float(0,1)");
        let wanted = |space: &Space, history: &History| {
            let row = replicates(history).wanted(space, history, history.observed())?;
            Some(row[0])
        };
        let mut known = history(&[(0.1, 1.0), (0.2, 4.0)]);
        assert_eq!(wanted(&space, &known), Some(0.2));
        assert_eq!(wanted(&parse("x=int(0,9)"), &known), None);
        assert_eq!(wanted(&space, &history(&[(0.1, 4.0), (0.2, 4.0)])), None);
        known.push_failed(&[0.2]);
        assert_eq!(wanted(&space, &known), None);
        let both = history(&[(0.1, 1.0), (0.2, 4.0), (0.2, 4.5)]);
        assert_eq!(wanted(&space, &both), None);
        let beyond = history(&[(0.1, 1.0), (1.7, 4.0)]);
        assert_eq!(wanted(&space, &beyond), None);
    }
}
