//! Benchmark problems and experiments for `neuralbo`.

pub mod data;
pub mod experiments;
pub mod external;
pub mod figure;
pub mod method;
mod problem;
pub mod problems;
pub mod report;
pub mod runner;
mod stats;

pub use problem::{Optimum, Problem, Simulation};
