//! Survivor selection: the feasible by front and crowding, then the infeasible by violation.

use std::cmp::Ordering;

use crate::linalg::Points;
use crate::pareto;
use crate::strategy::History;

/// The rank of a member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rank {
    /// Total violation of the outcome constraints, 0 of a feasible member; infinite where not everything was measured.
    violation: f64,
    front: usize,
    crowding: f64,
}

impl Rank {
    pub(super) fn is_before(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Less
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_front = self
            .front
            .cmp(&other.front)
            .then(other.crowding.total_cmp(&self.crowding));
        self.violation.total_cmp(&other.violation).then(by_front)
    }
}

/// The best `size` of some observations, the best first; of equals those that were observed first.
pub(super) fn survivors(history: &History, members: Vec<usize>, size: usize) -> Vec<(usize, Rank)> {
    let violations = violations(history, &members);
    let mut ranked: Vec<(usize, Rank)> = members
        .iter()
        .zip(violations)
        .map(|(&i, violation)| {
            (
                i,
                Rank {
                    violation,
                    front: 0,
                    crowding: 0.0,
                },
            )
        })
        .collect();
    rank(history, &mut ranked);
    ranked.sort_by(|a, b| a.1.compare(&b.1).then(a.0.cmp(&b.0)));
    ranked.truncate(size);
    ranked
}

/// Gives the feasible ones their fronts and how crowded they are there.
fn rank(history: &History, ranked: &mut [(usize, Rank)]) {
    let feasible: Vec<usize> = (0..ranked.len())
        .filter(|&place| ranked[place].1.violation == 0.0)
        .collect();
    let rewards = |i: usize| -> Vec<f64> {
        (0..history.objectives())
            .map(|k| history.reward(i, k))
            .collect()
    };
    let rows = Points::from_rows(
        history.objectives(),
        feasible.iter().map(|&place| rewards(ranked[place].0)),
    );
    let ranks = pareto::ranks(&rows);
    for rank in 0..ranks.iter().map(|rank| rank + 1).max().unwrap_or(0) {
        let front: Vec<usize> = (0..ranks.len()).filter(|&i| ranks[i] == rank).collect();
        for (&i, crowding) in front.iter().zip(pareto::crowding(&rows.select(&front))) {
            let member = &mut ranked[feasible[i]].1;
            (member.front, member.crowding) = (rank, crowding);
        }
    }
}

/// The sum of how far each bound is exceeded, in units of the mean of what the members exceed it by.
fn violations(history: &History, members: &[usize]) -> Vec<f64> {
    let exceeded = |i: usize, k: usize| (-history.slacks(i)[k]).max(0.0);
    let scale = |k: usize| {
        // Divided first: the sum of finite numbers may not be finite.
        let mean = members
            .iter()
            .map(|&i| exceeded(i, k) / members.len() as f64)
            .sum::<f64>();
        if mean > 0.0 { mean } else { 1.0 }
    };
    let scales: Vec<f64> = (0..history.constraints()).map(scale).collect();
    let total = |i: usize| {
        let unknown = history.slacks(i).iter().any(|slack| slack.is_nan())
            || (0..history.objectives()).any(|k| history.reward(i, k).is_nan());
        if unknown {
            f64::INFINITY
        } else {
            scales
                .iter()
                .enumerate()
                .map(|(k, scale)| exceeded(i, k) / scale)
                .sum()
        }
    };
    members.iter().map(|&i| total(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::Goals;

    fn history(measured: &[([f64; 2], f64)]) -> History {
        let mut history = History::with_goals(
            1,
            &Goals {
                slacks: 1,
                ..Goals::objectives(2)
            },
        );
        measured
            .iter()
            .for_each(|(rewards, slack)| history.push_measured(&[0.0], rewards, &[*slack]));
        history
    }

    #[test]
    fn fronts_come_before_crowding_and_the_feasible_before_the_rest() {
        let measured = [
            ([9.0, 9.0], -2.0),
            ([1.0, 0.0], 0.0),
            ([0.0, 1.0], 0.0),
            ([0.5, 0.6], 0.0),
            ([0.4, 0.5], 1.0),
            ([9.0, 9.0], -1.0),
            ([9.0, f64::NAN], 1.0),
        ];
        let found = survivors(&history(&measured), (0..7).collect(), 7);
        assert_eq!(
            found.iter().map(|(i, _)| *i).collect::<Vec<_>>(),
            [1, 2, 3, 4, 5, 0, 6]
        );
        assert_eq!(survivors(&history(&measured), (0..7).collect(), 3).len(), 3);
    }
}
