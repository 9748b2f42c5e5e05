//! Black-box optimization with an over-parameterized neural network, its tangent features and Thompson sampling.
//!
//! [`minimize`] optimizes a closure in a few lines; a [`study::Study`] is asked and told by hand; [`drive::drive`] is the loop
//! behind both.

pub mod acquisition;
pub mod drive;
pub mod importance;
pub mod linalg;
pub mod net;
pub mod pareto;
pub mod record;
pub mod space;
pub mod store;
pub mod strategy;
pub mod study;
pub mod surrogate;
#[cfg(feature = "testkit")]
pub mod testkit;
pub mod theory;

pub use drive::{maximize, minimize};

/// The examples of the documentation are tests.
#[cfg(doctest)]
mod documentation {
    #[doc = include_str!("../../../docs/rust.md")]
    struct Rust;
    #[doc = include_str!("../../../docs/extending.md")]
    struct Extending;
}
