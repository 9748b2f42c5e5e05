//! The paper's theory as functions: the analytic tangent kernel, information gain, the settings of Theorem 1 and its bound.
//!
//! Kernel, gain and bound take no part in an optimization; they are for comparing what a network does with what the theory says.

mod ntk;
mod regret;
#[cfg(test)]
mod tests;

pub use ntk::{KernelMatrices, NeuralTangentKernel};
pub use regret::{
    RegretBound, confidence_width, cumulative_regret, descent_steps, information_gain,
    learning_rate, log_discretization_size,
};
