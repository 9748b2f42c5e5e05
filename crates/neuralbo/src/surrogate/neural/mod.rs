//! The neural surrogate: a network and the posterior of its tangent features.

pub mod covariance;
mod inputs;

pub use inputs::InputMap;
