//! Numerics in a named room: points, random streams and (in files of their own) factorizations, solvers and special functions.

mod cholesky;
mod fastmath;
#[cfg(test)]
mod golden;
mod lbfgsb;
mod lhs;
mod points;
mod rng;
mod sobol;
mod special;

pub use cholesky::{Cholesky, NotPositiveDefinite};
pub use fastmath::FastMath;
pub use lbfgsb::{Minimum, minimize_bounded};
pub use lhs::latin_hypercube;
pub use points::{Points, squared_distance};
pub use rng::{Purpose, Rng, Streams};
pub use sobol::{Sobol, SobolError, space_filling};
pub use special::{
    erf, erfc, erfcx, log_ei, log_ei_unit, log_ei_unit_slope, log_normal_cdf, log_sum_exp, log1mexp, mills, normal_cdf,
    normal_pdf,
};
