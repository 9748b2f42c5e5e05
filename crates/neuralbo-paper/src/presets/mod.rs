//! The paper's methods by name.

mod deep;
mod faithful;
mod forest;
mod network;
mod paper;
mod reference;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod theory;

use neuralbo::strategy::presets::{self, Method, Registry};

/// All methods of this crate.
pub const METHODS: &[Method] = &[
    paper::NEURALBO_PAPER,
    faithful::NEURALBO_FAITHFUL,
    theory::NEURALBO_THEORY,
    reference::NEURALBO_REFERENCE,
    forest::RF,
    deep::DNGO,
    deep::NEURAL_GREEDY,
];

/// The methods that every front end knows: the library's, the default first, then the paper's.
///
/// ```
/// assert!(neuralbo_paper::registry().find("neuralbo-paper").is_ok());
/// ```
pub fn registry() -> Registry {
    Registry::of(presets::METHODS.iter().chain(METHODS).copied())
}
