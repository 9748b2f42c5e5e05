//! The paper's theory as functions: the analytic tangent kernel, information gain, the settings of Theorem 1 and its bound.
//!
//! Nothing here takes part in an optimization; it is for comparing what a network does with what the theory says.

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod finite_width;
mod information;
mod moments;
mod ntk;
mod quadrature;
mod regret;
mod schedule;
#[cfg(test)]
mod tests;

pub use information::information_gain;
pub use moments::Moments;
pub use ntk::{KernelMatrices, NeuralTangentKernel};
pub use regret::{RegretBound, cumulative_regret, log_discretization_size};
pub use schedule::{confidence_width, descent_steps, learning_rate};

use neuralbo::linalg::{SettingError, require};

/// Why a formula has no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TheoryError {
    /// An argument outside the range in which the formula holds.
    #[error(transparent)]
    OutOfRange(#[from] SettingError),
    /// `I + H/λ` is not positive definite, so `H` is not a kernel matrix.
    #[error("I + H/λ of {size} points is not positive definite")]
    NotPositiveDefinite {
        /// Number of points.
        size: usize,
    },
    /// The eigenvalue iteration for the quadrature's nodes did not converge.
    #[error("the {nodes} nodes of the quadrature could not be computed")]
    Quadrature {
        /// Number of nodes.
        nodes: usize,
    },
}

/// A probability strictly between 0 and 1.
fn probability(field: &'static str, value: f64) -> Result<(), SettingError> {
    let allowed = "between 0 and 1, both excluded";
    require(field, value, value > 0.0 && value < 1.0, allowed)
}
