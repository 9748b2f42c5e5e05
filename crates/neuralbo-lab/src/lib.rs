//! Benchmark problems and experiments for `neuralbo`.

mod problem;
pub mod problems;

pub use problem::{Optimum, Problem};
