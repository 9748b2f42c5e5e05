//! Where evaluations fail, estimated from where they failed and where they did not.
//!
//! Symbols: `F` the summed weight of failed rows at `x`, `S` that of successful rows plus the prior, `p = F / (F + S)`,
//! `k_i(x) = exp(−‖x − x_i‖² / 2ℓ_i²)` the weight of row `i`, `ℓ_i` its reach.
//!
//! The reach of a row is half its distance to the nearest row of the other kind: a failure deep in a failing region speaks for
//! much of it, one beside a success only for itself. The estimate is thus a smooth nearest-neighbour vote that sharpens along
//! the border as trials accumulate there.

use crate::linalg::{Points, squared_distance};
use crate::surrogate::Function;

/// Weight of the belief that an evaluation succeeds where nothing is known.
const PRIOR_SUCCESS: f64 = 0.5;
/// Longest and shortest reach, in units of the half-diagonal `√d` of the encoded box.
const REACH: std::ops::RangeInclusive<f64> = 1e-4..=0.25;
/// Rows of each kind that are kept, the most recent ones: bounds the cost whatever the number of trials.
const KEPT: usize = 256;

/// A smooth probability of failure.
///
/// ```
/// use neuralbo::acquisition::Feasibility;
/// use neuralbo::linalg::Points;
///
/// let failed = Points::from_rows(1, [[0.8]]);
/// let succeeded = Points::from_rows(1, [[-0.5]]);
/// let map = Feasibility::new(&failed, &succeeded);
/// assert!(map.failure(&[0.8]) > 0.6);
/// assert!(map.failure(&[-0.5]) < 0.1);
/// ```
#[derive(Clone, Debug)]
pub struct Feasibility {
    failed: Votes,
    succeeded: Votes,
}

#[derive(Clone, Debug)]
struct Votes {
    rows: Points,
    precision: Vec<f64>,
}

impl Feasibility {
    /// From the rows of failed and of successful trials, in the order they finished.
    pub fn new(failed: &Points, succeeded: &Points) -> Self {
        let (failed, succeeded) = (most_recent(failed), most_recent(succeeded));
        let (failed_precision, succeeded_precision) = (precisions(&failed, &succeeded), precisions(&succeeded, &failed));
        Self {
            failed: Votes { rows: failed, precision: failed_precision },
            succeeded: Votes { rows: succeeded, precision: succeeded_precision },
        }
    }

    /// Probability that an evaluation at `x` fails.
    pub fn failure(&self, x: &[f64]) -> f64 {
        let (against, with) = (self.failed.weight(x), self.succeeded.weight(x) + PRIOR_SUCCESS);
        against / (against + with)
    }

    /// The same, adding `scale · ∇p` to `gradient`.
    fn failure_with_gradient(&self, x: &[f64], scale: f64, gradient: &mut [f64]) -> f64 {
        let (against, with) = (self.failed.weight(x), self.succeeded.weight(x) + PRIOR_SUCCESS);
        let total = against + with;
        // ∇p = (S ∇F − F ∇S) / (F + S)²
        self.failed.add_gradient(x, scale * with / (total * total), gradient);
        self.succeeded.add_gradient(x, -scale * against / (total * total), gradient);
        against / total
    }
}

impl Votes {
    fn weight(&self, x: &[f64]) -> f64 {
        self.rows.rows().zip(&self.precision).map(|(row, p)| (-0.5 * p * squared_distance(x, row)).exp()).sum()
    }

    fn add_gradient(&self, x: &[f64], scale: f64, gradient: &mut [f64]) {
        for (row, precision) in self.rows.rows().zip(&self.precision) {
            let factor = -scale * precision * (-0.5 * precision * squared_distance(x, row)).exp();
            for ((slot, a), b) in gradient.iter_mut().zip(x).zip(row) {
                *slot += factor * (a - b);
            }
        }
    }
}

fn most_recent(rows: &Points) -> Points {
    rows.slice(rows.len().saturating_sub(KEPT)..rows.len())
}

