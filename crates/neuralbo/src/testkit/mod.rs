//! The conformance suites: what every method and every store must do, as tests for crates that add one.
//!
//! A crate with a method of its own takes `neuralbo` with the feature `testkit` as a development dependency and calls
//! [`method::conformance`] in a test; one with a store uses [`store`].
#![allow(clippy::unwrap_used, clippy::expect_used)]

pub mod method;
pub mod simulation;
pub mod store;
