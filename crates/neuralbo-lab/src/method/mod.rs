//! The methods that are compared: ours by name, anybody's as a program.

mod centre;
mod error;
mod spec;
mod start;

pub use error::RunError;
pub(crate) use error::caught;
pub use spec::{MethodSpec, SpecError};
pub use start::RunStart;

use neuralbo::strategy::presets::{Method, Registry};

/// Methods that make sense as baselines only.
pub const BASELINES: [Method; 1] = [centre::CENTRE];

/// The methods that the lab knows: those of every front end and [`BASELINES`].
///
/// ```
/// assert!(neuralbo_lab::method::registry().find("centre").is_ok());
/// ```
pub fn registry() -> Registry {
    let known = neuralbo_paper::registry();
    Registry::of(known.methods().iter().copied().chain(BASELINES))
}
