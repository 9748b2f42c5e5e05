//! Problems made of problems: noise, moved optima and offsets.

/// Methods of a wrapper that are those of the wrapped problem.
macro_rules! forward {
    ($($method:ident($($x:ident)?) -> $type:ty;)*) => {$(
        fn $method(&self $(, $x: &[f64])?) -> $type {
            self.inner.$method($($x)?)
        }
    )*};
}

mod moved;
mod noisy;
mod offset;
mod range;
mod spread;

pub use moved::Moved;
pub use noisy::Noisy;
pub use offset::Offset;
pub use range::range;
pub use spread::{Spread, median_deviation, spread};

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
