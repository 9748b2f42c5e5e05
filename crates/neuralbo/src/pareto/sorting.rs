//! Fronts behind fronts, and how alone a row is on its front: the order by which NSGA-II selects (Deb et al. 2002).

use super::dominates;
use crate::linalg::Points;

/// The front on which each row lies: 0 for what nothing dominates, 1 for what only those dominate, and so on.
///
/// ```
/// use neuralbo::linalg::Points;
/// use neuralbo::pareto::ranks;
///
/// let rewards = Points::from_rows(2, [[1.0, 1.0], [3.0, 1.0], [2.0, 2.0], [0.0, 0.0]]);
/// assert_eq!(ranks(&rewards), [1, 0, 0, 2]);
/// ```
pub fn ranks(rewards: &Points) -> Vec<usize> {
    let count = rewards.len();
    let dominated = |i: usize| {
        let dominates = |j: &usize| dominates(rewards.row(i), rewards.row(*j));
        (0..count).filter(dominates).collect()
    };
    let dominated: Vec<Vec<usize>> = (0..count).map(dominated).collect();
    let mut dominators = vec![0usize; count];
    dominated.iter().flatten().for_each(|&j| dominators[j] += 1);
    let (mut ranks, mut rank) = (vec![0; count], 0);
    let mut front: Vec<usize> = (0..count).filter(|&i| dominators[i] == 0).collect();
    while !front.is_empty() {
        let mut next = Vec::new();
        for &i in &front {
            ranks[i] = rank;
            for &j in &dominated[i] {
                dominators[j] -= 1;
                if dominators[j] == 0 {
                    next.push(j);
                }
            }
        }
        (front, rank) = (next, rank + 1);
    }
    ranks
}

/// How far the neighbours of each row of a front are: over the objectives the mean distance from the one before to the one after, in
/// units of the front's range; infinite for the ends.
pub fn crowding(front: &Points) -> Vec<f64> {
    let mut distances = vec![0.0; front.len()];
    for k in 0..front.dim() {
        let mut order: Vec<usize> = (0..front.len()).collect();
        order.sort_by(|&i, &j| front.row(i)[k].total_cmp(&front.row(j)[k]).then(i.cmp(&j)));
        let (Some(&first), Some(&last)) = (order.first(), order.last()) else {
            return distances;
        };
        // Halves: the difference of finite numbers may not be finite.
        let half = |high: usize, low: usize| front.row(high)[k] / 2.0 - front.row(low)[k] / 2.0;
        let range = half(last, first);
        (distances[first], distances[last]) = (f64::INFINITY, f64::INFINITY);
        for around in order.windows(3) {
            if range > 0.0 {
                distances[around[1]] += half(around[2], around[0]) / range / front.dim() as f64;
            }
        }
    }
    distances
}
