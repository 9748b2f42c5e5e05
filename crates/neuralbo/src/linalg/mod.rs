//! Numerics in a named room: points, random streams and (in files of their own) factorizations, solvers and special functions.

mod cg;
mod cholesky;
mod gemm;
mod points;
mod real;
mod rng;

pub use cg::{CgSettings, conjugate_gradients};
pub use cholesky::{Cholesky, NotPositiveDefinite};
pub use gemm::{add_product, product, product_into};
pub use points::{Points, squared_distance};
pub use real::Real;
pub use rng::{Purpose, Rng, Streams};
