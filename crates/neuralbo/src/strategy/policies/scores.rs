//! Scores of observations under outcome constraints: feasible ones by reward, above all others by
//! the size of their violation.

use std::borrow::Cow;

use super::constants::UNKNOWN_VIOLATION;
use crate::strategy::History;
use crate::surrogate::Dataset;

/// The observations with a score each in place of the reward: the reward itself where all outcome
/// constraints hold; elsewhere below every feasible observation, the lower the larger the
/// violation. Without outcome constraints the observations themselves.
pub(crate) fn scored(history: &History) -> Cow<'_, Dataset> {
    if history.constraints() == 0 {
        return Cow::Borrowed(history.observed());
    }
    let observed = history.observed();
    let rewards = observed.rewards();
    let units = units(history);
    let (mut least, mut best) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in (0..rewards.len()).filter(|&i| history.is_feasible(i)) {
        (least, best) = (rewards[i].min(least), rewards[i].max(best));
    }
    let (floor, unit) = if least > best {
        (0.0, 1.0)
    } else {
        (least, if best > least { best - least } else { 1.0 })
    };
    let score = |i: usize| match history.is_feasible(i) {
        true => rewards[i],
        // A violation counts even where it is lost in the rounding of large rewards.
        false => (floor - unit * violation(history.slacks(i), &units)).min(floor.next_down()),
    };
    Cow::Owned(observed.with_rewards((0..rewards.len()).map(score).collect()))
}

/// The usual violation of each slack: the median of those seen, 1 where there are none.
pub(super) fn units(history: &History) -> Vec<f64> {
    let seen = |j: usize| {
        (0..history.observed().len())
            .map(move |i| -history.slacks(i)[j])
            .filter(|violation| *violation > 0.0)
    };
    let median = |j: usize| {
        let mut violations: Vec<f64> = seen(j).collect();
        violations.sort_by(f64::total_cmp);
        violations.get(violations.len() / 2).copied().unwrap_or(1.0)
    };
    (0..history.constraints()).map(median).collect()
}

/// The sum of all violations, each in units of its own.
fn violation(slacks: &[f64], units: &[f64]) -> f64 {
    let missed = |(slack, unit): (&f64, &f64)| {
        if slack.is_nan() {
            UNKNOWN_VIOLATION
        } else {
            (-slack / unit).max(0.0)
        }
    };
    slacks
        .iter()
        .zip(units)
        .map(missed)
        .sum::<f64>()
        .min(f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::Goals;

    fn history(measured: &[(f64, [f64; 2])]) -> History {
        let mut history = History::with_goals(
            1,
            &Goals {
                slacks: 2,
                ..Goals::default()
            },
        );
        measured
            .iter()
            .for_each(|(reward, slacks)| history.push_measured(&[0.0], &[*reward], slacks));
        history
    }

    #[test]
    fn feasible_ones_keep_their_rewards_and_all_others_are_worse() {
        let history = history(&[
            (5.0, [1.0, 0.0]),
            (90.0, [-2.0, 1.0]),
            (7.0, [0.0, 0.5]),
            (99.0, [-4.0, -1.0]),
        ]);
        let scores = scored(&history);
        assert_eq!((scores.rewards()[0], scores.rewards()[2]), (5.0, 7.0));
        // Units 4 and 1 (upper medians), range 2: 5 − 2·2/4 and 5 − 2·(4/4 + 1).
        assert_eq!((scores.rewards()[1], scores.rewards()[3]), (4.0, 1.0));
    }

    #[test]
    fn without_a_feasible_one_the_least_violation_is_best() {
        let history = history(&[
            (5.0, [-1e9, 1.0]),
            (9.0, [-1e9, -3.0]),
            (1.0, [f64::NAN, 1.0]),
        ]);
        let scores = scored(&history);
        assert_eq!(scores.rewards(), [-1.0, -2.0, -1.0]);
        assert_eq!(scores.best(), Some(0));
    }

    #[test]
    fn rewards_of_any_size_keep_the_order() {
        let history = history(&[(-1e300, [1.0, 1.0]), (1e300, [-1e-300, 1.0])]);
        let scores = scored(&history);
        assert!(scores.rewards()[1] < scores.rewards()[0] && scores.rewards()[1].is_finite());
    }
}
