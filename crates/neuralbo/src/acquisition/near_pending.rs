//! How near a row is to evaluations that are running, against those that have finished.
//!
//! Symbols: `R` the summed weight of running rows at `x`, `F` that of finished rows plus the prior, `p = R / (R + F)`,
//! `k_i(x) = exp(−‖x − x_i‖² / 2ℓ_i²)` the weight of row `i`, `ℓ_i` its reach: half its distance to the nearest row of the other
//! kind.

use super::Probability;
use crate::linalg::{Points, squared_distance};

/// Weight of what is known nowhere.
const PRIOR: f64 = 0.5;
/// Longest and shortest reach, in units of the half-diagonal `√d` of the encoded box.
const REACH: std::ops::RangeInclusive<f64> = 1e-4..=0.25;
/// Finished rows that are kept, the most recent ones: bounds the cost whatever the number of trials.
const KEPT: usize = 256;

/// The chance that an evaluation would tell what a running one is about to tell.
///
/// ```
/// use neuralbo::acquisition::{Probability, NearPending};
/// use neuralbo::linalg::Points;
///
/// let crowding = NearPending::new(&Points::from_rows(1, [[0.8]]), &Points::from_rows(1, [[-0.5]]));
/// let at = crowding.probabilities(&Points::from_rows(1, [[0.8], [-0.5]]));
/// assert!(at[0] > 0.6 && at[1] < 0.1);
/// ```
#[derive(Clone, Debug)]
pub struct NearPending {
    running: Votes,
    finished: Votes,
}

#[derive(Clone, Debug)]
struct Votes {
    rows: Points,
    precision: Vec<f64>,
}

impl NearPending {
    /// From the rows of running and of finished trials.
    pub fn new(running: &Points, finished: &Points) -> Self {
        let (running, finished) = (running.last(KEPT), finished.last(KEPT));
        Self {
            running: Votes::new(&running, &finished),
            finished: Votes::new(&finished, &running),
        }
    }

    fn weights(&self, x: &[f64]) -> (f64, f64) {
        (self.running.weight(x), self.finished.weight(x) + PRIOR)
    }
}

impl Probability for NearPending {
    fn probabilities(&self, rows: &Points) -> Vec<f64> {
        let chance = |(near, far): (f64, f64)| near / (near + far);
        rows.rows().map(|x| chance(self.weights(x))).collect()
    }

    fn probabilities_with_gradient(&self, rows: &Points) -> (Vec<f64>, Points) {
        let mut gradient = Points::zeros(rows.dim(), rows.len());
        let mut chance = |(i, x): (usize, &[f64])| {
            let (near, far) = self.weights(x);
            let total = near + far;
            // ∇p = (F ∇R − R ∇F) / (R + F)²
            self.running
                .add_gradient(x, far / (total * total), gradient.row_mut(i));
            self.finished
                .add_gradient(x, -near / (total * total), gradient.row_mut(i));
            near / total
        };
        let chances = rows.rows().enumerate().map(&mut chance).collect();
        (chances, gradient)
    }
}

impl Votes {
    /// With `1/ℓ²` of each row from its distance to the nearest of `others`.
    fn new(rows: &Points, others: &Points) -> Self {
        let half_diagonal = (rows.dim().max(1) as f64).sqrt();
        let (shortest, longest) = (REACH.start() * half_diagonal, REACH.end() * half_diagonal);
        let reach = |row: &[f64]| {
            let squares = others.rows().map(|other| squared_distance(row, other));
            let nearest = squares.fold(f64::INFINITY, f64::min).sqrt();
            (0.5 * nearest).clamp(shortest, longest)
        };
        Self {
            rows: rows.clone(),
            precision: rows.rows().map(|row| reach(row).powi(-2)).collect(),
        }
    }

    fn weight(&self, x: &[f64]) -> f64 {
        let weight = |(row, p): (&[f64], &f64)| (-0.5 * p * squared_distance(x, row)).exp();
        self.rows.rows().zip(&self.precision).map(weight).sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::testing::assert_avoiding_gradient;

    fn chance(crowding: &NearPending, x: f64) -> f64 {
        crowding.probabilities(&Points::from_rows(1, [[x]]))[0]
    }

    #[test]
    fn only_the_neighbourhood_of_a_running_trial_is_crowded() {
        let crowding = NearPending::new(&Points::from_rows(1, [[0.9]]), &Points::new(1));
        assert!(chance(&crowding, -0.9) < 1e-6 && chance(&crowding, 0.9) > 0.6);
    }

    #[test]
    fn a_running_trial_among_finished_ones_keeps_others_from_itself_alone() {
        let finished = Points::from_rows(1, [[0.45], [0.55]]);
        let crowding = NearPending::new(&Points::from_rows(1, [[0.5]]), &finished);
        assert!(chance(&crowding, 0.5) > 0.5 && chance(&crowding, 0.45) < 0.15);
    }

    #[test]
    fn gradient_agrees_with_differences() {
        let running = Points::from_rows(2, [[0.1, 0.2], [0.5, 0.5]]);
        let finished = Points::from_rows(2, [[-0.3, 0.2], [0.4, -0.6]]);
        assert_avoiding_gradient(NearPending::new(&running, &finished), 1e-6);
    }

    #[test]
    fn only_the_most_recent_rows_are_kept() {
        let many = Points::from_rows(1, (0..10_000).map(|i| [f64::from(i) / 10_000.0]));
        let crowding = NearPending::new(&many, &many);
        let kept = (crowding.running.rows.len(), crowding.finished.rows.len());
        assert_eq!(kept, (KEPT, KEPT));
        assert_eq!(crowding.running.rows.row(KEPT - 1), many.row(9_999));
    }
}
