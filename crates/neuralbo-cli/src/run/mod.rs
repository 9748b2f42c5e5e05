//! The parts of a run.

pub mod args;
pub mod engine;
pub mod known;
pub mod objective;
pub mod progress;
pub mod recorder;
pub mod setup;
pub mod summary;
