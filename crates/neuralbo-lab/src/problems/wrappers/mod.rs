//! Problems made of problems: noise, moved optima, offsets, grids and failures.

mod discretized;
mod failure_region;
mod moved;
mod noisy;
mod offset;
mod range;
mod spread;

pub use discretized::Discretized;
pub use failure_region::FailureRegion;
pub use moved::Moved;
pub use noisy::Noisy;
pub use offset::Offset;
pub use range::range;
pub use spread::{Spread, spread};

use neuralbo::record::{Direction, OutcomeConstraint};

use crate::{Optimum, Problem};

/// Why a problem could not be wrapped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WrapperError {
    /// Noise needs a size.
    #[error("sd = {0} is not a noise level; it must be finite and not negative")]
    Noise(f64),
    /// What is moved must be known.
    #[error("problem `{0}` cannot be moved: its optimum is not known")]
    NoOptimum(String),
    /// A grid needs two ends.
    #[error("levels = {0} is too few for a grid; it must be at least 2")]
    Levels(usize),
}

impl<P: Problem + ?Sized> Problem for Box<P> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        (**self).bounds()
    }

    fn direction(&self) -> Direction {
        (**self).direction()
    }

    fn value(&self, x: &[f64]) -> f64 {
        (**self).value(x)
    }

    fn constraints(&self) -> Vec<OutcomeConstraint> {
        (**self).constraints()
    }

    fn measured(&self, x: &[f64]) -> Vec<f64> {
        (**self).measured(x)
    }

    fn optimum(&self) -> Option<Optimum> {
        (**self).optimum()
    }

    fn dim(&self) -> usize {
        (**self).dim()
    }
}
