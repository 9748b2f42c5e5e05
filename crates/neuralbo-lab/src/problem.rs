//! What every benchmark problem offers.

use neuralbo::linalg::Rng;
use neuralbo::record::{Direction, OutcomeConstraint};

/// A known best point.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// Where the best value is reached.
    pub at: Vec<f64>,
    /// The best value.
    pub value: f64,
}

/// A noiseless, deterministic function on a box.
///
/// `value` may be called from many threads and with points outside the box; it never panics for a point of the right
/// dimension. Noise on values is added around a problem, not part of it; a [`Simulation`] has noise inside.
pub trait Problem: Send + Sync {
    /// A short name such as `ackley-10`.
    fn name(&self) -> String;

    /// Lower and upper bound of each coordinate.
    fn bounds(&self) -> Vec<(f64, f64)>;

    /// Whether smaller or larger values are better.
    fn direction(&self) -> Direction {
        Direction::Minimize
    }

    /// The true value at `x`.
    fn value(&self, x: &[f64]) -> f64;

    /// Limits on what is measured beside the value; none for most problems.
    fn outcome_constraints(&self) -> Vec<OutcomeConstraint> {
        Vec::new()
    }

    /// The true quantities at `x` that the outcome constraints limit, in their order.
    fn measured(&self, x: &[f64]) -> Vec<f64> {
        let _ = x;
        Vec::new()
    }

    /// Whether all outcome constraints hold at `x`.
    fn is_feasible(&self, x: &[f64]) -> bool {
        self.outcome_constraints()
            .iter()
            .zip(self.measured(x))
            .all(|(constraint, quantity)| {
                constraint.at_most.is_none_or(|most| quantity <= most)
                    && constraint.at_least.is_none_or(|least| quantity >= least)
            })
    }

    /// The best feasible point, where it is known.
    fn optimum(&self) -> Option<Optimum> {
        None
    }

    /// Number of coordinates.
    fn dim(&self) -> usize {
        self.bounds().len()
    }
}

/// A problem whose evaluations are noisy by their nature: what is disturbed is the simulation, not its value.
pub trait Simulation: Problem {
    /// What one evaluation sees; everything random is drawn from `rng`.
    fn observe(&self, x: &[f64], rng: &mut Rng) -> f64;
}
