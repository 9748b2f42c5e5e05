//! Survivor selection: the feasible by front and crowding, then the infeasible by violation.

use std::cmp::Ordering;

use crate::pareto;
use crate::strategy::History;

/// The rank of a member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MemberRank {
    /// Total violation of the outcome constraints, 0 of a feasible member; infinite where not everything was measured.
    violation: f64,
    front: usize,
    crowding: f64,
}

impl MemberRank {
    pub(super) fn is_before(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Less
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_violation = self.violation.total_cmp(&other.violation);
        let by_front = by_violation.then(self.front.cmp(&other.front));
        by_front.then(other.crowding.total_cmp(&self.crowding))
    }
}

/// The best `size` of some observations, the best first; of equals those that were observed first.
pub(super) fn survivors(
    history: &History,
    members: Vec<usize>,
    size: usize,
) -> Vec<(usize, MemberRank)> {
    let violations = violations(history, &members);
    let unranked = |violation| MemberRank {
        violation,
        front: 0,
        crowding: 0.0,
    };
    let violations = violations.into_iter().map(unranked);
    let mut ranked: Vec<(usize, MemberRank)> = members.iter().copied().zip(violations).collect();
    rank(history, &mut ranked);
    ranked.sort_by(|a, b| a.1.compare(&b.1).then(a.0.cmp(&b.0)));
    ranked.truncate(size);
    ranked
}

/// Gives the feasible ones their fronts and how crowded they are there.
fn rank(history: &History, ranked: &mut [(usize, MemberRank)]) {
    let feasible = (0..ranked.len()).filter(|&i| ranked[i].1.violation == 0.0);
    let feasible: Vec<usize> = feasible.collect();
    let observed: Vec<usize> = feasible.iter().map(|&i| ranked[i].0).collect();
    let rows = history.rewards().select(&observed);
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
        let shares = members
            .iter()
            .map(|&i| exceeded(i, k) / members.len() as f64);
        let mean: f64 = shares.sum();
        if mean > 0.0 { mean } else { 1.0 }
    };
    let scales: Vec<f64> = (0..history.outcome_constraints()).map(scale).collect();
    let total = |i: usize| {
        let unknown = history.slacks(i).iter().any(|slack| slack.is_nan())
            || (0..history.objectives()).any(|k| history.reward(i, k).is_nan());
        let scales = scales.iter().enumerate();
        match unknown {
            true => f64::INFINITY,
            false => scales.map(|(k, scale)| exceeded(i, k) / scale).sum(),
        }
    };
    members.iter().map(|&i| total(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::Goals;

    fn history(measured: &[([f64; 2], f64)]) -> History {
        let mut goals = Goals::objectives(2);
        goals.slacks = 1;
        let mut history = History::with_goals(1, &goals);
        for (rewards, slack) in measured {
            history.push_measured(&[0.0], rewards, &[*slack]);
        }
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
        let order: Vec<usize> = found.iter().map(|(i, _)| *i).collect();
        assert_eq!(order, [1, 2, 3, 4, 5, 0, 6]);
        assert_eq!(survivors(&history(&measured), (0..7).collect(), 3).len(), 3);
    }
}
