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
mod reference;
mod sorting;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use hypervolume::{contributions, history, hypervolume, hypervolume_within, improvement};
pub use reference::reference_point;
pub use sorting::{crowding, ranks};

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
