//! Numerics in a named room: points, random streams and (in files of their own) factorizations, solvers and special functions.

mod cholesky;
mod points;
mod rng;

pub use cholesky::{Cholesky, NotPositiveDefinite};
pub use points::{Points, squared_distance};
pub use rng::{Purpose, Rng, Streams};
