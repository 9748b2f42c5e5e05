//! The paper's methods by name.

mod faithful;
mod network;
mod others;
mod paper;
mod reference;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod theory;

use neuralbo::strategy::presets::{self, Method, MethodError, OptionInfo, Registry};

/// All methods of this crate.
pub const METHODS: &[Method] = &[
    paper::NEURALBO_PAPER,
    faithful::NEURALBO_FAITHFUL,
    theory::NEURALBO_THEORY,
    reference::NEURALBO_REFERENCE,
    others::RF,
    others::DNGO,
    others::NEURAL_GREEDY,
];

/// The methods that every front end knows: the library's, the default first, then the paper's.
///
/// ```
/// assert!(neuralbo_paper::registry().find("neuralbo-paper").is_ok());
/// ```
pub fn registry() -> Registry {
    Registry::of(presets::METHODS.iter().chain(METHODS).copied())
}

const fn option(key: &'static str, help: &'static str) -> OptionInfo {
    OptionInfo { key, help }
}

/// Options that the model's settings refuse.
fn conflict<E: ToString>(method: &'static str) -> impl Fn(E) -> MethodError {
    move |error| MethodError::Conflict {
        method,
        reason: error.to_string(),
    }
}
