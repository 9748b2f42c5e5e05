//! All experiments, one folder each: what is run, and its section of the report.

mod bbob;
mod controls;
mod memory;
mod push;
mod retrieval;
mod sensitive;
mod synthetic;

pub use bbob::BbobSuite;
pub use controls::Controls;
pub use memory::Memory;
pub use push::Pushing;
pub use retrieval::Retrieval;
pub use sensitive::SensitiveImages;
pub use synthetic::Synthetic;

use crate::experiment::Experiment;

/// All experiments in the order of the paper, then our own.
pub static EXPERIMENTS: &[&dyn Experiment] = &[
    &Synthetic,
    &BbobSuite,
    &SensitiveImages,
    &Retrieval,
    &Pushing,
    &Memory,
    &Controls,
];

#[cfg(test)]
mod conformance;
