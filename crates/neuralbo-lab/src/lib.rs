//! Benchmark problems and experiments for `neuralbo`.

pub mod data;
mod problem;
pub mod problems;
pub mod stats;

pub use problem::{Optimum, Problem};
