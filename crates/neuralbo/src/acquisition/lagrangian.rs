//! The augmented Lagrangian of a function to be maximized under constraints (Hestenes 1969, Powell 1969, Rockafellar 1973).
//!
//! Symbols: `f` the objective in units of `unit`, `z_j = (c_j − margin_j) / unit_j` the slacks, `λ_j ≥ 0` their multipliers, `μ` the
//! stiffness:
//!
//! ```text
//! L(x) = f(x) − Σ_j ( max(0, λ_j − μ z_j(x))² − λ_j² ) / 2μ,     λ_j ← max(0, λ_j − μ z_j)
//! ```
//!
//! It is smooth, and with the right multipliers its maximum is the constrained one at a moderate stiffness.

use crate::linalg::{Points, add_scaled};
use crate::surrogate::Function;

/// A function to be maximized where no slack is negative.
pub struct Limited<'a> {
    /// The function.
    pub objective: &'a dyn Function,
    /// The slacks: a constraint holds where its slack is at least 0.
    pub slacks: Vec<&'a dyn Function>,
}

/// LimitedValues of the objective and of each slack.
pub(super) struct LimitedValues {
    pub(super) objective: Vec<f64>,
    /// One list a slack.
    pub(super) slacks: Vec<Vec<f64>>,
}

impl Limited<'_> {
    pub(super) fn values(&self, rows: &Points) -> LimitedValues {
        LimitedValues {
            objective: self.objective.value(rows),
            slacks: self.slacks.iter().map(|slack| slack.value(rows)).collect(),
        }
    }
}

impl LimitedValues {
    /// By how much each row misses the margins, in total and in units of the slacks; what is not a number misses them by far.
    pub(super) fn violation(&self, row: usize, margins: &[f64], units: &[f64]) -> f64 {
        let missed = |(slack, (margin, unit)): (&Vec<f64>, (&f64, &f64))| {
            ((margin - slack[row]) / unit).max(0.0)
        };
        let bounds = margins.iter().zip(units);
        let total: f64 = self.slacks.iter().zip(bounds).map(missed).sum();
        if self.slacks.iter().any(|slack| slack[row].is_nan()) {
            f64::INFINITY
        } else {
            total
        }
    }
}

/// The augmented Lagrangian of a [`Limited`] function.
pub(super) struct Augmented<'a> {
    pub(super) goal: &'a Limited<'a>,
    /// What one unit of the objective and of each slack is.
    pub(super) unit: f64,
    pub(super) units: &'a [f64],
    pub(super) margins: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
    pub(super) stiffness: f64,
}

impl Augmented<'_> {
    fn scaled(&self, j: usize, slack: f64) -> f64 {
        (slack - self.margins[j]) / self.units[j]
    }

    /// `(max(0, λ − μ z)² − λ²) / 2μ`, and the force `max(0, λ − μ z)` along `z`.
    fn price(&self, j: usize, slack: f64) -> (f64, f64) {
        let multiplier = self.multipliers[j];
        let force = (multiplier - self.stiffness * self.scaled(j, slack)).max(0.0);
        (
            (force * force - multiplier * multiplier) / (2.0 * self.stiffness),
            force,
        )
    }

    /// Takes the multipliers that the slacks at a solution say; how far it was from feasible and complementary.
    pub(super) fn learn(&mut self, slacks: &[f64]) -> f64 {
        let mut worst = 0.0_f64;
        for (j, slack) in slacks.iter().enumerate() {
            let z = self.scaled(j, *slack);
            worst = worst.max(z.min(self.multipliers[j] / self.stiffness).abs());
            self.multipliers[j] = (self.multipliers[j] - self.stiffness * z).max(0.0);
        }
        worst
    }
}

impl Function for Augmented<'_> {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let LimitedValues {
            mut objective,
            slacks,
        } = self.goal.values(rows);
        objective.iter_mut().for_each(|value| *value /= self.unit);
        for (j, slacks) in slacks.iter().enumerate() {
            let pairs = objective.iter_mut().zip(slacks);
            pairs.for_each(|(value, slack)| *value -= self.price(j, *slack).0);
        }
        objective
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let (mut values, mut gradient) = self.goal.objective.value_and_gradient(rows)?;
        values.iter_mut().for_each(|value| *value /= self.unit);
        let slopes = gradient.as_mut_slice().iter_mut();
        slopes.for_each(|slope| *slope /= self.unit);
        for (j, slack) in self.goal.slacks.iter().enumerate() {
            let (slacks, slopes) = slack.value_and_gradient(rows)?;
            for (i, slack) in slacks.into_iter().enumerate() {
                let (price, force) = self.price(j, slack);
                values[i] -= price;
                if force > 0.0 {
                    add_scaled(gradient.row_mut(i), force / self.units[j], slopes.row(i));
                }
            }
        }
        Some((values, gradient))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::testing::{assert_gradient, smooth};

    #[test]
    fn gradient_agrees_with_differences_and_multipliers_are_learned() {
        let objective = smooth(|x| x[0] - x[1] * x[1], |x| vec![1.0, -2.0 * x[1]]);
        let slack = smooth(|x| 0.5 - x[0] * x[0], |x| vec![-2.0 * x[0], 0.0]);
        let goal = Limited {
            objective: &objective,
            slacks: vec![&slack],
        };
        let units = [2.0];
        let mut augmented = Augmented {
            goal: &goal,
            unit: 3.0,
            units: &units,
            margins: vec![0.1],
            multipliers: vec![0.7],
            stiffness: 10.0,
        };
        for x in [[0.9, 0.3], [0.1, -0.8], [-0.7, 0.0]] {
            assert_gradient(&augmented, &x, 1e-6);
        }
        // z = (0.05 − 0.1)/2 = −0.025, λ ← 0.7 + 0.25; the slack is missed by 0.025.
        assert!((augmented.learn(&[0.05]) - 0.025).abs() < 1e-12);
        assert!((augmented.multipliers[0] - 0.95).abs() < 1e-12);
        // A slack far from its limit has no multiplier.
        augmented.learn(&[5.0]);
        assert_eq!(augmented.multipliers, [0.0]);
    }
}
