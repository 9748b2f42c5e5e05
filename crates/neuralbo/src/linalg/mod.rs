//! Numerics in one place: points, random streams and (in files of their own) factorizations, solvers and special functions.

mod cholesky;
mod fastmath;
mod lbfgs;
mod minimize;
mod points;
mod real;
mod rng;
mod setting;
mod sobol;
mod special;
#[cfg(test)]
pub(crate) mod testing;

pub use cholesky::{Cholesky, NotPositiveDefinite};
pub use fastmath::FastMath;
pub use lbfgs::{Descent, DescentDomain, TurnDirection};
pub use minimize::{Minimum, minimize_bounded};
pub use points::{Points, squared_distance};
pub(crate) use points::{add_scaled, dot};
pub(crate) use real::wide;
pub use real::{Real, add_product, product, product_into, vectorized};
pub use rng::{Purpose, Rng, Streams};
pub(crate) use rng::{SPLIT_MIX_STEP, split_mix};
pub use setting::{SettingError, at_least_one, not_negative, positive, require};
pub use sobol::{Sobol, SobolError, latin_hypercube, space_filling};
pub use special::{
    log_ei_unit, log_ei_unit_slope, log_normal_cdf, log_sum_exp, mills, normal_cdf, normal_pdf,
};
