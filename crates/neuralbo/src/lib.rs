//! Black-box optimization with an over-parameterized neural network, its tangent features and Thompson sampling.
//!
//! [`minimize`] and [`maximize`] optimize a closure in a few lines; a [`Study`] is asked and told by hand; [`drive::drive`] is the loop
//! behind all of them.
//!
//! ```
//! use neuralbo::{Params, Space};
//!
//! let space = Space::new(vec!["x=float(-5,10)".parse()?, "y=float(0,15)".parse()?])?;
//! let distance = |p: &Params| {
//!     let point = p.float("x").zip(p.float("y")).ok_or("a parameter is missing");
//!     point.map(|(x, y)| (x - 3.0).powi(2) + (y - 2.0).powi(2))
//! };
//! let found = neuralbo::minimize(&space, distance).trials(30).seed(1).run()?;
//! assert!(found.value.is_some_and(|value| value < 0.1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | [`space`] | what is searched: parameters, conditions, constraints, and the values of a trial by name |
//! | [`record`] | the plain data of a study: its definition, trials, limits, outcomes |
//! | [`study`] | a study: ask, tell, its model, its Pareto front, replay |
//! | [`drive`] | the loop: objectives, observers, reports, cancelling |
//! | [`store`] | what a storage of studies must do, and the one in memory; `neuralbo-store` has SQLite and PostgreSQL |
//! | [`importance`] | how much each parameter matters |
//! | [`limits`] | limits on everything that comes from outside |
//! | [`pareto`] | dominance, fronts, hypervolumes |
//!
//! What is used most is also here, at the root.
//!
//! # Features
//!
//! Without features this page is the whole interface, and a release that breaks it has a new minor version. The feature `unstable` adds
//! the parts of the methods (`acquisition`, `linalg`, `net`, `strategy`, `surrogate`), for methods of your own and for research; they
//! may change in every release.
//!
//! The methods of the NeuralBO paper are in the crate `neuralbo-paper`; `neuralbo-testkit` has the suites that every method, surrogate
//! and store must pass.
#![cfg_attr(docsrs, feature(doc_cfg))]
// What only the unstable modules offer is unused without them; a build with the feature warns about what nothing uses.
#![cfg_attr(not(feature = "unstable"), allow(dead_code, unused_imports))]

#[cfg(feature = "unstable")]
pub mod acquisition;
#[cfg(not(feature = "unstable"))]
mod acquisition;
pub mod drive;
pub mod importance;
pub mod limits;
#[cfg(feature = "unstable")]
pub mod linalg;
#[cfg(not(feature = "unstable"))]
mod linalg;
#[cfg(feature = "unstable")]
pub mod net;
#[cfg(not(feature = "unstable"))]
mod net;
pub mod pareto;
pub mod record;
pub mod space;
pub mod store;
#[cfg(feature = "unstable")]
pub mod strategy;
#[cfg(not(feature = "unstable"))]
mod strategy;
pub mod study;
#[cfg(feature = "unstable")]
pub mod surrogate;
#[cfg(not(feature = "unstable"))]
mod surrogate;

pub use drive::{
    Cancel, Objective, Observer, Optimization, Reporter, Solution, maximize, minimize,
};
pub use linalg::Points;
pub use record::{Definition, Direction, Failure, FailureKind, Limits, Outcome, Trial, Values};
pub use space::{Params, Space, SpaceError, Value};
pub use store::{Store, StoreError};
pub use strategy::NoModel;
pub use strategy::presets::{DEFAULT_METHOD, Method, MethodError, OptionInfo, Registry};
pub use study::{Study, StudyError, Worker};
pub use surrogate::FitError;

/// The examples of the documentation are tests.
#[cfg(doctest)]
mod documentation {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/quickstart.md")]
    struct Quickstart;
    #[doc = include_str!("../../../docs/importance.md")]
    struct Importance;
    #[doc = include_str!("../../../docs/rust.md")]
    struct Rust;
    #[doc = include_str!("../../../docs/extending.md")]
    struct Extending;
}
