//! Problems with outcome constraints: quantities that are measured together with the value and must stay within limits.
//!
//! The border of what is feasible decides where the optimum is in all of them but `gardner1`.

mod engineering;
mod g_functions;
mod small;

pub(super) use engineering::{PRESSURE_VESSEL, SPEED_REDUCER, SPRING, WELDED_BEAM};
pub(super) use g_functions::{G04, G06, G07, G09};
pub(super) use small::{GARDNER1, GARDNER2, GRAMACY};

use neuralbo::record::OutcomeConstraint;

use super::{Dims, ProblemEntry};
use crate::{Optimum, Problem};

/// A function to be minimized under limits on measured quantities, as a table.
///
/// ```
/// use neuralbo_lab::problems::by_name;
///
/// let problem = by_name("g06", None)?;
/// let best = problem.optimum().ok_or("known")?;
/// assert!(problem.is_feasible(&best.at) && !problem.is_feasible(&[13.0, 0.0]));
/// assert_eq!(problem.outcome_constraints().len(), problem.measured(&best.at).len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ConstrainedProblem {
    name: &'static str,
    bounds: &'static [(f64, f64)],
    value: fn(&[f64]) -> f64,
    /// The quantities, in the order of the limits.
    measured: fn(&[f64]) -> Vec<f64>,
    limits: &'static [Limit],
    best: &'static [f64],
}

/// Name, smallest and largest value of a quantity.
#[derive(Clone, Copy, Debug)]
struct Limit(&'static str, Option<f64>, Option<f64>);

/// A quantity that may not be larger.
const fn at_most(name: &'static str, most: f64) -> Limit {
    Limit(name, None, Some(most))
}

/// A quantity that may not be smaller.
const fn at_least(name: &'static str, least: f64) -> Limit {
    Limit(name, Some(least), None)
}

/// A quantity that must lie between two values.
const fn between(name: &'static str, least: f64, most: f64) -> Limit {
    Limit(name, Some(least), Some(most))
}

/// The entry of a problem of this many coordinates.
const fn entry(
    name: &'static str,
    dim: usize,
    build: fn(usize) -> Box<dyn Problem>,
) -> ProblemEntry {
    ProblemEntry {
        about: "outcome constraints",
        ..ProblemEntry::function(name, Dims::Fixed(dim), build)
    }
}

impl Problem for ConstrainedProblem {
    fn name(&self) -> String {
        self.name.into()
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.bounds.to_vec()
    }

    fn value(&self, x: &[f64]) -> f64 {
        (self.value)(x)
    }

    fn outcome_constraints(&self) -> Vec<OutcomeConstraint> {
        let constraint = |limit: &Limit| OutcomeConstraint {
            name: limit.0.into(),
            at_least: limit.1,
            at_most: limit.2,
        };
        self.limits.iter().map(constraint).collect()
    }

    fn measured(&self, x: &[f64]) -> Vec<f64> {
        (self.measured)(x)
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(Optimum {
            at: self.best.to_vec(),
            value: self.value(self.best),
        })
    }
}