/// `1/ℓ²` of each row, from its distance to the nearest of `others`.
fn precisions(rows: &Points, others: &Points) -> Vec<f64> {
    let half_diagonal = (rows.dim().max(1) as f64).sqrt();
    let reach = |row: &[f64]| {
        let nearest = others.rows().map(|other| squared_distance(row, other)).fold(f64::INFINITY, f64::min).sqrt();
        (0.5 * nearest).clamp(REACH.start() * half_diagonal, REACH.end() * half_diagonal)
    };
    rows.rows().map(|row| reach(row).powi(-2)).collect()
}

/// `inner(x) − penalty · p(x)`: steers a search away from where evaluations fail.
pub struct AvoidFailures {
    /// The acquisition to steer.
    pub inner: Box<dyn Function>,
    /// Where evaluations fail.
    pub feasibility: Feasibility,
    /// What a certain failure costs, in the units of `inner`.
    pub penalty: f64,
}

impl Function for AvoidFailures {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let mut values = self.inner.value(rows);
        for (value, row) in values.iter_mut().zip(rows.rows()) {
            *value -= self.penalty * self.feasibility.failure(row);
        }
        values
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let (mut values, mut gradient) = self.inner.value_and_gradient(rows)?;
        for (i, (value, row)) in values.iter_mut().zip(rows.rows()).enumerate() {
            *value -= self.penalty * self.feasibility.failure_with_gradient(row, -self.penalty, gradient.row_mut(i));
        }
        Some((values, gradient))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::testing::{Closure, assert_gradient};

    /// A grid on [-1, 1]² whose right half fails.
    fn right_half_fails() -> Feasibility {
        let grid = (0..100).map(|i| [(i % 10) as f64 / 4.5 - 1.0, (i / 10) as f64 / 4.5 - 1.0]);
        let (failed, succeeded): (Vec<_>, Vec<_>) = grid.partition(|x| x[0] > 0.0);
        Feasibility::new(&Points::from_rows(2, failed), &Points::from_rows(2, succeeded))
    }

    #[test]
    fn nothing_known_means_success() {
        let map = Feasibility::new(&Points::from_rows(1, [[0.9]]), &Points::new(1));
        assert!(map.failure(&[-0.9]) < 1e-6);
        assert_eq!(Feasibility::new(&Points::new(1), &Points::from_rows(1, [[0.1]])).failure(&[0.1]), 0.0);
    }

    #[test]
    fn learns_a_failing_half() {
        let map = right_half_fails();
        for y in [-0.8, -0.05, 0.6] {
            assert!(map.failure(&[0.7, y]) > 0.8 && map.failure(&[-0.7, y]) < 0.1, "at height {y}");
        }
    }

    #[test]
    fn a_failure_beside_successes_speaks_only_for_itself() {
        let succeeded = Points::from_rows(1, [[0.45], [0.55]]);
        let map = Feasibility::new(&Points::from_rows(1, [[0.5]]), &succeeded);
        assert!(map.failure(&[0.5]) > 0.5 && map.failure(&[0.45]) < 0.15);
    }

    #[test]
    fn gradient_agrees_with_differences() {
        let slope = Closure { value: |x: &[f64]| x[0] - 2.0 * x[1], gradient: Some(|_: &[f64]| vec![1.0, -2.0]) };
        let steered = AvoidFailures { inner: Box::new(slope), feasibility: right_half_fails(), penalty: 3.0 };
        for x in [[0.05, 0.3], [-0.2, -0.9], [0.6, 0.6]] {
            assert_gradient(&steered, &x, 1e-6);
        }
    }

    #[test]
    fn only_the_most_recent_rows_are_kept() {
        let many = Points::from_rows(1, (0..10_000).map(|i| [i as f64 / 10_000.0]));
        let map = Feasibility::new(&many, &many);
        assert_eq!((map.failed.rows.len(), map.succeeded.rows.len()), (KEPT, KEPT));
        assert_eq!(map.failed.rows.row(KEPT - 1), many.row(9_999));
    }
}
