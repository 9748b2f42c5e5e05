//! Several objectives: dominance, the Pareto front, and the hypervolume by which fronts are compared.
//!
//! Everything here works on *rewards* (larger is better), one row a trial, one column an objective.
//!
//! | word | meaning |
//! | --- | --- |
//! | covers | at least as good in every objective |
//! | dominates | covers, and better in at least one |
//! | front | what nothing else covers; the first of equals |
//! | reference point | the corner from which the hypervolume is measured: worse than what is worth having |
//! | hypervolume | volume of what the front covers and what covers the reference point |

mod hypervolume;
#[cfg(test)]
mod tests;

pub use hypervolume::{contributions, history, hypervolume, hypervolume_within, improvement};

use crate::linalg::Points;

/// The hypervolume of a study's Pareto front.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hypervolume {
    /// The reference point, one value an objective, in the user's units.
    pub reference: Vec<f64>,
    /// The volume between the front and the reference point; `None` if it would take more than
    /// [`limits::VOLUME_STEPS`](crate::limits::VOLUME_STEPS) comparisons, a second or so.
    pub value: Option<f64>,
}

/// Whether `a` is at least as good as `b` in every objective; never of rewards that are not numbers.
///
/// ```
/// use neuralbo::pareto::{covers, dominates};
///
/// assert!(covers(&[1.0, 2.0], &[1.0, 2.0]) && !dominates(&[1.0, 2.0], &[1.0, 2.0]));
/// assert!(dominates(&[1.0, 3.0], &[1.0, 2.0]) && !covers(&[0.0, 3.0], &[1.0, 2.0]));
/// ```
pub fn covers(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a >= b)
}

/// Whether `a` is at least as good as `b` in every objective and better in at least one.
pub fn dominates(a: &[f64], b: &[f64]) -> bool {
    covers(a, b) && a != b
}

/// The indices of the Pareto front in their order, the first of equal rows; rows with a reward that is not a number are left out.
///
/// ```
/// use neuralbo::linalg::Points;
/// use neuralbo::pareto::front;
///
/// let rewards = Points::from_rows(2, [[3.0, 1.0], [2.0, 2.0], [2.0, 1.5], [1.0, 3.0], [1.0, 3.0]]);
/// assert_eq!(front(&rewards), [0, 1, 3]);
/// ```
pub fn front(rewards: &Points) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rewards.len())
        .filter(|&i| !rewards.row(i).iter().any(|r| r.is_nan()))
        .collect();
    // Whatever covers a row comes before it in this order.
    order.sort_by(|&i, &j| lexicographic(rewards.row(j), rewards.row(i)).then(i.cmp(&j)));
    let mut kept: Vec<usize> = Vec::new();
    for i in order {
        if !kept.iter().any(|&k| covers(rewards.row(k), rewards.row(i))) {
            kept.push(i);
        }
    }
    kept.sort_unstable();
    kept
}

fn lexicographic(a: &[f64], b: &[f64]) -> std::cmp::Ordering {
    let differing = a.iter().zip(b).find(|(a, b)| a != b);
    differing.map_or(std::cmp::Ordering::Equal, |(a, b)| a.total_cmp(b))
}

/// How far beyond the worst of the front an inferred reference point lies, as a part of the front's range.
const BEYOND: f64 = 0.1;

/// The reference point as given, and where it is not: in each objective the worst reward of the front, made worse by a tenth of
/// the front's range; by a tenth of its size where the range is 0. `None` of an empty front that has to be asked.
///
/// ```
/// use neuralbo::linalg::Points;
/// use neuralbo::pareto::reference_point;
///
/// let front = Points::from_rows(2, [[0.0, 5.0], [10.0, 5.0]]);
/// assert_eq!(reference_point(&front, &[None, None]), Some(vec![-1.0, 4.5]));
/// assert_eq!(reference_point(&front, &[Some(-7.0), None]), Some(vec![-7.0, 4.5]));
/// assert_eq!(reference_point(&Points::new(2), &[None, None]), None);
/// ```
pub fn reference_point(front: &Points, given: &[Option<f64>]) -> Option<Vec<f64>> {
    let corner = |(k, given): (usize, &Option<f64>)| given.or_else(|| inferred(front, k));
    given.iter().enumerate().map(corner).collect()
}

fn inferred(front: &Points, objective: usize) -> Option<f64> {
    let rewards = || front.rows().map(|row| row[objective]);
    let worst = rewards().reduce(f64::min)?;
    // Half the values first: the range of finite numbers may not be finite.
    let half = rewards().fold(worst, f64::max) / 2.0 - worst / 2.0;
    let size = if worst == 0.0 { 1.0 } else { worst.abs() };
    let step = match half > 0.0 {
        true => 2.0 * BEYOND * half,
        false => BEYOND * size,
    };
    Some((worst - step).max(-f64::MAX))
}

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
