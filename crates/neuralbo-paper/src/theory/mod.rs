//! The paper's theory as functions: the analytic tangent kernel and the settings of Theorem 1.
//!
//! The kernel takes no part in an optimization; it is for comparing what a network does with what the theory says.

mod ntk;
mod schedule;
#[cfg(test)]
mod tests;

pub use ntk::{KernelMatrices, NeuralTangentKernel};
pub use schedule::{confidence_width, descent_steps, learning_rate};
