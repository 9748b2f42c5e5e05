//! The paper's theory as functions: the analytic tangent kernel, information gain, the settings of Theorem 1 and its bound.
//!
//! Kernel, gain and bound take no part in an optimization; they are for comparing what a network does with what the theory says.

mod ntk;
mod regret;
mod schedule;
#[cfg(test)]
mod tests;

pub use ntk::{KernelMatrices, NeuralTangentKernel};
pub use regret::{RegretBound, cumulative_regret, information_gain, log_discretization_size};
pub use schedule::{confidence_width, descent_steps, learning_rate};
