//! Conformance suites: what every method, surrogate and store must do, as tests for crates that add one.
//!
//! | module | tests |
//! | --- | --- |
//! | [`method`] | methods: [`method::conformance`], or one test per promise by [`method_conformance!`] |
//! | [`surrogate`] | models of the objective: [`surrogate::conformance`] |
//! | [`store`] | stores: [`store_conformance!`], agreement of two stores on random events, faults |
//! | [`simulation`] | the loop and a store under random schedules of workers, crashes and clock jumps |
//!
//! A crate that adds one of them takes this crate as a development dependency.
#![allow(clippy::unwrap_used, clippy::expect_used)]

pub mod method;
pub mod simulation;
pub mod store;
pub mod surrogate;
