//! The paper's theory as functions: the analytic tangent kernel, information gain, the settings of Theorem 1 and its bound.
//!
//! Nothing here takes part in an optimization; it is for comparing what a network does with what the theory says.

mod activation;
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

pub use activation::{ClosedForm, ScalarActivation};
pub use information::information_gain;
pub use moments::Moments;
pub use ntk::{KernelMatrices, TangentKernel};
pub use regret::{RegretBound, cumulative_regret, log_discretization_size};
pub use schedule::{confidence_width, descent_steps, learning_rate};

/// Why a formula has no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TheoryError {
    /// An argument outside the range in which the formula holds.
    #[error("{field} is {value}; it must be {allowed}")]
    OutOfRange {
        /// The argument.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// `I + H/λ` is not positive definite, so `H` is no kernel matrix.
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

/// `value` if it is finite and greater than 0.
fn positive(field: &'static str, value: f64) -> Result<f64, TheoryError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(TheoryError::OutOfRange {
        field,
        value,
        allowed: "finite and greater than 0",
    })
}

/// `value` if it is finite and not negative.
fn not_negative(field: &'static str, value: f64) -> Result<f64, TheoryError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(TheoryError::OutOfRange {
        field,
        value,
        allowed: "finite and at least 0",
    })
}

/// `value` if it is a probability strictly between 0 and 1.
fn probability(field: &'static str, value: f64) -> Result<f64, TheoryError> {
    if value > 0.0 && value < 1.0 {
        return Ok(value);
    }
    Err(TheoryError::OutOfRange {
        field,
        value,
        allowed: "between 0 and 1, both excluded",
    })
}
