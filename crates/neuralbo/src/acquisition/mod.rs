//! Acquisition functions: from a posterior to a function whose maximum is the next point.
//!
//! # Contract
//! * Every acquisition is a [`Function`](crate::surrogate::Function): larger is better, and it has a gradient exactly when its
//!   posterior has one.
//! * An acquisition is a pure function of the row. Randomness enters when it is built, so that values depend neither on the
//!   order of the candidates nor on the number of threads.
//! * Failed trials are never turned into values; they enter through [`FailureProbability`] alone.

mod analytic;
mod avoid;
mod failure_probability;
mod lagrangian;
pub mod maximize;
mod near_pending;
#[cfg(test)]
pub(crate) mod testing;
mod thompson;

pub use analytic::{
    ConfidenceWidth, LogExpectedImprovement, ProbabilityOfFeasibility, UpperConfidence,
    srinivas_beta,
};
pub use avoid::{Avoid, Penalty, Probability, avoiding_failures};
pub use failure_probability::FailureProbability;
pub use lagrangian::Limited;
pub use near_pending::NearPending;
pub use thompson::{IndependentThompson, thompson_sample};
