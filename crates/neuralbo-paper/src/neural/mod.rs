//! The neural surrogate of the paper: a network for the mean and the posterior of its tangent features for the uncertainty,
//! `f̃ ~ N(h(·; θ_t), ν² σ_t²)` (lines 3–4 of Algorithm 1).
//!
//! Everything inside is in standard units of the rewards (see [`Standardizer`](neuralbo::surrogate::Standardizer)) unless the settings keep
//! them raw.

pub mod covariance;
mod function;
mod inputs;
mod pool;
mod posterior;
mod settings;
mod surrogate;

pub use function::TangentFunction;
pub use inputs::InputMap;
pub use posterior::NeuralPosterior;
pub use settings::{
    FeaturePoint, InputDomain, MeanRule, NeuralSettings, Restart, SettingsError, Shift, TargetUnits,
};
pub use surrogate::NeuralSurrogate;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
