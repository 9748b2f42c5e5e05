//! Acquisition functions: from a posterior to a function whose maximum is the next point.
//!
//! # Contract
//! * Every acquisition is a [`Function`](crate::surrogate::Function): larger is better, and it has a gradient exactly when its
//!   posterior has one.
//! * An acquisition is a pure function of the row. Randomness enters when it is built, so that values depend neither on the
//!   order of the candidates nor on the number of threads.
//! * Failed trials are never turned into values; they enter through [`Feasibility`] alone.

mod analytic;
mod avoid;
mod crowding;
mod ei;
mod feasibility;
mod lagrangian;
mod log_chance;
pub mod maximize;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod testing;
mod thompson;
mod ucb;

pub use avoid::{Avoid, Chance};
pub use crowding::Crowding;
pub use ei::LogExpectedImprovement;
pub use feasibility::Feasibility;
pub use lagrangian::Limited;
pub use log_chance::LogChance;
pub use thompson::{IndependentThompson, thompson_sample};
pub use ucb::{ConfidenceWidth, UpperConfidence, srinivas_beta};
